import { type GanetiClient, GanetiError } from '../ganeti/index.ts';
import type { Environment } from '../operations/environment.ts';
import { changeSteps } from './settle.ts';
import { IS_OWED, type OpenStep } from './step.store.ts';
import { cancelPlanned } from './submit.ts';

/** Ends the steps of canceled operations that were not sent; the rules see a build that never began. */
export async function cancelUnsentSteps(env: Environment, backendId: number): Promise<void> {
  const { rows } = await env.pool.query<{ id: string }>(
    `SELECT DISTINCT o."id" FROM "Operation" o JOIN "OperationJob" j ON j."operationId" = o."id"
      WHERE j."backendId" = $1 AND j."state" = 'PLANNED' AND o."isCancelRequested" AND o."finalizedAt" IS NULL
        AND NOT ${IS_OWED}`,
    [backendId],
  );
  for (const { id } of rows) {
    await changeSteps(env, id, 'canceled before it was sent', async (tx) => {
      const canceled = await cancelPlanned(tx, id);
      return canceled === 0 ? null : [{ field: 'isCancelRequested', from: false, to: true }];
    });
  }
}

/**
 * Passes a cancel on to Ganeti. A hint only: a waiting job may run to its end all the same, so the answer is not
 * believed and the job is read again as ever. A job is asked once in a while, not at each tick.
 */
export async function hintCancel(client: GanetiClient, step: OpenStep, asked: Set<string>): Promise<void> {
  if (!step.isCancelRequested || step.jobId === null || asked.has(step.id)) return;
  asked.add(step.id);
  try {
    await client.cancelJob(Number(step.jobId));
  } catch (error) {
    if (!(error instanceof GanetiError)) throw error;
    asked.delete(step.id);
  }
}
