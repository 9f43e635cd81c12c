import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MigrationError, migrate } from '../../../src/database/migrate.ts';
import { createPool } from '../../../src/database/pool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const OURS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

let db: TestDatabase;
let folder: string;
beforeEach(async () => {
  db = await createTestDatabase({ empty: true });
  folder = mkdtempSync(path.join(tmpdir(), 'migrations-'));
  writeFileSync(path.join(folder, 'migration_lock.toml'), 'provider = "postgresql"\n');
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await db.drop();
});

function write(name: string, sql: string): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, name, 'migration.sql'), sql);
}

const recorded = async () =>
  (
    await db.pool.query(
      'SELECT migration_name AS name, applied_steps_count AS steps FROM "_prisma_migrations" ORDER BY 1',
    )
  ).rows;

describe('migrations', () => {
  test('are applied in order, once', async () => {
    write('20260102000000_second', 'INSERT INTO thing VALUES (2); SELECT 1;');
    write('20260101000000_first', 'CREATE TABLE thing (id int);\n-- a comment\nINSERT INTO thing VALUES (1);');
    expect(await migrate(db.pool, folder)).toEqual({
      applied: ['20260101000000_first', '20260102000000_second'],
      unknown: [],
    });
    expect(await migrate(db.pool, folder)).toEqual({ applied: [], unknown: [] });
    expect((await db.pool.query('SELECT id FROM thing ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
    write('20260103000000_third', 'INSERT INTO thing VALUES (3)');
    expect((await migrate(db.pool, folder)).applied).toEqual(['20260103000000_third']);
    expect(await recorded()).toHaveLength(3);
  });

  test('are applied by one process at a time', async () => {
    write('20260101000000_slow', 'CREATE TABLE thing (id int); SELECT pg_sleep(0.2);');
    const pools = Array.from({ length: 4 }, () => createPool(db.url, { max: 1 }));
    const reports = await Promise.all(pools.map((pool) => migrate(pool, folder)));
    expect(reports.flatMap((report) => report.applied)).toEqual(['20260101000000_slow']);
    await Promise.all(pools.map((pool) => pool.end()));
  });

  test('that fail leave nothing, name the line, and may be mended', async () => {
    write('20260101000000_first', 'CREATE TABLE thing (id int);');
    write('20260102000000_bad', 'CREATE TABLE other (id int);\nSELECT * FROM nowhere;');
    await expect(migrate(db.pool, folder)).rejects.toThrow(/20260102000000_bad failed: .*nowhere.*\(line 2\)/);
    expect(await recorded()).toEqual([{ name: '20260101000000_first', steps: 1 }]);
    expect((await db.pool.query(`SELECT to_regclass('other') AS other`)).rows).toEqual([{ other: null }]);
    write('20260102000000_bad', 'CREATE TABLE other (id int);');
    expect((await migrate(db.pool, folder)).applied).toEqual(['20260102000000_bad']);
  });

  test('that were changed after they had been applied are refused; other line ends are no change', async () => {
    write('20260101000000_first', 'CREATE TABLE thing (id int);\n');
    await migrate(db.pool, folder);
    write('20260101000000_first', 'CREATE TABLE thing (id int);\r\n');
    await expect(migrate(db.pool, folder)).resolves.toEqual({ applied: [], unknown: [] });
    write('20260101000000_first', 'CREATE TABLE thing (id bigint);\n');
    await expect(migrate(db.pool, folder)).rejects.toThrow(/20260101000000_first was changed/);
    expect(db.pool.idleCount).toBe(db.pool.totalCount);
  });

  test('that somebody left unfinished are refused', async () => {
    write('20260101000000_first', 'CREATE TABLE thing (id int);');
    await migrate(db.pool, folder);
    await db.pool.query('UPDATE "_prisma_migrations" SET finished_at = NULL');
    await expect(migrate(db.pool, folder)).rejects.toThrow(MigrationError);
    await expect(migrate(db.pool, folder)).rejects.toThrow(/20260101000000_first was begun and not finished/);
    await db.pool.query('UPDATE "_prisma_migrations" SET rolled_back_at = now(); DROP TABLE thing');
    expect((await migrate(db.pool, folder)).applied).toEqual(['20260101000000_first']);
  });

  test('of a newer release are reported', async () => {
    write('20260101000000_first', 'SELECT 1;');
    write('20260102000000_later', 'SELECT 2;');
    await migrate(db.pool, folder);
    rmSync(path.join(folder, '20260102000000_later'), { recursive: true });
    expect(await migrate(db.pool, folder)).toEqual({ applied: [], unknown: ['20260102000000_later'] });
  });
});

describe('the product’s migrations', () => {
  test('are applied from a source folder, and Prisma finds nothing left to do', async () => {
    const { applied } = await migrate(db.pool);
    const folders = readdirSync(OURS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(applied).toEqual(folders.map((entry) => entry.name).sort());
    expect(await migrateByPrisma()).toEqual([]);
  });

  test('continue where Prisma stopped', async () => {
    expect((await migrateByPrisma()).length).toBeGreaterThan(0);
    expect(await migrate(db.pool)).toEqual({ applied: [], unknown: [] });
  });
});

/** Gives the names of what was applied. */
async function migrateByPrisma(): Promise<string[]> {
  const script = fileURLToPath(new URL('migrate-by-prisma.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, db.url, OURS]);
  return JSON.parse(stdout) as string[];
}
