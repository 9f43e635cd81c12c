import type { FieldStep } from '../changes/index.ts';
import { inTransaction, type Tx } from '../database/transaction.ts';
import { applyCopyEvent } from '../modules/network/backend-network.rules.ts';
import { changeCopy } from '../modules/network/backend-network.store.ts';
import { lockMachine } from '../modules/virtual-machine/virtual-machine.store.ts';
import type { Environment } from '../operations/environment.ts';
import { lockOperation, type OperationRow, type StepRow } from '../operations/operation.store.ts';
import { isFinalStep } from '../operations/operation-status.rules.ts';
import type { InterpretedJob } from './interpret.ts';
import { applyToMachine, settle } from './settle.ts';

/**
 * Applies one reading of a job of ours in one transaction: lock (operation, machine, network), guard, write, append
 * Changes, settle operation and claims. A final step is never touched again, so a repeated reading changes nothing;
 * the operation settles even where the machine's row already shows something newer (decision 3).
 */
export async function applyJob(
  env: Environment,
  stepId: string,
  operationId: string,
  job: InterpretedJob,
): Promise<void> {
  await inTransaction(env.pool, async (tx) => {
    const operation = await lockOperation(tx, operationId);
    const { rows } = await tx.query<StepRow>(`SELECT * FROM "OperationJob" WHERE "id" = $1 FOR NO KEY UPDATE`, [
      stepId,
    ]);
    const step = rows[0];
    if (!operation || !step || isFinalStep(step.state)) return;
    // Of two jobs with one text the lowest id is ours; the other is dealt with where it is found.
    if (step.jobId !== null && step.jobId < job.jobId) return;
    // Lock order: a machine comes before the networks, also where the network's row is written first.
    if (operation.virtualMachineId !== null) await lockMachine(tx, operation.virtualMachineId);
    const news = await saveStep(tx, operation, step, job);
    if (job.copyEvent && step.backendNetworkId !== null) {
      const event = job.copyEvent;
      await changeCopy(tx, step.backendNetworkId, (copy) => applyCopyEvent(copy, event), operationId);
    }
    await settle(tx, operation, news, job.machineEvent, `job ${job.jobId} ${job.status.toLowerCase()}`);
  });
}

/** Applies the end of a job that is not ours to a machine of ours: what an administrator did at the cluster. */
export async function applyForeignJob(env: Environment, backendId: number, job: InterpretedJob): Promise<void> {
  const event = job.machineEvent;
  // Nothing is adopted by name: somebody's create of an instance that is called like ours is not our machine's.
  if (!job.isFinal || event === null || job.instanceName === null || job.opcode === 'OP_INSTANCE_CREATE') return;
  await inTransaction(env.pool, async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `SELECT "id" FROM "VirtualMachine" WHERE "backendId" = $1 AND "ganetiName" = $2 AND "deletedAt" IS NULL`,
      [backendId, job.instanceName],
    );
    if (rows[0]) await applyToMachine(tx, rows[0].id, [event], null, `changed outside by job ${job.jobId}`);
  });
}

async function saveStep(tx: Tx, operation: OperationRow, step: StepRow, job: InterpretedJob) {
  const newLines = job.newLines.filter((line) => line.serial > step.lastLogSerial);
  const state = job.isFinal ? 'DONE' : 'SUBMITTED';
  await tx.query(
    `UPDATE "OperationJob" SET "jobId" = $2, "jobStatus" = $3::"JobStatus", "state" = $4::"StepState", "lastLogSerial" = $5,
       "lastLogMessage" = coalesce($6, "lastLogMessage"), "receivedUs" = $7, "startUs" = $8, "endUs" = $9,
       "errorCode" = $10, "errorMessage" = $11, "missingCount" = 0, "missingSince" = NULL, "nextTryAt" = NULL
     WHERE "id" = $1`,
    [
      step.id,
      job.jobId,
      job.status,
      state,
      Math.max(step.lastLogSerial, job.lastLogSerial),
      job.lastMessage,
      job.receivedUs,
      job.startUs,
      job.endUs,
      job.error?.code ?? (job.error ? 'JOB_FAILED' : null),
      job.error?.message ?? null,
    ],
  );
  if (newLines.length > 0) await insertLines(tx, operation, step, newLines);
  const field = `jobs.${step.step}`;
  const steps: FieldStep[] = [
    ...(step.jobId === job.jobId ? [] : [{ field: `${field}.jobId`, from: step.jobId, to: job.jobId }]),
    ...(step.jobStatus === job.status ? [] : [{ field: `${field}.status`, from: step.jobStatus, to: job.status }]),
    ...(newLines.length === 0 ? [] : [{ field: `${field}.log`, from: null, to: newLines.at(-1)?.message }]),
  ];
  return { steps, isLogOnly: step.jobStatus === job.status && step.jobId === job.jobId };
}

/** Serials count per operation, under its row lock, so that a reader of the log misses none. */
async function insertLines(
  tx: Tx,
  operation: OperationRow,
  step: StepRow,
  lines: InterpretedJob['newLines'],
): Promise<void> {
  await tx.query(
    `INSERT INTO "OperationLogLine" ("operationId", "serial", "step", "atUs", "message")
     SELECT $1, $2 + n, $3, at, message FROM unnest($4::bigint[], $5::text[]) WITH ORDINALITY AS t(at, message, n)`,
    [
      operation.id,
      operation.logSerial,
      step.step,
      lines.map((line) => line.atUs),
      lines.map((line) => line.message.replaceAll('\0', '\uFFFD')),
    ],
  );
  await tx.query(`UPDATE "Operation" SET "logSerial" = "logSerial" + $2 WHERE "id" = $1`, [operation.id, lines.length]);
}
