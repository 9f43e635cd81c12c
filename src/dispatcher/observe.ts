import { inTransaction } from '../database/transaction.ts';
import type { GanetiClient } from '../ganeti/index.ts';
import { appendBackendChange, type BackendRecord, lockBackend } from '../modules/backend/backend.store.ts';
import { type BackendObservation, summarize } from '../modules/backend/observation.rules.ts';
import { maskSecrets } from '../observability/logger.ts';
import type { Environment } from '../operations/environment.ts';
import { fieldSteps } from '../operations/field-steps.rules.ts';

const OBSERVED = [
  'softwareVersion',
  'diskTemplates',
  'nodeGroups',
  'memoryTotalMiB',
  'memoryFreeMiB',
  'diskTotalMiB',
  'diskFreeMiB',
  'cpuTotal',
  'instanceMemoryMiB',
  'instanceCount',
] as const;

/** Reads what a cluster has and keeps it: reads are answered from here, never from the cluster (2-architecture). */
export async function observeCluster(env: Environment, client: GanetiClient, backendId: number): Promise<void> {
  // One after the other: an observation must not take the connections that submissions and the watch need.
  const info = await client.getInfo();
  const groups = await client.listGroups();
  const nodes = await client.listNodes();
  const instances = await client.listInstances();
  await saveObserved(env, backendId, summarize(info, groups, nodes, instances));
  await env.pool.query(
    `UPDATE "VirtualMachine" SET "observedAt" = clock_timestamp() WHERE "backendId" = $1 AND "ganetiName" = ANY($2) AND "deletedAt" IS NULL`,
    [backendId, instances.map((instance) => instance.name)],
  );
}

async function saveObserved(env: Environment, backendId: number, observation: BackendObservation): Promise<void> {
  await inTransaction(env.pool, async (tx) => {
    const before = (await lockBackend(tx, backendId)) as (BackendRecord & BackendObservation) | null;
    if (!before) return;
    const steps = fieldSteps<BackendObservation>(before, observation, OBSERVED);
    if (steps.length === 0) return;
    const columns = OBSERVED.map((column, at) => `"${column}" = $${at + 2}`).join(', ');
    const { rows } = await tx.query<BackendRecord>(
      `UPDATE "Backend" SET ${columns}, "version" = "version" + 1, "updatedAt" = clock_timestamp() WHERE "id" = $1 RETURNING *`,
      [backendId, ...OBSERVED.map((column) => observation[column])],
    );
    await appendBackendChange(tx, before, rows[0] as BackendRecord, steps);
  });
}

/** Notes that the cluster answered. Only a change of reachability raises the version; the age is just kept fresh. */
export async function noteReachable(env: Environment, backendId: number): Promise<void> {
  const { rowCount } = await env.pool.query(
    `UPDATE "Backend" SET "lastSeenAt" = clock_timestamp() WHERE "id" = $1 AND "isReachable"`,
    [backendId],
  );
  if (rowCount === 0) await setReachable(env, backendId, true, null);
}

/** Notes that it did not, and why. Its rows keep their state (decision 9). */
export async function noteUnreachable(env: Environment, backendId: number, error: unknown): Promise<void> {
  const message = maskSecrets(error instanceof Error ? error.message : String(error)).slice(0, 500);
  await setReachable(env, backendId, false, message);
}

async function setReachable(
  env: Environment,
  backendId: number,
  isReachable: boolean,
  lastError: string | null,
): Promise<void> {
  await inTransaction(env.pool, async (tx) => {
    const before = await lockBackend(tx, backendId);
    if (!before || before.deletedAt !== null) return;
    const steps = fieldSteps(
      { isReachable: before.isReachable, lastError: before.lastError },
      { isReachable, lastError },
      ['isReachable', 'lastError'],
    );
    if (steps.length === 0) return;
    const { rows } = await tx.query<BackendRecord>(
      `UPDATE "Backend" SET "isReachable" = $2, "lastError" = $3, "version" = "version" + 1, "updatedAt" = clock_timestamp(),
         "lastSeenAt" = CASE WHEN $2 THEN clock_timestamp() ELSE "lastSeenAt" END WHERE "id" = $1 RETURNING *`,
      [backendId, isReachable, lastError],
    );
    await appendBackendChange(tx, before, rows[0] as BackendRecord, steps);
  });
}
