import type pg from 'pg';

/** How much of the record is kept: whichever of the two is less. */
export interface RetentionOptions {
  /** Default 24 h. */
  readonly maxAgeMs?: number;
  /** Default 1 000 000. */
  readonly maxRows?: number;
  /** Rows of one DELETE, default 5 000: some 50 ms, so that vacuum and replication keep up. */
  readonly batchRows?: number;
}

/** Any number that nothing else uses as an advisory lock. */
const LOCK = 4_816_297_301;

/*
 * One statement, so one transaction: a reader that no longer finds a change finds the mark that says so. The mark is the
 * highest transaction of which a change was removed; a cursor's snapshot that begins above has seen them all.
 * Replicas that prune at the same time find the lock taken and remove nothing.
 */
const prune = (doomed: string): string => `
  WITH leader AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${LOCK}) AS elected),
  doomed AS (
    DELETE FROM "Change" WHERE "id" IN (${doomed}) AND (SELECT elected FROM leader) RETURNING "xid"
  ), mark AS (
    INSERT INTO "ChangesPruned" ("id", "xid") SELECT 1, max("xid") FROM doomed HAVING count(*) > 0
    ON CONFLICT ("id") DO UPDATE SET "xid" = greatest("ChangesPruned"."xid", excluded."xid")
  )
  SELECT count(*)::int AS "pruned" FROM doomed`;

const OLD = prune(`
  SELECT "id" FROM "Change" WHERE "at" < clock_timestamp() - $1 * interval '1 millisecond' ORDER BY "at" LIMIT $2`);
const SUPERFLUOUS = prune(`SELECT "id" FROM "Change" WHERE "id" <= $1::bigint ORDER BY "id" LIMIT $2`);

/*
 * The newest row that is one too many. Ids have holes, so their span is at least the number of rows; only when it exceeds
 * the limit are they counted, on the primary key (0.1 s for a million).
 */
const NEWEST_SUPERFLUOUS = `
  SELECT "id"::text AS "newest" FROM "Change"
  WHERE (SELECT max("id") - min("id") FROM "Change") >= $1::bigint ORDER BY "id" DESC OFFSET $1 LIMIT 1`;

/**
 * Removes changes that are too old or too many, a batch at a time. Safe on any number of replicas at once.
 *
 * @param signal - ends it after the batch under way
 * @returns how many were removed
 */
export async function pruneChanges(
  pool: pg.Pool,
  options: RetentionOptions = {},
  signal?: AbortSignal,
): Promise<number> {
  const { maxAgeMs = 86_400_000, maxRows = 1_000_000, batchRows = 5_000 } = options;
  let total = await pruneAll(pool, OLD, maxAgeMs, batchRows, signal);
  const { rows } = await pool.query<{ newest: string }>(NEWEST_SUPERFLUOUS, [maxRows]);
  const [superfluous] = rows;
  if (superfluous) total += await pruneAll(pool, SUPERFLUOUS, superfluous.newest, batchRows, signal);
  return total;
}

async function pruneAll(
  pool: pg.Pool,
  statement: string,
  limit: number | string,
  batchRows: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let total = 0;
  for (let pruned = batchRows; pruned === batchRows && !signal?.aborted; total += pruned) {
    const { rows } = await pool.query<{ pruned: number }>(statement, [limit, batchRows]);
    pruned = rows[0]!.pruned;
  }
  return total;
}
