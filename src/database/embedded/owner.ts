import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Held by the one process that runs the embedded cluster of a data folder. */
export interface Ownership {
  release(): void;
}

/** The data folder's database is run by another live process. */
export class EmbeddedDatabaseInUseError extends Error {
  override readonly name = 'EmbeddedDatabaseInUseError';
  readonly pid: number;

  constructor(dataDir: string, pid: number) {
    super(
      `The embedded database in ${dataDir} is in use by process ${pid}. ` +
        'Stop that process, or give this one another DATA_DIR or a DATABASE_URL.',
    );
    this.pid = pid;
  }
}

/**
 * Takes the data folder for this process. The lock file names the owner's process id and its start time, because
 * process ids are reused at once in containers: a lock left by a killed process is recognised and taken over.
 *
 * @throws EmbeddedDatabaseInUseError when the owner still runs
 */
export function takeOwnership(dataDir: string): Ownership {
  const file = path.join(dataDir, 'postgres.lock');
  const mine = `${process.pid} ${startTime(process.pid)}`;
  // Written beside and linked into place, so that nobody ever reads a half-written lock.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        linkSync(draft, file);
        return { release: () => rmSync(file, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === 3) throw error;
      }
      const owner = readOwner(file);
      const [pid, ...started] = owner.split(' ');
      if (startTime(Number(pid)) === started.join(' ')) throw new EmbeddedDatabaseInUseError(dataDir, Number(pid));
      if (readOwner(file) === owner) rmSync(file, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function readOwner(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** When process `pid` started, in whatever unit the system counts; undefined when there is no such process. */
function startTime(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      // The command's name, field 2, may hold spaces and parentheses; field 22 is the start in clock ticks.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .replaceAll(/\s+/g, ' ');
  } catch {
    return undefined;
  }
}
