import { afterAll, afterEach, beforeAll } from 'vitest';
import { inTransaction } from '../../../src/database/transaction.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { Replica } from '../../../src/operations/replica.ts';
import { type ClaimGrant, type TransientOptions, withClaims } from '../../../src/operations/transient-claims.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import { type BareEnvironment, bareEnvironment, claims, storedClaims, type Wanted } from './world.ts';

export let db: TestDatabase;
export let env: BareEnvironment;
export let here: Replica;
export const logger = createLogger({ level: 'silent' });
const replicas: Replica[] = [];

export async function startReplica(): Promise<Replica> {
  const replica = new Replica(db.url, logger);
  replicas.push(replica);
  await replica.start();
  return replica;
}

beforeAll(async () => {
  db = await createTestDatabase({ max: 8 });
  env = await bareEnvironment(db);
  here = await startReplica();
});

afterEach(async () => {
  try {
    await expectNoClaims(db.pool);
  } finally {
    // One test's failure is not the next one's.
    await db.pool.query('DELETE FROM "Claim"');
  }
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await db.drop();
});

type Timing = Pick<TransientOptions, 'ttlMs' | 'renewalMs' | 'logger'>;

export function hold<T>(
  wanted: Wanted,
  fn: (grant: ClaimGrant) => Promise<T>,
  timing: Timing = {},
  replica: Replica = here,
): Promise<T> {
  return withClaims(db.pool, claims(wanted), { bootId: replica.bootId, session: replica.session, ...timing }, fn);
}

/** A block that lasts until it is told to end. */
export async function heldBlock(wanted: Wanted, timing: Timing = {}, replica: Replica = here) {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let block: Promise<void> = Promise.resolve();
  const grant = await new Promise<ClaimGrant>((resolve, reject) => {
    block = hold(
      wanted,
      async (granted) => {
        resolve(granted);
        await finished;
      },
      timing,
      replica,
    );
    block.catch(reject);
  });
  return {
    grant,
    end: () => {
      finish();
      return block;
    },
  };
}

export const isHeld = (grant: ClaimGrant): Promise<void> => inTransaction(db.pool, (tx) => grant.assertHeld(tx));
export const names = async () => (await storedClaims(db.pool)).map(({ resource, mode }) => `${resource} ${mode}`);

export async function expiryOf(resource: string): Promise<number> {
  const { rows } = await db.pool.query<{ expiresAt: Date }>(`SELECT "expiresAt" FROM "Claim" WHERE "resource" = $1`, [
    resource,
  ]);
  return rows[0]?.expiresAt.getTime() ?? 0;
}

/** Aborted already, or soon. */
export const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));

/** Ends a replica's session as a crash does. */
export async function killSession(replica: Replica): Promise<void> {
  await db.pool.query(
    `SELECT pg_terminate_backend(l.pid) FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
        AND (l.classid::bigint << 32) | l.objid::bigint = hashtextextended('replica:' || $1::text, 0)`,
    [replica.bootId],
  );
}
