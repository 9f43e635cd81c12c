import type { EntityType } from './append.ts';
import type { FieldChange } from './event.ts';
import { freezeJson, type Json } from './json.ts';

/** A row of the append-only record, read and frozen. */
export interface ChangeRecord {
  readonly id: bigint;
  /** The transaction that wrote it. */
  readonly xid: bigint;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly version: number;
  readonly changes: readonly FieldChange[];
  readonly before: Json | null;
  readonly after: Json | null;
  readonly isProgress: boolean;
  readonly operationId: string | null;
  readonly cause: string | null;
  readonly at: Date;
}

/** The columns of `"Change" c` that {@link toRecord} reads. 64-bit ones as text, whatever the client's type parsers are. */
export const RECORD_COLUMNS = `c."id"::text AS "id", c."xid"::text AS "xid", c."entityType"::text AS "entityType", c."entityId",
  c."version", c."changes", c."before", c."after", c."isProgress", c."operationId"::text AS "operationId", c."cause", c."at"`;

/** As the driver gives it. */
export type RecordRow = { [Key in keyof ChangeRecord]: ChangeRecord[Key] extends bigint ? string : ChangeRecord[Key] };

export function toRecord(row: RecordRow): ChangeRecord {
  return {
    id: BigInt(row.id),
    xid: BigInt(row.xid),
    entityType: row.entityType,
    entityId: row.entityId,
    version: row.version,
    changes: freezeJson(row.changes as unknown as Json) as unknown as readonly FieldChange[],
    before: freezeJson(row.before),
    after: freezeJson(row.after),
    isProgress: row.isProgress,
    operationId: row.operationId,
    cause: row.cause,
    at: row.at,
  };
}

/** Names an entity, and the topic of its changes. */
export function entityKey(entityType: EntityType, entityId: string): string {
  return `${entityType}:${entityId}`;
}

/**
 * One progress change in place of two, of the same entity and in this order: each field's step from the first value to
 * the last, everything else as in the later one.
 */
export function mergeProgress(earlier: ChangeRecord, later: ChangeRecord): ChangeRecord {
  const steps = new Map(earlier.changes.map((step) => [step.field, step]));
  for (const step of later.changes) {
    const first = steps.get(step.field);
    steps.set(step.field, first ? Object.freeze({ ...step, from: first.from }) : step);
  }
  return { ...later, changes: Object.freeze([...steps.values()]), before: earlier.before };
}
