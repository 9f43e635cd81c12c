import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { inTransaction, type Tx } from '../database/transaction.ts';
import { type ClaimRequest, claimsToInsert, findConflicts } from './claims.rules.ts';
import { asBusy, deleteDeadClaims, readClaims, takeLocks } from './claims.store.ts';
import type { ResourceKey } from './resource-key.ts';
import { type ClaimMode, ResourceBusy } from './user-error.ts';

/** How long a claim stands when its holder no longer renews it. */
export const TRANSIENT_TTL_MS = 60_000;
/** A third of the TTL: two renewals may fail before the claim is given away. */
export const RENEWAL_MS = 20_000;

/** The claim was lost while the block ran: its replica's session broke, or a renewal came too late. */
export class ClaimLost extends Error {
  constructor(resources: readonly string[]) {
    super(`Transient claim lost: ${resources.join(', ')}.`);
    this.name = 'ClaimLost';
  }
}

/** What the running request holds, shared by everything that it awaits. */
interface HeldClaims {
  readonly requestId: string;
  /** The keys of its transient claims. */
  readonly modes: ReadonlyMap<ResourceKey, ClaimMode>;
  /** Their fences: a block that reuses a claim is guarded by it like the block that took it. */
  readonly fences: readonly bigint[];
  /** Aborted when one of them is lost, or the block that took it has ended; null while there is none. */
  readonly signal: AbortSignal | null;
  /** Operations whose claims count as the request's own. */
  readonly operations: ReadonlySet<string>;
  /** Blocks within that have not ended. */
  running: number;
}

const held = new AsyncLocalStorage<HeldClaims>();

/** The operations whose claims do not stand in the way of what runs now. */
export function adoptedOperations(): ReadonlySet<string> {
  return held.getStore()?.operations ?? new Set();
}

/**
 * An operation outlives the block that admits it and needs claims of its own; what the block holds cannot become them.
 * No order of requests could ever satisfy it: a programming error, not a Busy.
 */
export function refuseHandingOver(wanted: ClaimRequest): void {
  for (const [resource, mode] of wanted) {
    const own = held.getStore()?.modes.get(resource);
    if (own === undefined || (own === 'SHARED' && mode === 'SHARED')) continue;
    throw new Error(`${resource} is held ${own} by the block around, which ends before an operation on it does.`);
  }
}

/** Runs `fn` as the worker of an operation: what it claims within is not refused because of the operation's own claims. */
export async function asOperation<T>(operationId: string, fn: () => Promise<T>): Promise<T> {
  const outer = held.getStore();
  const frame: HeldClaims = {
    requestId: outer?.requestId ?? randomUUID(),
    modes: outer?.modes ?? new Map(),
    fences: outer?.fences ?? [],
    signal: outer?.signal ?? null,
    operations: new Set([...(outer?.operations ?? []), operationId]),
    running: 0,
  };
  return countedBy(outer, () => runIn(frame, fn));
}

export interface TransientOptions {
  readonly bootId: string;
  /** Aborted when the replica's session, and with it its claims, is lost. */
  readonly session: AbortSignal;
  readonly ttlMs?: number;
  readonly renewalMs?: number;
  /** Told when a constraint of the table had to stop what the locks let through. */
  readonly logger?: Pick<Logger, 'error'>;
}

/** Given to the block: the signal to stop at, and the guard for each write that the claim protects. */
export interface ClaimGrant {
  readonly signal: AbortSignal;
  /** Proves inside a transaction that the claim still stands, by its fence. @throws ClaimLost */
  assertHeld(tx: Tx): Promise<void>;
}

/**
 * Holds claims for the time of `fn`: short work that is not a job. Refused at once, never waited for; renewed while
 * `fn` runs; gone with the block, or, when the process dies, with its session.
 *
 * Re-entrant: keys that a block around holds already are reused (EXCLUSIVE covers SHARED). SHARED to EXCLUSIVE inside
 * one's own block throws, since no other request's end could ever satisfy it. Blocks side by side within one block
 * share what that one holds, and conflict in what they take themselves. A block must not end before those within it.
 *
 * @throws ResourceBusy naming every conflict, none when the locks were not had in time
 * @throws ClaimLost when the replica's session, or a claim of a block around, is lost already
 */
export async function withClaims<T>(
  pool: Pool,
  wanted: ClaimRequest,
  options: TransientOptions,
  fn: (grant: ClaimGrant) => Promise<T>,
): Promise<T> {
  const outer = held.getStore();
  return countedBy(outer, async () => {
    const resources = [...wanted.keys()];
    if (options.session.aborted || outer?.signal?.aborted) throw new ClaimLost(resources);
    const missing = withoutHeld(wanted, outer);
    const requestId = outer?.requestId ?? randomUUID();
    const operations = outer?.operations ?? new Set<string>();
    const ttlMs = options.ttlMs ?? TRANSIENT_TTL_MS;
    const askedAt = performance.now();
    const taken = await insertTransient(pool, missing, requestId, operations, options, ttlMs);
    const lost = new AbortController();
    const lose = () => lost.abort(new ClaimLost(resources));
    const signal = AbortSignal.any([lost.signal, options.session, ...(outer?.signal ? [outer.signal] : [])]);
    const fences = [...(outer?.fences ?? []), ...taken.fences];
    const frame: HeldClaims = {
      requestId,
      modes: new Map([...(outer?.modes ?? []), ...taken.modes]),
      fences,
      signal,
      operations,
      running: 0,
    };
    const grant: ClaimGrant = {
      signal,
      async assertHeld(tx) {
        if (signal.aborted || (await lockFences(tx, fences)) < fences.length) throw new ClaimLost(resources);
      },
    };
    const stopRenewing = keepRenewed(pool, taken.fences, askedAt, ttlMs, options.renewalMs ?? RENEWAL_MS, lose);
    try {
      return await runIn(frame, () => fn(grant));
    } finally {
      stopRenewing();
      // For whatever was left running: it holds nothing any more.
      lose();
      await release(pool, taken.fences);
    }
  });
}

/** Counts a block as running within the one around it, from before its first wait. */
async function countedBy<T>(outer: HeldClaims | undefined, block: () => Promise<T>): Promise<T> {
  if (outer) outer.running += 1;
  try {
    return await block();
  } finally {
    if (outer) outer.running -= 1;
  }
}

async function runIn<T>(frame: HeldClaims, fn: () => Promise<T>): Promise<T> {
  const result = await held.run(frame, fn);
  if (frame.running > 0) throw new Error('A block that holds claims ended while blocks within it still run.');
  return result;
}

function withoutHeld(wanted: ClaimRequest, outer: HeldClaims | undefined): ClaimRequest {
  const missing = new Map(wanted);
  for (const [resource, mode] of wanted) {
    const own = outer?.modes.get(resource);
    if (own === undefined) continue;
    if (mode === 'EXCLUSIVE' && own === 'SHARED') {
      throw new Error(`${resource} is held SHARED by the block around; it cannot be raised to EXCLUSIVE.`);
    }
    missing.delete(resource);
  }
  return missing;
}

async function insertTransient(
  pool: Pool,
  wanted: ClaimRequest,
  requestId: string,
  operations: ReadonlySet<string>,
  options: TransientOptions,
  ttlMs: number,
): Promise<{ readonly modes: ClaimRequest; readonly fences: readonly bigint[] }> {
  if (wanted.size === 0) return { modes: wanted, fences: [] };
  try {
    return await inTransaction(pool, async (tx) => {
      const keys = [...wanted.keys()];
      await takeLocks(tx, wanted);
      await deleteDeadClaims(tx, keys);
      const active = await readClaims(tx, keys);
      const claimant = { ancestors: operations };
      const conflicts = findConflicts(wanted, active, claimant);
      if (conflicts.length > 0) throw new ResourceBusy(conflicts);
      const modes = claimsToInsert(wanted, active, claimant);
      const { rows } = await tx.query<{ fence: bigint }>(
        `INSERT INTO "Claim" ("resource", "mode", "holderReplicaId", "holderRequestId", "expiresAt")
         SELECT r, m::"ClaimMode", $3, $4, clock_timestamp() + $5 * interval '1 millisecond'
           FROM unnest($1::text[], $2::text[]) AS t(r, m) RETURNING "fence"`,
        [[...modes.keys()], [...modes.values()], options.bootId, requestId, ttlMs],
      );
      return { modes, fences: rows.map((row) => row.fence) };
    });
  } catch (error) {
    throw asBusy(options.logger, error);
  }
}

/**
 * Renews claims until told to stop, and tells when they are lost: one of them was gone, or none could be renewed for
 * the time that they stand, counted from before each request so that it never ends later than the database's own.
 */
function keepRenewed(
  pool: Pool,
  fences: readonly bigint[],
  takenAt: number,
  ttlMs: number,
  renewalMs: number,
  onLost: () => void,
): () => void {
  if (fences.length === 0) return () => undefined;
  let standsUntil = takenAt + ttlMs;
  const timer = setInterval(() => {
    const askedAt = performance.now();
    if (askedAt >= standsUntil) onLost();
    renew(pool, fences, ttlMs).then(
      (count) => {
        if (count < fences.length) onLost();
        else standsUntil = Math.max(standsUntil, askedAt + ttlMs);
      },
      // One failed renewal is no loss yet: the next one, or the fence, decides.
      () => undefined,
    );
  }, renewalMs);
  return () => clearInterval(timer);
}

/** What cannot be deleted now expires: nobody renews it any more. */
async function release(pool: Pool, fences: readonly bigint[]): Promise<void> {
  if (fences.length === 0) return;
  await pool.query('DELETE FROM "Claim" WHERE "fence" = ANY($1)', [fences]).catch(() => undefined);
}

/** @returns how many of the claims still stood and were renewed */
async function renew(pool: Pool, fences: readonly bigint[], ttlMs: number): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE "Claim" SET "expiresAt" = clock_timestamp() + $2 * interval '1 millisecond'
      WHERE "fence" = ANY($1) AND "expiresAt" > clock_timestamp()`,
    [fences, ttlMs],
  );
  return rowCount ?? 0;
}

/** Shared row locks: while the caller's transaction is open nobody can take the claims away. */
async function lockFences(tx: Tx, fences: readonly bigint[]): Promise<number> {
  if (fences.length === 0) return 0;
  const { rowCount } = await tx.query(
    `SELECT 1 FROM "Claim" WHERE "fence" = ANY($1) AND "expiresAt" > clock_timestamp() ORDER BY "id" FOR SHARE`,
    [fences],
  );
  return rowCount ?? 0;
}
