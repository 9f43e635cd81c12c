import type { Queryable } from '../database/pool.ts';
import type { EntityType } from './append.ts';
import { baseOf, type ListCursor } from './cursor.ts';
import { type ChangeRecord, RECORD_COLUMNS, type RecordRow, toRecord } from './record.ts';
import { parseSnapshot, type Snapshot } from './snapshot.ts';

/** Rows of one answer: 500 of 1 kB are read in about 10 ms, and a batch of any size passes through in bounded memory. */
const PAGE_ROWS = 500;

/** A portion of the record, and how the database stood when it was read. */
export interface Page {
  /** The statement's own snapshot; the page is of what it sees, or of less when `upTo` was given. */
  readonly snapshot: Snapshot;
  /** The database's clock. */
  readonly now: Date;
  /** The highest transaction of which a change has been pruned. */
  readonly prunedXid: bigint | null;
  /** By id, which is by version within an entity: both are drawn under its row lock. */
  readonly records: readonly ChangeRecord[];
  readonly isLast: boolean;
}

/** Where in a batch to read on: the batch's snapshot, and the id of the last change read. */
export interface Continuation {
  readonly upTo: Snapshot;
  readonly afterId: bigint;
}

/*
 * Not visible in snapshot $1:$2 (its xmax and its transactions under way): exactly these, not "from xmin on", so that one
 * forgotten open transaction does not have everything since read again and again.
 * One statement has one snapshot, so what it returns as `snapshot` is what it saw. A LIMIT alone would lose rows; the
 * next page is read with the first one's snapshot as upper bound, from the last id on.
 * `"id" + 0`: ordered by the primary key's index with a LIMIT, the planner walks the whole record from its oldest row.
 */
const NOT_VISIBLE = `(c."xid" >= $1::xid8 OR c."xid" = ANY($2::xid8[]))`;
const IN_BATCH = `c."id" > $3::bigint AND ($4::text IS NULL OR pg_visible_in_snapshot(c."xid", $4::text::pg_snapshot))`;
const page = (where: string): string => `
  SELECT pg_current_snapshot()::text AS "snapshot", clock_timestamp() AS "now",
         (SELECT p."xid"::text FROM "ChangesPruned" p) AS "prunedXid", r.*
  FROM (VALUES (1)) AS always LEFT JOIN (
    SELECT ${RECORD_COLUMNS} FROM "Change" c WHERE ${where} ORDER BY c."id" + 0 LIMIT ${PAGE_ROWS}
  ) r ON true ORDER BY r."id"::bigint`;

const NEW = page(`${NOT_VISIBLE} AND ${IN_BATCH}`);

const MISSED = page(`c."entityType" = $5::"EntityType" AND ${IN_BATCH} AND (
  c."id" = ANY($8::bigint[]) OR ${NOT_VISIBLE} AND NOT EXISTS (
    SELECT FROM unnest($6::text[], $7::bigint[]) AS covered(snapshot, id)
    WHERE c."id" <= covered.id AND pg_visible_in_snapshot(c."xid", covered.snapshot::pg_snapshot)))`);

/** A page of what has been committed since `since`, of every entity. */
export async function readNew(db: Queryable, since: Snapshot, continuation: Continuation | null): Promise<Page> {
  const { rows } = await db.query<PageRow>(NEW, [...notVisibleIn(since), ...inBatch(continuation)]);
  return toPage(rows);
}

/** A page of what the holder of a list's cursor has missed. */
export async function readMissed(db: Queryable, cursor: ListCursor, continuation: Continuation | null): Promise<Page> {
  const { rows } = await db.query<PageRow>(MISSED, [
    ...notVisibleIn(baseOf(cursor.covered)),
    ...inBatch(continuation),
    cursor.entityType,
    cursor.covered.map(({ snapshot }) => snapshot.text),
    cursor.covered.map(({ throughId }) => (throughId ?? LARGEST_ID).toString()),
    cursor.held.map(String),
  ]);
  return toPage(rows);
}

const LARGEST_ID = 2n ** 63n - 1n;

const OF_ENTITY = `
  SELECT ${RECORD_COLUMNS} FROM "Change" c
  WHERE c."entityType" = $1::"EntityType" AND c."entityId" = $2 AND c."version" > $3 ORDER BY c."version" LIMIT ${PAGE_ROWS}`;

/** A page of one entity's changes above a version, in order. */
export async function readEntity(
  db: Queryable,
  entity: { readonly entityType: EntityType; readonly entityId: string },
  aboveVersion: number,
): Promise<Pick<Page, 'records' | 'isLast'>> {
  const { rows } = await db.query<RecordRow>(OF_ENTITY, [entity.entityType, entity.entityId, aboveVersion]);
  return { records: rows.map(toRecord), isLast: rows.length < PAGE_ROWS };
}

const OVERLAP = `
  SELECT pg_current_snapshot()::text AS "snapshot", r.*
  FROM (VALUES (1)) AS always LEFT JOIN (
    SELECT c."entityId", max(c."version") AS "version"
    FROM "Change" c JOIN unnest($4::text[], $5::int[]) AS member(id, version)
      ON member.id = c."entityId" AND c."version" <= member.version
    WHERE c."entityType" = $3::"EntityType" AND ${NOT_VISIBLE}
    GROUP BY c."entityId"
  ) r ON true`;

/**
 * Which members of a list already show a change that `since` does not see, and up to which version: what was committed
 * between that snapshot and the look at the members. With it, the snapshot of the look back.
 */
export async function readOverlap(
  db: Queryable,
  entityType: EntityType,
  since: Snapshot,
  members: readonly { readonly entityId: string; readonly version: number }[],
): Promise<{ readonly snapshot: Snapshot; readonly known: ReadonlyMap<string, number> }> {
  const { rows } = await db.query<{ snapshot: string; entityId: string | null; version: number }>(OVERLAP, [
    ...notVisibleIn(since),
    entityType,
    members.map(({ entityId }) => entityId),
    members.map(({ version }) => version),
  ]);
  const known = rows.flatMap((row) => (row.entityId === null ? [] : [[row.entityId, row.version] as const]));
  return { snapshot: parseSnapshot(rows[0]!.snapshot), known: new Map(known) };
}

/** The present snapshot and the database's clock. */
export async function readSnapshot(db: Queryable): Promise<{ readonly snapshot: Snapshot; readonly now: Date }> {
  const { rows } = await db.query<{ snapshot: string; now: Date }>(
    'SELECT pg_current_snapshot()::text AS "snapshot", clock_timestamp() AS "now"',
  );
  return { snapshot: parseSnapshot(rows[0]!.snapshot), now: rows[0]!.now };
}

type PageRow = { snapshot: string; now: Date; prunedXid: string | null } & (RecordRow | { id: null });

function toPage(rows: readonly PageRow[]): Page {
  const { snapshot, now, prunedXid } = rows[0]!;
  const records = rows.flatMap((row) => (row.id === null ? [] : [toRecord(row)]));
  return {
    snapshot: parseSnapshot(snapshot),
    now,
    prunedXid: prunedXid === null ? null : BigInt(prunedXid),
    records,
    isLast: records.length < PAGE_ROWS,
  };
}

function notVisibleIn(snapshot: Snapshot): [string, string[]] {
  return [snapshot.xmax.toString(), [...snapshot.xip].map(String)];
}

function inBatch(continuation: Continuation | null): [string, string | null] {
  return [(continuation?.afterId ?? 0n).toString(), continuation?.upTo.text ?? null];
}
