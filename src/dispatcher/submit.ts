import { inTransaction, type Tx } from '../database/transaction.ts';
import {
  ANY_FINAL_STATUS,
  type GanetiClient,
  GanetiError,
  type GanetiRequest,
  GanetiRequestError,
} from '../ganeti/index.ts';
import { machineKinds } from '../modules/operation-kinds.ts';
import { loadMachineSubject } from '../modules/virtual-machine/machine-subject.store.ts';
import { maskSecrets } from '../observability/logger.ts';
import type { Environment } from '../operations/environment.ts';
import { lockOperation, type OperationRow, type StepRow, stepReason } from '../operations/operation.store.ts';
import type { Checkpoint } from './checkpoint.ts';
import { PROGRESS_TOKEN } from './progress-token.ts';
import { changeSteps, settle } from './settle.ts';
import { dependencyJobs, IS_OWED, lockReadyStep, markSending, planAgain } from './step.store.ts';

/** Of the four connections that a cluster is given, so that following and looking never wait for submissions. */
const LANES = 2;
const MAX_BACKOFF_MS = 30_000;

/**
 * Sends every step of a cluster that is ready. Each is recorded as SENDING before anything is sent and as SUBMITTED
 * when its job is known; what happens in between is recovered by its reason text (6-claims, section 6).
 *
 * @returns how many were tried
 * @throws GanetiError when the cluster cannot be reached; the step has been put back or waits for its recovery
 */
export async function submitReadySteps(
  env: Environment,
  client: GanetiClient,
  backendId: number,
  checkpoint: Checkpoint,
): Promise<number> {
  let tried = 0;
  const lane = async (): Promise<void> => {
    for (;;) {
      const taken = await takeReadyStep(env, backendId, checkpoint);
      if (!taken) return;
      tried += 1;
      await submitStep(env, client, taken, checkpoint);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: LANES }, lane));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return tried;
}

/** A step that this lane alone sends, and the operation that it is part of. */
interface TakenStep {
  readonly step: StepRow;
  readonly operation: OperationRow;
}

async function takeReadyStep(env: Environment, backendId: number, checkpoint: Checkpoint): Promise<TakenStep | null> {
  const taken = await inTransaction(env.pool, async (tx) => {
    const ready = await lockReadyStep(tx, backendId);
    if (!ready) return null;
    await checkpoint('before-send', ready.opcode);
    const operation = (await lockOperation(tx, ready.operationId)) as OperationRow;
    await markSending(tx, ready);
    await settle(tx, operation, { steps: [], isLogOnly: false }, null, 'submitting');
    return { step: ready, operation };
  });
  if (taken) await checkpoint('sending-recorded', taken.step.opcode);
  return taken;
}

async function submitStep(
  env: Environment,
  client: GanetiClient,
  { step, operation }: TakenStep,
  checkpoint: Checkpoint,
): Promise<void> {
  let jobId: number;
  try {
    const request = await buildRequest(env, step, operation);
    const depends = (await dependencyJobs(env.pool, step)).map((id) => [id, ANY_FINAL_STATUS] as const);
    jobId = await client.submit(request, { reason: stepReason(step.operationId, step.step), depends });
  } catch (error) {
    return onFailure(env, step, error);
  }
  await checkpoint('answered', step.opcode);
  await recordJob(env, step, jobId);
  await checkpoint('submitted-recorded', step.opcode);
}

/** Makes the step's request from the rows, with the secrets that are never stored. */
async function buildRequest(env: Environment, step: StepRow, operation: OperationRow): Promise<GanetiRequest> {
  const kind = machineKinds.get(operation.kind);
  const subject =
    operation.virtualMachineId === null ? null : await loadMachineSubject(env.pool, operation.virtualMachineId, env);
  if (!kind || !subject) throw new GanetiRequestError(`Nothing is known of operation kind ${operation.kind}`);
  const token = env.secrets.token(PROGRESS_TOKEN, operation.id);
  return kind.request(step.role, subject, operation.parameters, {
    progressUrl: `${env.settings.callbackUrl}/progress/${token}`,
  });
}

/** Stores the job of a step; the lowest id stands when the watcher has found another with the same text. */
async function recordJob(env: Environment, step: StepRow, jobId: number): Promise<void> {
  await changeSteps(env, step.operationId, `submitted as job ${jobId}`, async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE "OperationJob" SET "state" = 'SUBMITTED', "jobId" = $2, "jobStatus" = coalesce("jobStatus", 'QUEUED'), "nextTryAt" = NULL
        WHERE "id" = $1 AND "state" = 'SENDING' AND ("jobId" IS NULL OR "jobId" > $2)`,
      [step.id, jobId],
    );
    return rowCount === 0 ? null : [{ field: `jobs.${step.step}.jobId`, from: null, to: jobId }];
  });
}

async function onFailure(env: Environment, step: StepRow, error: unknown): Promise<void> {
  if (error instanceof GanetiRequestError) {
    env.logger.error(
      { err: error, operationId: step.operationId, step: step.step },
      'a planned request cannot be sent',
    );
    return reject(env, step, 'REQUEST_INVALID', error.message);
  }
  if (!(error instanceof GanetiError)) throw error;
  env.logger.warn(
    { operationId: step.operationId, step: step.step, kind: error.kind, reason: error.reason, status: error.status },
    'a submission failed',
  );
  if (error.kind === 'rejected') return reject(env, step, 'SUBMIT_REJECTED', error.message);
  if (error.kind === 'retryable') {
    const delayMs = Math.min(MAX_BACKOFF_MS, 500 * 2 ** Math.min(step.sendCount, 10)) * (0.5 + Math.random() / 2);
    await changeSteps(env, step.operationId, 'not sent', async (tx) => {
      await planAgain(tx, step.id, delayMs, maskSecrets(error.message));
      return [];
    });
  }
  // An unknown outcome stays SENDING: its job is looked for, and sent again only once it is proven absent (trap 13).
  throw error;
}

/** A definite refusal: the step is final, its successors are not sent, and the rules hear of it. */
async function reject(env: Environment, step: StepRow, code: string, message: string): Promise<void> {
  await changeSteps(env, step.operationId, 'refused by the cluster', async (tx) => {
    await tx.query(
      `UPDATE "OperationJob" SET "state" = 'REJECTED', "errorCode" = $2, "errorMessage" = $3, "lastLogMessage" = $3 WHERE "id" = $1`,
      [step.id, code, maskSecrets(message)],
    );
    await cancelPlanned(tx, step.operationId);
    return [{ field: `jobs.${step.step}.error`, from: null, to: code }];
  });
}

/**
 * Steps that were not sent never will be; but those that bring up a network for operations of others are still owed to
 * them, since whoever came later depends on these jobs and plans none of its own (decision 8).
 */
export async function cancelPlanned(tx: Tx, operationId: string): Promise<number> {
  const { rowCount } = await tx.query(
    `UPDATE "OperationJob" j SET "state" = 'CANCELED'
      WHERE j."operationId" = $1 AND j."state" = 'PLANNED' AND NOT ${IS_OWED}`,
    [operationId],
  );
  return rowCount ?? 0;
}
