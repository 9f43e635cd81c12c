import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPidFile } from './postmaster.ts';

const FAST_SHUTDOWN_MS = 10_000;

/**
 * Ends a server that still runs on this data folder although its owner is gone: its watchdog was killed as well,
 * or is just shutting it down. The caller holds the ownership of the folder, so whatever runs here is an orphan.
 *
 * Then removes the pid file when its process id belongs to some other process by now (common in containers, where
 * ids start anew) or to a dead one that nobody has reaped: PostgreSQL would refuse to start.
 *
 * @throws Error when the orphan does not stop within 20 s
 */
export async function endOrphan(clusterFolder: string): Promise<void> {
  const left = readPidFile(clusterFolder);
  if (left === undefined) return; // shut down in good order
  const started = performance.now();
  let asked: NodeJS.Signals | undefined;
  for (
    let running = serversOn(clusterFolder, left.pid);
    running.length > 0;
    running = serversOn(clusterFolder, left.pid)
  ) {
    const waitedMs = performance.now() - started;
    const signal = waitedMs < FAST_SHUTDOWN_MS ? 'SIGINT' : 'SIGQUIT';
    if (waitedMs > 2 * FAST_SHUTDOWN_MS) {
      throw new Error(`A PostgreSQL (process ${running.join(', ')}) still runs on ${clusterFolder} and does not stop`);
    }
    if (asked !== signal) {
      // Without its postmaster a server process ends by itself, soon; SIGINT would only cancel its query.
      const targets = signal === 'SIGINT' ? running.filter((pid) => pid === left.pid) : running;
      for (const pid of targets) send(pid, signal);
    }
    asked = signal;
    await sleep(20);
  }
  if (send(left.pid, 0)) rmSync(path.join(clusterFolder, 'postmaster.pid'), { force: true });
}

/** The PostgreSQL processes that work on the folder; each has it as its working directory. */
function serversOn(clusterFolder: string, postmasterPid: number): number[] {
  if (process.platform !== 'linux') return runsOn(postmasterPid, clusterFolder) ? [postmasterPid] : [];
  const folder = realpathSync(clusterFolder);
  return readdirSync('/proc')
    .filter((entry) => {
      try {
        return /^\d+$/.test(entry) && readlinkSync(`/proc/${entry}/cwd`) === folder;
      } catch {
        return false; // gone, a zombie, or of another account
      }
    })
    .map(Number);
}

function runsOn(pid: number, clusterFolder: string): boolean {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(clusterFolder);
  } catch {
    return false;
  }
}

/** Gives whether there is such a process. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
