import type { Pool } from 'pg';
import type { Parameter, SqlCondition } from '../../graphql/sql-condition.ts';

/** The machine's version; null when there is none. */
export async function readMachineVersion(pool: Pool, id: number): Promise<number | null> {
  const { rows } = await pool.query<{ version: number }>(`SELECT "version" FROM "VirtualMachine" WHERE "id" = $1`, [
    id,
  ]);
  return rows[0]?.version ?? null;
}

/** Ids and versions of the machines that meet all conditions, at most `limit`. */
export async function readMembers(
  pool: Pool,
  conditions: readonly SqlCondition[],
  limit: number,
): Promise<{ entityId: string; version: number }[]> {
  const values: unknown[] = [];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const where = conditions.map((condition) => condition(parameter)).join(' AND ') || 'true';
  const { rows } = await pool.query<{ entityId: string; version: number }>(
    `SELECT t."id"::text AS "entityId", t."version" FROM "VirtualMachine" t WHERE ${where}
      ORDER BY t."id" LIMIT ${parameter(limit)}`,
    values,
  );
  return rows;
}
