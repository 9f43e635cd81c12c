import type { Tx } from '../database/transaction.ts';
import { type Json, toJsonText } from './json.ts';
import { nudgeAll } from './nudge.ts';

/** The roots whose changes are recorded; a child's change (NIC, job, copy of a network) is its root's. */
export type EntityType = 'VIRTUAL_MACHINE' | 'NETWORK' | 'BACKEND' | 'OPERATION';

/** One field's step. Dates and bigints are welcome: they are stored as JSON. */
export interface FieldStep {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What a transaction did to one entity. */
export interface EntityChange {
  readonly entityType: EntityType;
  /** The database id as text. */
  readonly entityId: string;
  /** The version that the change leads to, raised by exactly 1 under the entity's row lock in the same transaction. */
  readonly version: number;
  readonly changes: readonly FieldStep[];
  /** The values that lists filter by, before (null: it did not exist) and after (null: nobody may see it any more). */
  readonly before: object | null;
  readonly after: object | null;
  /** True when nothing but build progress moved: such changes may be coalesced on their way. */
  readonly isProgress?: boolean;
  readonly operationId?: string | null;
  /** Why, for people: the job, the report, the reconciliation. */
  readonly cause?: string | null;
}

/** The part of a transaction that is needed here. */
export type AppendTx = Pick<Tx, 'query' | 'afterCommit'>;

const INSERT = `
  INSERT INTO "Change" ("entityType", "entityId", "version", "changes", "before", "after", "isProgress", "operationId", "cause")
  VALUES ($1::"EntityType", $2, $3, $4::jsonb, $5::jsonb, $6::jsonb, $7, $8::uuid, $9)`;

/** One hook for each transaction, however many changes it appends. */
const hooked = new WeakSet<AppendTx>();

/**
 * Records a change of an entity: it is in history and reaches every subscriber once `tx` has been committed.
 * The versions of an entity have no holes, or else a replay over the hole is answered with RESYNC.
 */
export async function appendChange(tx: AppendTx, change: EntityChange): Promise<void> {
  await tx.query(INSERT, [
    change.entityType,
    change.entityId,
    change.version,
    toJsonText(change.changes.map(({ field, from, to }) => ({ field, from: from ?? null, to: to ?? null }))),
    orNull(change.before),
    orNull(change.after),
    change.isProgress ?? false,
    change.operationId ?? null,
    change.cause?.replaceAll('\0', '\uFFFD') ?? null,
  ]);
  if (hooked.has(tx)) return;
  hooked.add(tx);
  tx.afterCommit(nudgeAll);
}

/** SQL's null, not JSON's: "it did not exist" is asked with IS NULL. */
function orNull(attributes: Json | object | null): string | null {
  return attributes === null ? null : toJsonText(attributes);
}
