import type { Logger } from 'pino';
import { isLockFailure, sqlState, type Tx } from '../database/transaction.ts';
import type { ActiveClaim, ClaimRequest } from './claims.rules.ts';
import { lockNumber, type ResourceKey } from './resource-key.ts';
import { type ClaimMode, ResourceBusy } from './user-error.ts';

/** Advisory locks to take until the end of the transaction: EXCLUSIVE ones run one after the other. */
export type LockRequest = ReadonlyMap<ResourceKey, ClaimMode>;

/**
 * One statement each, ordered by the lock's number: by key text, two colliding keys could be taken in opposite order.
 * SHARED ones let admissions on one backend run side by side (3 200 against 1 210 a second, 6-claims section 3).
 */
export async function takeLocks(tx: Tx, locks: LockRequest): Promise<void> {
  const byNumber = new Map<bigint, ClaimMode>();
  for (const [resource, mode] of locks) {
    const number = lockNumber(resource);
    if (mode === 'EXCLUSIVE' || !byNumber.has(number)) byNumber.set(number, mode);
  }
  const ordered = [...byNumber].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const statements = ordered.map(
    ([number, mode]) => `SELECT pg_advisory_xact_lock${mode === 'SHARED' ? '_shared' : ''}(${number});`,
  );
  if (statements.length > 0) await tx.query(statements.join('\n'));
}

/**
 * Removes transient claims on the keys that have expired, or whose replica is dead: whoever can take the lock on a
 * boot id knows that its process is gone, since each replica holds it for its session. SHARED, so that two who ask at
 * once do not take each other for the holder. `clock_timestamp()`, since `now()` is the transaction's start, before the
 * wait for the locks. In the order of the ids: admissions that share keys SHARED meet here.
 */
export async function deleteDeadClaims(tx: Tx, resources: readonly ResourceKey[]): Promise<void> {
  await tx.query(
    `DELETE FROM "Claim" WHERE "id" IN (
       SELECT c."id" FROM "Claim" c
        WHERE c."resource" = ANY($1) AND c."operationId" IS NULL
          AND (c."expiresAt" <= clock_timestamp()
               OR pg_try_advisory_xact_lock_shared(hashtextextended('replica:' || c."holderReplicaId"::text, 0)))
        ORDER BY c."id" FOR UPDATE)`,
    [resources],
  );
}

export async function readClaims(tx: Tx, resources: readonly ResourceKey[]): Promise<ActiveClaim[]> {
  const { rows } = await tx.query<ActiveClaim>(
    `SELECT "resource", "mode", "operationId" FROM "Claim" WHERE "resource" = ANY($1)`,
    [resources],
  );
  return rows;
}

export async function insertOperationClaims(tx: Tx, operationId: string, claims: ClaimRequest): Promise<void> {
  if (claims.size === 0) return;
  await tx.query(
    `INSERT INTO "Claim" ("resource", "mode", "operationId")
     SELECT r, m::"ClaimMode", $3 FROM unnest($1::text[], $2::text[]) AS t(r, m)`,
    [[...claims.keys()], [...claims.values()], operationId],
  );
}

/** In the transaction that writes the terminal status, never elsewhere. */
export async function deleteOperationClaims(tx: Tx, operationId: string): Promise<void> {
  await tx.query(`DELETE FROM "Claim" WHERE "operationId" = $1`, [operationId]);
}

const UNIQUE_VIOLATION = '23505';
const EXCLUSION_VIOLATION = '23P01';

/** A lock not had in time, or the claims' last line of defence: the first is contention, the second a bug to be told. */
export function asBusy(logger: Pick<Logger, 'error'> | undefined, error: unknown): unknown {
  if (isLockFailure(error)) return new ResourceBusy([]);
  const state = sqlState(error);
  const constraint = (error as { constraint?: string }).constraint ?? '';
  if ((state === UNIQUE_VIOLATION || state === EXCLUSION_VIOLATION) && constraint.startsWith('Claim_')) {
    logger?.error({ err: error, alarm: 'claim-constraint' }, 'a claim constraint stopped what admission let through');
    return new ResourceBusy([]);
  }
  return error;
}
