import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { requireSupportedServer } from './server-version.ts';

/** What a call of {@link migrate} did. */
export interface MigrationReport {
  /** The names of the migrations applied now, in order. */
  readonly applied: readonly string[];
  /** Applied to this database earlier and unknown here: a newer release has been here. */
  readonly unknown: readonly string[];
}

/** The database's migrations do not fit ours, or one cannot be applied; nothing of it has been. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Two levels up, from `src/database` as from `dist/database`. */
const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** The key that `prisma migrate` locks, so that neither runs while the other does. */
const ADVISORY_LOCK = 72_707_369;

/** Exactly the table that `prisma migrate deploy` keeps; either may continue where the other stopped. */
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

interface Migration {
  readonly name: string;
  readonly sql: string;
}

interface Recorded {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

/**
 * Brings the database to the schema of this release: applies what is missing of `prisma/migrations`, each
 * migration in a transaction of its own, one process at a time. A second call does nothing.
 *
 * @throws UnsupportedServerError when PostgreSQL is older than 15
 * @throws MigrationError when an applied migration was changed, when one was left unfinished (by Prisma, which
 *   applies them outside a transaction), or when one fails
 */
export async function migrate(pool: pg.Pool, migrationsFolder: string = MIGRATIONS): Promise<MigrationReport> {
  const migrations = await readMigrations(migrationsFolder);
  const client = await pool.connect();
  let broken = true;
  try {
    await requireSupportedServer(client);
    // Waiting for another replica and building an index both take longer than a request may.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await client.query('SET client_min_messages = warning'); // no notice that the table exists
    await client.query(CREATE_TABLE);
    const { rows } = await client.query<Recorded>(
      'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
    );
    const missing = compare(migrations, rows);
    for (const migration of missing) await apply(client, migration);
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]);
    await client.query('RESET ALL');
    broken = false;
    const known = new Set(migrations.map(({ name }) => name));
    return {
      applied: missing.map(({ name }) => name),
      unknown: rows.map((row) => row.migration_name).filter((name) => !known.has(name)),
    };
  } finally {
    // Closing the connection also gives the lock back.
    client.release(broken);
  }
}

function compare(migrations: readonly Migration[], recorded: readonly Recorded[]): Migration[] {
  const unfinished = recorded.find((row) => row.finished_at === null);
  if (unfinished) {
    throw new MigrationError(
      `The migration ${unfinished.migration_name} was begun and not finished. Look at what it changed, then mark it: ` +
        `prisma migrate resolve --applied (or --rolled-back) ${unfinished.migration_name}`,
    );
  }
  const checksums = new Map(recorded.map((row) => [row.migration_name, row.checksum]));
  return migrations.filter(({ name, sql }) => {
    const checksum = checksums.get(name);
    if (checksum !== undefined && !possibleChecksums(sql).includes(checksum)) {
      throw new MigrationError(
        `The migration ${name} was changed after this database had applied it. ` +
          'Restore the file and put the change into a new migration.',
      );
    }
    return checksum === undefined;
  });
}

async function apply(client: pg.PoolClient, { name, sql }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), sha256(sql), name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw new MigrationError(`The migration ${name} failed: ${describe(error, sql)}`, { cause: error });
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new MigrationError(`No migrations in ${folder}`, { cause: error });
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({ name, sql: await readFile(path.join(folder, name, 'migration.sql'), 'utf8') })),
  );
}

/** As Prisma: a checkout that turned the line ends around is no change. */
function possibleChecksums(sql: string): string[] {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].map(sha256);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function describe(error: unknown, sql: string): string {
  if (!(error instanceof Error)) return String(error);
  const position = Number((error as Error & { position?: string }).position);
  return position > 0 ? `${error.message} (line ${sql.slice(0, position).split('\n').length})` : error.message;
}
