import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Answer, Call } from './channel.ts';

/** A process of ours with its ear open: see {@link answerCalls}. */
export interface Child {
  /** @throws what the child's handler threw, or that the child has ended or does not answer in a minute */
  call<Result>(name: string, argument?: unknown): Promise<Result>;
  /** Closes the channel, upon which the child ends; kills it when it does not. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** The Node to run it with; this one when absent. */
  readonly executable?: string;
}

const ANSWER_WITHIN_MS = 60_000;
const END_WITHIN_MS = 3_000;
/** Characters of a child's error output that go into the error of its end. */
const KEPT_OUTPUT = 4_000;

/**
 * Starts a program of this folder in a process of its own, as in production.
 *
 * @param program path below bench/
 */
export function startChild(program: string, options: ChildOptions = {}): Child {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [], {
    execPath: options.executable ?? process.execPath,
    execArgv: ['--no-warnings', '--import', import.meta.resolve('tsx')],
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Statements have bigints and dates among their values.
    serialization: 'advanced',
  });
  // Peers have much to say when all is well; it is of interest when something is not.
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_OUTPUT);
  });
  const waiting = new Map<
    number,
    { resolve(value: unknown): void; reject(error: Error): void; timer: NodeJS.Timeout }
  >();
  let calls = 0;
  child.on('message', ({ id, value, error }: Answer) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    clearTimeout(caller?.timer);
    if (error === undefined) caller?.resolve(value);
    else caller?.reject(new Error(`${program}: ${error}`));
  });
  const fail = (reason: string): void => {
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(new Error(`${program} ${reason}\n${said}`));
    }
    waiting.clear();
  };
  child.on('error', (error) => {
    // Of one that did start, its end tells more than the call that could not be sent any more.
    if (child.pid === undefined) fail(`did not start: ${error.message}`);
  });
  child.on('close', (code, signal) => fail(`ended with ${code ?? signal}`));
  return {
    call<Result>(name: string, argument: unknown = null): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        calls += 1;
        if (!child.connected) return reject(new Error(`${program} has ended`));
        const id = calls;
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error(`${program} does not answer ${name}`));
        }, ANSWER_WITHIN_MS);
        waiting.set(id, {
          resolve: (value) => resolve(value as Result),
          reject,
          timer,
        });
        child.send({ id, name, argument } satisfies Call);
      });
    },
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timer = new AbortController();
  await Promise.race([ended, sleep(END_WITHIN_MS, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await ended;
  }
}
