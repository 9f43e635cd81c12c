import { maskSecrets } from '../observability/logger.ts';
import type { Environment } from '../operations/environment.ts';

/** Puts a job aside whose interpretation or application threw: it is tried again with back-off and shown in `health`. */
export async function setAside(env: Environment, backendId: number, jobId: number, error: unknown): Promise<void> {
  env.logger.error({ err: error, backendId, jobId }, 'a job was set aside');
  const message = maskSecrets(error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(
    0,
    1000,
  );
  await env.pool.query(
    `INSERT INTO "SetAsideJob" ("backendId", "jobId", "error", "nextTryAt") VALUES ($1, $2, $3, clock_timestamp() + interval '5 seconds')
     ON CONFLICT ("backendId", "jobId") DO UPDATE SET "error" = EXCLUDED."error", "tries" = "SetAsideJob"."tries" + 1,
       "nextTryAt" = clock_timestamp() + least(3600, 5 * power(2, "SetAsideJob"."tries")) * interval '1 second'`,
    [backendId, jobId, message],
  );
}

export async function clearSetAside(env: Environment, backendId: number, jobId: number): Promise<void> {
  await env.pool.query(`DELETE FROM "SetAsideJob" WHERE "backendId" = $1 AND "jobId" = $2`, [backendId, jobId]);
}

/** Jobs of a cluster whose next try is due. */
export async function dueSetAside(env: Environment, backendId: number): Promise<number[]> {
  const { rows } = await env.pool.query<{ jobId: bigint }>(
    `SELECT "jobId" FROM "SetAsideJob" WHERE "backendId" = $1 AND "nextTryAt" <= clock_timestamp() ORDER BY "jobId" LIMIT 10`,
    [backendId],
  );
  return rows.map((row) => Number(row.jobId));
}
