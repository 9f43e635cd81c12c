import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool } from '../../../src/database/pool.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { Replica } from '../../../src/operations/replica.ts';
import { withClaims } from '../../../src/operations/transient-claims.ts';
import { type ClaimMode, ResourceBusy } from '../../../src/operations/user-error.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import { admitBare, type BareEnvironment, bareEnvironment, claims, deadlocksSeen, end, key } from './world.ts';

const REQUESTS = 600;
const AT_ONCE = 24;
const KEYS = 9;

let db: TestDatabase;
/** Two replicas with a session and a small pool each; ended by the test, so that their statistics are complete. */
const replicas: { pool: pg.Pool; replica: Replica; env: BareEnvironment }[] = [];

beforeAll(async () => {
  db = await createTestDatabase({ max: 3 });
  for (let at = 0; at < 2; at += 1) {
    const pool = createPool(db.url, { max: 6 });
    const replica = new Replica(db.url, createLogger({ level: 'silent' }));
    await replica.start();
    replicas.push({ pool, replica, env: await bareEnvironment(db, pool) });
  }
});

afterAll(async () => {
  for (const { pool, replica } of replicas) {
    await replica.close();
    if (!pool.ended) await pool.end();
  }
  await db.drop();
});

interface Request {
  readonly wanted: [number, ClaimMode][];
  readonly isOperation: boolean;
  readonly nested: [number, ClaimMode][];
  readonly lastsMs: number;
}

const wanted = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 1, max: KEYS }), fc.constantFrom<ClaimMode>('SHARED', 'SHARED', 'EXCLUSIVE')),
  { minLength: 1, maxLength: 4, selector: ([at]) => at },
);
const request: fc.Arbitrary<Request> = fc.record({
  wanted,
  isOperation: fc.boolean(),
  nested: fc.oneof({ weight: 3, arbitrary: fc.constant<[number, ClaimMode][]>([]) }, wanted),
  lastsMs: fc.integer({ min: 0, max: 12 }),
});

/** Who believes to hold what: entered after the grant, left before the release, so any overlap here is real. */
class Ledger {
  readonly #holders = new Map<number, Map<object, ClaimMode>>();
  readonly overlaps: string[] = [];
  most = 0;

  enter(who: object, keys: readonly [number, ClaimMode][]): void {
    for (const [at, mode] of keys) {
      const holders = this.#holders.get(at) ?? new Map<object, ClaimMode>();
      this.#holders.set(at, holders);
      for (const [other, theirs] of holders) {
        if (other !== who && (mode === 'EXCLUSIVE' || theirs === 'EXCLUSIVE'))
          this.overlaps.push(`${at}: ${mode} beside ${theirs}`);
      }
      holders.set(who, mode);
      this.most = Math.max(this.most, holders.size);
    }
  }

  leave(who: object, keys: readonly [number, ClaimMode][]): void {
    for (const [at] of keys) this.#holders.get(at)?.delete(who);
  }
}

it(`${REQUESTS} requests with random overlapping keys: no deadlock, never two claims in conflict, nothing left`, async () => {
  const ledger = new Ledger();
  const asKeys = (keys: Request['wanted']) => keys.map(([at, mode]) => [key(at), mode] as const);
  let granted = 0;
  let refused = 0;
  const unexpected: unknown[] = [];

  const short = (
    { pool, replica }: (typeof replicas)[number],
    who: object,
    keys: Request['wanted'],
    inner: () => Promise<unknown>,
  ) =>
    withClaims(pool, claims(asKeys(keys)), { bootId: replica.bootId, session: replica.session }, async () => {
      ledger.enter(who, keys);
      try {
        await inner();
      } finally {
        ledger.leave(who, keys);
      }
    });

  const run = async (wish: Request, at: number): Promise<void> => {
    const here = replicas[at % replicas.length] as (typeof replicas)[number];
    const who = {};
    const work = async () => {
      granted += 1;
      await sleep(wish.lastsMs);
    };
    if (wish.isOperation) {
      const { operationId } = await admitBare(here.env, { wanted: asKeys(wish.wanted) });
      ledger.enter(who, wish.wanted);
      await work();
      ledger.leave(who, wish.wanted);
      return end(here.pool, operationId);
    }
    // What the block around holds SHARED is not asked for EXCLUSIVE within: that is a programming error.
    const outer = new Map(wish.wanted);
    const nested = wish.nested.filter(([each]) => !outer.has(each));
    await short(here, who, wish.wanted, () => (nested.length === 0 ? work() : short(here, who, nested, work)));
  };

  const wishes = fc.sample(request, { numRuns: REQUESTS, seed: Number(process.env['FC_SEED'] ?? 20_261_130) });
  let next = 0;
  let isOver = false;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < wishes.length; at = next++) {
      await run(wishes[at] as Request, at).catch((error: unknown) => {
        if (error instanceof ResourceBusy && error.conflicts.length > 0) refused += 1;
        else unexpected.push(error);
      });
    }
  };
  const sampler = async (): Promise<void> => {
    while (!isOver) {
      const { rows } = await db.pool.query(
        `SELECT "resource", array_agg("mode") FROM "Claim" GROUP BY "resource"
         HAVING count(*) > 1 AND bool_or("mode" = 'EXCLUSIVE')`,
      );
      if (rows.length > 0) ledger.overlaps.push(JSON.stringify(rows));
      await sleep(20);
    }
  };
  const sampling = sampler();
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  isOver = true;
  await sampling;

  expect(unexpected).toEqual([]);
  expect(ledger.overlaps).toEqual([]);
  expect(granted + refused).toBe(REQUESTS);
  // It was no walk-over in either direction, and SHARED ones did stand side by side.
  expect(granted).toBeGreaterThan(REQUESTS / 20);
  expect(refused).toBeGreaterThan(REQUESTS / 20);
  expect(ledger.most).toBeGreaterThan(1);
  await expectNoClaims(db.pool);
  for (const { env } of replicas) expect(env.log.filter((line) => line.includes('claim-constraint'))).toEqual([]);
  await Promise.all(replicas.map(({ pool }) => pool.end()));
  expect(await deadlocksSeen(db)).toBe(0);
});
