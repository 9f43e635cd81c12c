import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';

/** A running PostgreSQL server process. */
export interface Postmaster {
  /** Fast shutdown: open transactions are rolled back, the data is flushed. Safe to call again. */
  stop(): Promise<void>;
  /** Resolves when the server process has ended, for whatever reason. */
  readonly exited: Promise<void>;
}

export interface PostmasterOptions {
  readonly postgres: string;
  readonly clusterFolder: string;
  readonly account: Account | undefined;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  /** The server's own log, kept below 10 MB by starting it anew. */
  readonly logFile: string;
}

const START_TIMEOUT_MS = 60_000; // crash recovery of a busy cluster on a slow disk
const STOP_TIMEOUT_MS = 10_000;
const LOG_LIMIT_BYTES = 10_000_000;

/**
 * Becomes `postgres` after leaving a watchdog behind, a process that does nothing but wait for the end of our
 * standard-input pipe. The pipe ends when we die, also by SIGKILL, and the server is then told to shut down:
 * it never outlives us. A line on the pipe dismisses the watchdog. It is forked twice, so that it is no child of
 * the server, which takes an unknown child's death for a crash.
 */
const LAUNCHER = `
exec 3<&0 </dev/null
( ( read -r dismissed <&3 || kill -INT $$ ) & ) 2>/dev/null
exec 3<&-
exec "$@"
`;

/**
 * Starts the server in its own session, out of reach of the terminal's Ctrl-C, since we need it while we drain.
 *
 * @throws Error with the end of the server's log when it does not become ready
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  if ((statSync(options.logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES)
    truncateSync(options.logFile);
  const log = openSync(options.logFile, 'a', 0o600);
  const logStart = statSync(options.logFile).size;
  const settings = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [options.postgres, '-D', options.clusterFolder, '-p', String(options.port), ...settings];
  const child = spawn('/bin/sh', ['-c', LAUNCHER, 'sh', ...command], {
    cwd: '/', // ours may be closed to the account
    detached: true,
    stdio: ['pipe', log, log],
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    ...(options.account && { uid: options.account.uid, gid: options.account.gid }),
  });
  closeSync(log);
  child.stdin?.on('error', () => {}); // EPIPE when the server is gone already
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const postmaster = { exited, stop: () => stop(child, exited) };
  try {
    await ready(child, options.clusterFolder);
  } catch (error) {
    await postmaster.stop();
    const said = readFileSync(options.logFile, 'utf8').slice(logStart).trim().split('\n').slice(-8).join('\n');
    throw new Error(`The embedded PostgreSQL did not start (${(error as Error).message})\n${said}`, { cause: error });
  }
  // Neither the process nor its pipe keeps our event loop alive.
  child.unref();
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return postmaster;
}

async function ready(child: ChildProcess, clusterFolder: string): Promise<void> {
  let failure: string | undefined;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.once('exit', (code, signal) => {
    failure = `it ended with ${signal ?? code}`;
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (readPidFile(clusterFolder)?.status !== 'ready' || readPidFile(clusterFolder)?.pid !== child.pid) {
    if (failure !== undefined) throw new Error(failure);
    if (performance.now() > deadline) throw new Error(`not ready after ${START_TIMEOUT_MS / 1000} s`);
    await sleep(10);
  }
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.stdin?.end('dismissed\n');
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    child.kill('SIGINT');
    const hard = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(hard);
  }
  child.stdin?.destroy();
}

/** The server's process id and state, as it writes them into its data folder; undefined when it was shut down. */
export function readPidFile(clusterFolder: string): { pid: number; status: string } | undefined {
  try {
    const lines = readFileSync(path.join(clusterFolder, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), status: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}
