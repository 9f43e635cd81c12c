import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

/** The operating system account that PostgreSQL runs as when this process is root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const ACCOUNT_NAME = 'postgres';

/**
 * The account to run PostgreSQL as: undefined when this process is no superuser (PostgreSQL runs as ourselves).
 * PostgreSQL refuses to run as root, so root needs another one: the owner of the existing data, else the
 * account `postgres`, which is made when it is missing.
 *
 * @param clusterFolder - the data folder, which need not exist yet
 * @throws Error when root has no such account and cannot make one
 */
export function postgresAccount(clusterFolder: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(path.join(clusterFolder, 'PG_VERSION'), { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const known = lookUp(ACCOUNT_NAME);
  if (known !== undefined) return known;
  createAccount();
  const made = lookUp(ACCOUNT_NAME);
  if (made !== undefined) return made;
  throw new Error(
    `PostgreSQL does not run as root, and there is no account "${ACCOUNT_NAME}" and none could be made. ` +
      'Make one (useradd --system postgres), start as an ordinary user, or set DATABASE_URL.',
  );
}

/** Whether `account` can read and enter (or execute) `target`, tried as that account, so that ACLs count too. */
export function canReach(account: Account, target: string): boolean {
  const script = 'test -r "$1" && test -x "$1"';
  return (
    spawnSync('/bin/sh', ['-c', script, 'sh', target], { uid: account.uid, gid: account.gid, cwd: '/' }).status === 0
  );
}

/** Whether `account` can pass through `folder` to something below it. */
export function canEnter(account: Account, folder: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], { uid: account.uid, gid: account.gid, cwd: '/' })
      .status === 0
  );
}

/** The topmost folder on the way to `folder` that `account` may not enter, for an error a person can act on. */
export function closedFolder(account: Account, folder: string): string {
  const root = path.parse(folder).root;
  let current = root;
  for (const part of path.relative(root, folder).split(path.sep)) {
    current = path.join(current, part);
    if (!canEnter(account, current)) return current;
  }
  return folder;
}

function lookUp(name: string): Account | undefined {
  const ask = (flag: string): number => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout.trim()) : Number.NaN;
  };
  const uid = ask('-u');
  const gid = ask('-g');
  return Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0 ? { name, uid, gid } : undefined;
}

function createAccount(): void {
  // shadow-utils first (Debian, Fedora), then BusyBox (Alpine); neither asks anything.
  const commands: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/sh', ACCOUNT_NAME]],
    ['adduser', ['-S', '-D', '-H', '-s', '/bin/sh', ACCOUNT_NAME]],
  ];
  for (const [command, args] of commands) {
    if (spawnSync(command, args, { stdio: 'ignore' }).status === 0) return;
  }
}
