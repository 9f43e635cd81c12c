import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import type { Queryable } from '../../../src/database/pool.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import type { Checkpoint } from '../../../src/dispatcher/checkpoint.ts';
import { createVirtualMachine } from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { type AdmissionPlan, type Admitted, admit } from '../../../src/operations/admit.ts';
import { type ClaimRequest, claimRequest } from '../../../src/operations/claims.rules.ts';
import { deleteOperationClaims } from '../../../src/operations/claims.store.ts';
import type { Environment } from '../../../src/operations/environment.ts';
import { type ResourceKey, resourceKey } from '../../../src/operations/resource-key.ts';
import { type ClaimMode, ResourceBusy } from '../../../src/operations/user-error.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { TestEnvironment } from '../../support/environment.ts';

export type Wanted = readonly (readonly [ResourceKey, ClaimMode])[];

/** A claim as the table holds it, with what it belongs to. */
export interface StoredClaim {
  readonly resource: string;
  readonly mode: ClaimMode;
  readonly operationId: string | null;
}

export async function storedClaims(on: Queryable): Promise<StoredClaim[]> {
  const { rows } = await on.query<StoredClaim>(
    `SELECT "resource", "mode", "operationId" FROM "Claim" ORDER BY "resource", "id"`,
  );
  return rows;
}

/** An operation's claims, as `resource mode` with the mode's first letter. */
export async function claimsOf(on: Queryable, operationId: string): Promise<string[]> {
  return (await storedClaims(on))
    .filter((claim) => claim.operationId === operationId)
    .map((claim) => `${claim.resource} ${claim.mode === 'EXCLUSIVE' ? 'X' : 'S'}`)
    .sort();
}

const TABLES = [
  'Operation',
  'OperationJob',
  'Claim',
  'Address',
  'VirtualMachine',
  'NetworkInterface',
  'Network',
  'BackendNetwork',
  'Diagnostic',
  'Change',
] as const;

/**
 * What is stored, every row and value of it: two equal fingerprints mean that nothing was left behind. Without what
 * the dispatcher notes of clusters and machines by itself.
 */
export async function fingerprint(on: Queryable): Promise<Record<string, string>> {
  const prints: Record<string, string> = {};
  for (const table of TABLES) {
    const { rows } = await on.query<{
      row: string;
    }>(`SELECT r::text AS row FROM (SELECT to_jsonb(t) - 'observedAt' AS r FROM "${table}" t) AS rows
        WHERE r->>'entityType' IS DISTINCT FROM 'BACKEND' ORDER BY r::text`);
    prints[table] = `${rows.length} rows, ${createHash('sha256').update(JSON.stringify(rows)).digest('hex')}`;
  }
  return prints;
}

/** The error that a promise fails with; fails the test when it does not. */
export async function refusal<E extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  const error = await promise.then(
    () => expect.fail(`expected ${kind.name}, but it was admitted`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(kind);
  return error as E;
}

/**
 * Does what a client does on "too many requests at once; try again": a slow machine's admissions may wait for a hot
 * lock in vain, which is contention and no answer yet.
 */
export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ResourceBusy) || error.conflicts.length > 0) throw error;
    }
  }
}

/** Sorts what `Promise.allSettled` gives. */
export function outcomes<T>(settled: readonly PromiseSettledResult<T>[]): { won: T[]; lost: unknown[] } {
  return {
    won: settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    lost: settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])),
  };
}

/** Waits until `probe` is true; the test's own time limit ends a wait in vain. */
export async function until(probe: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await probe())) await sleep(10);
}

/** What admissions and short requests need, without a cluster; operations on it stay open until {@link end}. */
export interface BareEnvironment extends Environment {
  readonly log: readonly string[];
  readonly backendId: number;
}

export async function bareEnvironment(db: TestDatabase, pool: pg.Pool = db.pool): Promise<BareEnvironment> {
  const log: string[] = [];
  const { rows } = await db.pool.query<{ id: number }>(
    `INSERT INTO "Backend" ("name", "username", "passwordCipher", "clusterName", "clusterUuid", "hypervisor", "softwareVersion")
     VALUES ($1, 'u', 'c', 'cluster', $1, 'fake', '3.0.2') RETURNING "id"`,
    [randomUUID()],
  );
  const needed = {
    pool,
    logger: createLogger({ level: 'debug', destination: { write: (line: string) => void log.push(line) } }),
    settings: { ganetiDryRun: false },
    wake: () => undefined,
    log,
    backendId: (rows[0] as { id: number }).id,
  };
  // The rest is not reached without a cluster.
  return needed as unknown as BareEnvironment;
}

export interface BareRequest {
  readonly wanted: Wanted;
  readonly idempotencyKey?: string;
  readonly input?: object;
  readonly parentOperationId?: string;
  readonly prepare?: AdmissionPlan['prepare'];
}

/** Admits an operation of one step that nobody sends. */
export function admitBare(env: BareEnvironment, request: BareRequest): Promise<Admitted> {
  return admit(env, LOCAL_ADMIN, {
    kind: 'test',
    input: request.input ?? {},
    idempotencyKey: request.idempotencyKey,
    parentOperationId: request.parentOperationId,
    describe: async () => ({
      claims: claims(request.wanted),
      locks: [],
      prepare: async (tx, operationId) => {
        await request.prepare?.(tx, operationId);
        return { steps: [{ role: 'job', opcode: 'OP_TEST_DELAY', backendId: env.backendId }] };
      },
    }),
  });
}

export function claims(wanted: Wanted): ClaimRequest {
  return claimRequest(wanted);
}

/** Keys that nothing else uses: `key(1)` is a machine that is not there. */
export const key = (id: number): ResourceKey => resourceKey.virtualMachine(1_000_000 + id);

/** Ends an operation as its last event does: the status and the claims in one transaction. */
export async function end(on: pg.Pool, operationId: string, status: 'SUCCESS' | 'ERROR' = 'SUCCESS'): Promise<void> {
  await inTransaction(on, async (tx) => {
    await tx.query(
      `UPDATE "Operation" SET "status" = $2::"OperationStatus", "finalizedAt" = clock_timestamp() WHERE "id" = $1`,
      [operationId, status],
    );
    await tx.query(`UPDATE "OperationJob" SET "state" = 'DONE' WHERE "operationId" = $1`, [operationId]);
    await deleteOperationClaims(tx, operationId);
  });
}

export function build(
  env: Environment & Pick<TestEnvironment, 'ids'>,
  name: string,
  more: object = {},
): Promise<Admitted> {
  return createVirtualMachine(env, LOCAL_ADMIN, {
    name,
    flavorId: env.ids.flavorId,
    imageId: env.ids.imageId,
    start: true,
    networks: [{ networkId: env.ids.networkId }],
    ...more,
  });
}

/** Puts a machine into the store as if it had been built; the cluster does not know it. */
export async function storeMachine(env: TestEnvironment, name: string, operState: 'STOPPED' | 'STARTED' | 'ERROR') {
  const { rows } = await env.pool.query<{ id: number }>(
    `INSERT INTO "VirtualMachine" ("name", "ganetiName", "ownerId", "backendId", "flavorId", "imageId", "operState")
     VALUES ($1, 'snf-stored-' || $1, $2, $3, $4, $5, $6::"OperState") RETURNING "id"`,
    [name, LOCAL_ADMIN.id, env.ids.backendId, env.ids.flavorId, env.ids.imageId, operState],
  );
  return (rows[0] as { id: number }).id;
}

/** A checkpoint that holds submissions of some opcodes back, once they are recorded as being sent, until it is opened. */
export function gate(...opcodes: string[]): { readonly checkpoint: Checkpoint; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    checkpoint: (name, opcode) => (name === 'sending-recorded' && opcodes.includes(opcode) ? opened : undefined),
    open: () => open(),
  };
}

/** A session of its own that holds advisory locks until it is told to let go. */
export async function holdLock(db: TestDatabase, lockNumber: bigint) {
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(${lockNumber})`);
  return {
    /** Resolves when this many sessions wait for some advisory lock. */
    waiters: (count: number) =>
      until(async () => {
        const { rows } = await client.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return (rows[0]?.n ?? 0) >= count;
      }),
    release: () => client.end(),
  };
}

/** How many deadlocks the server broke in this database: known for sure once the sessions in question have ended. */
export async function deadlocksSeen(db: TestDatabase): Promise<number> {
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  const { rows } = await client.query<{ deadlocks: string }>(
    `SELECT "deadlocks" FROM pg_stat_database WHERE datname = current_database()`,
  );
  await client.end();
  return Number(rows[0]?.deadlocks);
}
