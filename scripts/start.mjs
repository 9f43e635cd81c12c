/**
 * `npm start`: installs, generates and compiles what is missing, then becomes the server (dist/main.js in this same
 * process, so that signals and the exit code are the server's own).
 */
import * as module from 'node:module';
import { cacheFolder, orExit, prepare } from './prepare.mjs';

/**
 * npm passes a signal on to us that the terminal (Ctrl-C) or a service manager has sent to our whole process group
 * already. The server takes a second signal for impatience, so an echo within half a second is dropped.
 */
function dropSignalEchoes() {
  const lastAt = new Map();
  const emit = process.emit;
  process.emit = function (event, ...rest) {
    if (event === 'SIGINT' || event === 'SIGTERM') {
      const now = performance.now();
      const isEcho = now - (lastAt.get(event) ?? Number.NEGATIVE_INFINITY) < 500;
      lastAt.set(event, now);
      if (isEcho) return true;
    }
    return emit.call(this, event, ...rest);
  };
}

await orExit(() => prepare({ build: true }));
// graphql-js and others leave their development checks out of the hot path.
process.env.NODE_ENV ??= 'production';
dropSignalEchoes();
// Node 22.8 and newer keep compiled code from one start to the next.
module.enableCompileCache?.(`${cacheFolder}/compiled`);
await import('../dist/main.js');
