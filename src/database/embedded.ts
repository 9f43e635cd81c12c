import { execFile } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Binaries, findBinaries, reachableBinaries } from './embedded/binaries.ts';
import { type Home, openHome, rememberPort } from './embedded/home.ts';
import { endOrphan } from './embedded/orphan.ts';
import { takeOwnership } from './embedded/owner.ts';
import { startPostmaster } from './embedded/postmaster.ts';

const run = promisify(execFile);

export interface EmbeddedPostgresOptions {
  /** The folder that keeps the data (in `postgres/`), the password and the log; made when missing. */
  readonly dataDir: string;
  /** A fixed port. By default a free one is chosen at the first start and kept as long as it stays free. */
  readonly port?: number;
  /** False for test databases: nothing is flushed to disk and a crash of the machine may lose all. */
  readonly durable?: boolean;
  /** More server settings, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** A connection string with the password, for the database `ganeti_graphql`. */
  readonly url: string;
  /** Shuts the server down and gives the data folder back. Safe to call again. */
  stop(): Promise<void>;
}

/** The database that the product's tables live in. */
export const EMBEDDED_DATABASE = 'ganeti_graphql';

const ROLE = 'postgres';

/** Nothing that is lost in a crash is missed in a test; several times faster on a slow disk. */
const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};

/**
 * Starts a real PostgreSQL on 127.0.0.1, its data in `<dataDir>/postgres`; the first start makes the data.
 * The server ends with this process: at `stop()`, at exit, and also when this process is killed.
 *
 * @throws EmbeddedDatabaseInUseError when another live process runs this data folder's database
 * @throws Error that says what to do when it cannot run here
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error('The embedded PostgreSQL needs Linux or macOS: set DATABASE_URL to a PostgreSQL server');
  }
  const home = openHome(path.resolve(options.dataDir));
  const ownership = takeOwnership(home.dataDir);
  try {
    const { clusterFolder, account } = home;
    const versionFile = path.join(clusterFolder, 'PG_VERSION');
    const major = existsSync(versionFile) ? Number(readFileSync(versionFile, 'utf8')) : undefined;
    const copyFolder = path.join(path.dirname(clusterFolder), 'binaries');
    const binaries = await reachableBinaries(await findBinaries(major), account, copyFolder);
    if (major === undefined) await makeCluster(binaries, home, options.durable ?? true);
    await endOrphan(clusterFolder);
    const port = options.port ?? (await freePort(home.port));
    const postmaster = await startPostmaster({
      postgres: binaries.postgres,
      clusterFolder,
      account,
      port,
      logFile: path.join(home.dataDir, 'postgres.log'),
      settings: {
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        timezone: 'UTC',
        log_timezone: 'UTC',
        ...(options.durable === false && NOT_DURABLE),
        ...options.settings,
      },
    });
    const url = (database: string): string => `postgresql://${ROLE}:${home.password}@127.0.0.1:${port}/${database}`;
    try {
      await ensureDatabase(url('postgres'));
      rememberPort(home.dataDir, port);
    } catch (error) {
      await postmaster.stop();
      throw error;
    }
    return {
      url: url(EMBEDDED_DATABASE),
      stop: async () => {
        await postmaster.stop();
        ownership.release();
      },
    };
  } catch (error) {
    ownership.release();
    throw error;
  }
}

async function makeCluster(binaries: Binaries, home: Home, durable: boolean): Promise<void> {
  const { clusterFolder, account, password } = home;
  // Made beside and renamed, so that a first start that was killed half-way leaves nothing that looks whole.
  const draft = `${clusterFolder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  const secret = mkdtempSync(path.join(tmpdir(), 'ganeti-graphql-'));
  const passwordFile = path.join(secret, 'password');
  try {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (account) for (const file of [draft, secret, passwordFile]) chownSync(file, account.uid, account.gid);
    // The built-in locale sorts and folds alike on every system and needs none installed; PostgreSQL 17 brought it.
    const locale = binaries.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
    await run(
      binaries.initdb,
      [
        `--pgdata=${draft}`,
        `--username=${ROLE}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        ...locale,
        '--no-instructions',
        ...(durable ? [] : ['--no-sync']),
      ],
      { cwd: '/', env: { ...process.env, LC_ALL: 'C' }, ...(account && { uid: account.uid, gid: account.gid }) },
    );
    renameSync(draft, clusterFolder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(
      `The embedded PostgreSQL could not make its data in ${clusterFolder}: ${(error as Error).message}`,
      { cause: error },
    );
  } finally {
    rmSync(secret, { recursive: true, force: true });
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [EMBEDDED_DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${EMBEDDED_DATABASE}`);
  } finally {
    await client.end();
  }
}

async function freePort(wanted: number | undefined): Promise<number> {
  const tryPort = (port: number): Promise<number | undefined> =>
    new Promise((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(undefined));
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
      });
    });
  const port = (wanted === undefined ? undefined : await tryPort(wanted)) ?? (await tryPort(0));
  if (port === undefined) throw new Error('No free port on 127.0.0.1');
  return port;
}
