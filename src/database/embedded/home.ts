import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Account, canEnter, closedFolder, postgresAccount } from './account.ts';

/** Where an embedded cluster lives and what has to be remembered from one start to the next. */
export interface Home {
  /** The caller's data folder. */
  readonly dataDir: string;
  /** PostgreSQL's own data folder. */
  readonly clusterFolder: string;
  /** The account that owns it; undefined when that is ourselves. */
  readonly account: Account | undefined;
  readonly password: string;
  /** The port of the last start; undefined before the first. */
  readonly port: number | undefined;
}

interface Kept {
  password: string;
  port?: number;
  /** Set when the data had to be put elsewhere than in the data folder. */
  location?: string;
}

/** For root only: where the data goes when a folder above the data folder is closed to PostgreSQL's account. */
const ELSEWHERE = '/var/lib/ganeti-graphql';

/**
 * Makes a folder that other accounts may pass through but not list; the files in it that matter are 0600.
 * PostgreSQL's account has to pass through it when we run as root.
 */
export function ensureDataDir(dataDir: string): void {
  if (existsSync(dataDir)) return;
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o711);
}

/**
 * Opens (or makes) the home of an embedded cluster in `dataDir`: `postgres.json` (0600) keeps the password and
 * the port, `postgres/` the data.
 *
 * As root, PostgreSQL runs as another account. When that account cannot pass through a folder above `dataDir`
 * (a checkout in root's home), the data goes to a folder of its own below /var/lib/ganeti-graphql, and
 * `postgres.json` remembers which.
 *
 * @throws Error when existing data has become unreachable for its account
 */
export function openHome(dataDir: string): Home {
  ensureDataDir(dataDir);
  const kept = read(dataDir) ?? { password: randomBytes(24).toString('base64url') };
  const inside = path.join(dataDir, 'postgres');
  const account = postgresAccount(kept.location ?? inside);
  if (account !== undefined && kept.location === undefined && !canEnter(account, dataDir)) {
    // The data folder is ours to open; what lies above it is not.
    chmodSync(dataDir, statSync(dataDir).mode | 0o011);
  }
  if (account !== undefined && kept.location === undefined && !canEnter(account, dataDir)) {
    const closed = closedFolder(account, dataDir);
    if (existsSync(path.join(inside, 'PG_VERSION'))) {
      throw new Error(`The account ${account.name}, which runs the embedded PostgreSQL, may not enter ${closed}`);
    }
    kept.location = path.join(ELSEWHERE, randomBytes(6).toString('hex'));
    mkdirSync(kept.location, { recursive: true });
  }
  write(dataDir, kept);
  const clusterFolder = kept.location === undefined ? inside : path.join(kept.location, 'postgres');
  return { dataDir, clusterFolder, account, password: kept.password, port: kept.port };
}

/** Remembers the port, so that a connection string copied by a person stays valid over restarts. */
export function rememberPort(dataDir: string, port: number): void {
  const kept = read(dataDir);
  if (kept !== undefined && kept.port !== port) write(dataDir, { ...kept, port });
}

function keptFile(dataDir: string): string {
  return path.join(dataDir, 'postgres.json');
}

function read(dataDir: string): Kept | undefined {
  const file = keptFile(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined;
}

function write(dataDir: string, kept: Kept): void {
  const draft = `${keptFile(dataDir)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, keptFile(dataDir));
}
