import type { Environment } from '../../operations/environment.ts';
import { isLoopbackUrl } from './loopback.rules.ts';

export interface ClusterHealth {
  readonly backendId: number;
  readonly name: string;
  readonly reachable: boolean;
  readonly lastSeenAt: Date | null;
  readonly lastError: string | null;
}

export interface SetAsideJobHealth {
  readonly backendId: number;
  readonly jobId: bigint;
  readonly error: string;
  readonly tries: number;
  readonly nextTryAt: Date;
}

export interface Health {
  readonly clusters: readonly ClusterHealth[];
  readonly setAsideJobs: readonly SetAsideJobHealth[];
  readonly warnings: readonly string[];
}

/** What an operator looks at first: every cluster with the age of its last answer, jobs set aside, what is badly set. */
export async function readHealth(env: Environment): Promise<Health> {
  const clusters = await env.pool.query<ClusterHealth & { endpoints: string[]; isOffline: boolean }>(
    `SELECT "id" AS "backendId", "name", "isReachable" AS "reachable", "lastSeenAt", "lastError", "endpoints", "isOffline"
       FROM "Backend" WHERE "deletedAt" IS NULL ORDER BY "id"`,
  );
  const jobs = await env.pool.query<SetAsideJobHealth>(
    `SELECT "backendId", "jobId", "error", "tries", "nextTryAt" FROM "SetAsideJob" ORDER BY "id" LIMIT 100`,
  );
  const indeterminate = await env.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM "Operation" WHERE "status" = 'INDETERMINATE'`,
  );
  const warnings: string[] = [];
  const remote = clusters.rows.filter((cluster) => !cluster.endpoints.every(isLoopbackUrl));
  if (remote.length > 0 && isLoopbackUrl(env.settings.callbackUrl)) {
    warnings.push(
      `Builds on ${remote.map((cluster) => cluster.name).join(', ')} are given a loopback progress URL (${env.settings.callbackUrl}), which their nodes cannot reach; set CALLBACK_URL or CALLBACK_LISTEN.`,
    );
  }
  const stuck = indeterminate.rows[0]?.count ?? 0;
  if (stuck > 0) warnings.push(`${stuck} operation(s) are INDETERMINATE and keep their claims.`);
  return { clusters: clusters.rows, setAsideJobs: jobs.rows, warnings };
}
