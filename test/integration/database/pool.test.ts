import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../../src/database/pool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase({ empty: true });
});
afterAll(() => db.drop());

describe('values from the pool', () => {
  const cases: [sql: string, value: unknown][] = [
    ['9007199254740993::int8', 9007199254740993n],
    ['ARRAY[1, NULL]::int8[]', [1n, null]],
    ['7::int4', 7],
    [`'12345678901234567890'::xid8`, '12345678901234567890'],
    ['1.10::numeric', '1.10'],
    [`'2026-11-30 12:00:00.123456+02'::timestamptz`, new Date('2026-11-30T10:00:00.123Z')],
    [`'2026-11-30 12:00:00'::timestamp`, new Date('2026-11-30T12:00:00Z')],
    [`'{"a": [1, null]}'::jsonb`, { a: [1, null] }],
    ['true', true],
    ['NULL::int8', null],
  ];
  test.each(cases)('%s', async (sql, value) => {
    const { rows } = await db.pool.query(`SELECT ${sql} AS value`);
    expect(rows[0]).toEqual({ value });
  });
});

test('a connection states its name and its limits', async () => {
  const pool = createPool(db.url, { max: 1, applicationName: 'the-name', statementTimeoutMs: 1_234 });
  const setting = async (name: string) =>
    (await pool.query('SELECT current_setting($1) AS value', [name])).rows[0]?.value;
  expect(await setting('application_name')).toBe('the-name');
  expect(await setting('statement_timeout')).toBe('1234ms');
  expect(await setting('idle_in_transaction_session_timeout')).toBe('15s');
  await pool.end();
});

test('idle and busy connections may be cut; the pool goes on', async () => {
  const errors: Error[] = [];
  const pool = createPool(db.url, { max: 2, onError: (error) => errors.push(error) });
  const busy = await pool.connect();
  const idle = await pool.connect();
  const pids = await Promise.all(
    [busy, idle].map(async (c) => (await c.query('SELECT pg_backend_pid() AS pid')).rows[0].pid),
  );
  idle.release();
  const ended = new Promise((resolve) => busy.once('end', resolve));
  await db.pool.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
  await ended;
  await expect(busy.query('SELECT 1')).rejects.toThrow();
  busy.release(true);
  await expect.poll(() => errors.length).toBe(1);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('Prisma reads and writes on the same pool', async () => {
  const [row] = await db.prisma.$queryRaw<{ version: bigint; name: string }[]>`
    SELECT 3::int8 AS version, current_setting('application_name') AS name`;
  expect(row).toEqual({ version: 3n, name: 'ganeti-graphql' });
  expect(db.pool.totalCount).toBeGreaterThan(0);
  await db.prisma.$disconnect();
  expect(db.pool.ended).toBe(false);
});
