import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { createPool, type Queryable } from '../../src/database/pool.ts';
import { createPrisma, type PrismaClient } from '../../src/database/prisma.ts';
import { TEMPLATE } from './global-setup.ts';

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
  /** Ends the pool and removes the database, also when something is still connected to it. */
  drop(): Promise<void>;
}

/**
 * A database of one's own with the product's schema: `beforeAll(async () => { db = await createTestDatabase() })`
 * and `afterAll(() => db.drop())`.
 *
 * @param options.empty - without the schema, for tests of the migrations
 */
export async function createTestDatabase(options: { max?: number; empty?: boolean } = {}): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${options.empty ? 'template0' : TEMPLATE}`);
  const url = new URL(inject('databaseServerUrl'));
  url.pathname = `/${name}`;
  const pool = createPool(url.href, { max: options.max ?? 10 });
  const prisma = createPrisma(pool);
  return {
    url: url.href,
    pool,
    prisma,
    drop: async () => {
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Asserts that nothing is claimed: whatever was done is finished, and let go of what it held. */
export async function expectNoClaims(db: Queryable): Promise<void> {
  const { rows } = await db.query('SELECT * FROM "Claim" LIMIT 20');
  expect(rows, 'claims left over').toEqual([]);
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseServerUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
