import type { Pool } from 'pg';

/** A line of a Ganeti job's log. */
export interface LogLine {
  readonly serial: number;
  readonly step: number;
  readonly atUs: bigint;
  readonly message: string;
}

/** One step of an operation, whose lines are wanted. */
export interface LogOwner {
  readonly operationId: string;
  readonly step: number;
}

interface Row {
  position: number;
  serial: number;
  step: number;
  atUs: string;
  message: string;
}

/** The first `limit` log lines of each job, for a whole list of jobs in one statement. */
export async function readFirstLogLines(pool: Pool, owners: readonly LogOwner[], limit: number): Promise<LogLine[][]> {
  const { rows } = await pool.query<Row>(
    `SELECT o.position::int4 AS position, l."serial", l."step", l."atUs"::text AS "atUs", l."message"
       FROM unnest($1::uuid[], $2::int4[]) WITH ORDINALITY AS o(id, step, position)
       CROSS JOIN LATERAL (
         SELECT "serial", "step", "atUs", "message" FROM "OperationLogLine"
          WHERE "operationId" = o.id AND "step" = o.step ORDER BY "serial" LIMIT $3::int4) l`,
    [owners.map(({ operationId }) => operationId), owners.map(({ step }) => step), limit],
  );
  const lines = owners.map((): LogLine[] => []);
  for (const { position, atUs, ...line } of rows) lines[position - 1]?.push({ ...line, atUs: BigInt(atUs) });
  return lines;
}

/** Up to `limit` lines of all jobs of one operation behind a serial number, in order. */
export async function readLogLinesAfter(
  pool: Pool,
  operationId: string,
  afterSerial: number,
  limit: number,
): Promise<LogLine[]> {
  const { rows } = await pool.query<Row>(
    `SELECT "serial", "step", "atUs"::text AS "atUs", "message" FROM "OperationLogLine"
      WHERE "operationId" = $1 AND "serial" > $2 ORDER BY "serial" LIMIT $3`,
    [operationId, afterSerial, limit],
  );
  return rows.map(({ serial, step, atUs, message }) => ({ serial, step, atUs: BigInt(atUs), message }));
}
