import type { Pool } from 'pg';

/** How far an operation is: its version, and whether it has ended; null when there is none. */
export async function readOperationProgress(
  pool: Pool,
  operationId: string,
): Promise<{ version: number; isFinal: boolean } | null> {
  const { rows } = await pool.query<{ version: number; isFinal: boolean }>(
    `SELECT "version", "finalizedAt" IS NOT NULL AS "isFinal" FROM "Operation" WHERE "id" = $1`,
    [operationId],
  );
  return rows[0] ?? null;
}
