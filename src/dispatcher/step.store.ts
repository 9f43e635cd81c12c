import type { Queryable } from '../database/pool.ts';
import type { Tx } from '../database/transaction.ts';
import type { StepRow } from '../operations/operation.store.ts';

/** Whether a step `j` is waited for by an open step of another operation. */
export const IS_OWED = `EXISTS (
  SELECT 1 FROM "OperationJob" w WHERE j."id" = ANY(w."dependsOn") AND w."operationId" <> j."operationId" AND w."state" = 'PLANNED')`;

/**
 * Takes the next step of a cluster that may be sent: its operation open and not canceled, its time come, and each step
 * that it waits for known to Ganeti (or final), so that `depends` can name the jobs. SKIP LOCKED, so that two lanes or
 * two replicas never take the same one; the step itself is locked, too: PostgreSQL re-checks only the rows it locks, and
 * with the operation alone a lane saw a step as PLANNED that another had just marked (one step, two jobs).
 */
export async function lockReadyStep(tx: Tx, backendId: number): Promise<StepRow | null> {
  const { rows } = await tx.query<StepRow>(
    `SELECT j.* FROM "OperationJob" j JOIN "Operation" o ON o."id" = j."operationId"
      WHERE j."backendId" = $1 AND j."state" = 'PLANNED' AND coalesce(j."nextTryAt", '-infinity') <= clock_timestamp()
        AND o."finalizedAt" IS NULL AND (NOT o."isCancelRequested" OR ${IS_OWED})
        AND NOT EXISTS (SELECT 1 FROM "OperationJob" d
                         WHERE d."id" = ANY(j."dependsOn") AND d."state" IN ('PLANNED', 'SENDING'))
      ORDER BY o."createdAt", o."id", j."step" LIMIT 1 FOR NO KEY UPDATE OF o, j SKIP LOCKED`,
    [backendId],
  );
  return rows[0] ?? null;
}

/** The jobs that a step waits for; steps that never became a job have none. */
export async function dependencyJobs(on: Queryable, step: StepRow): Promise<number[]> {
  if (step.dependsOn.length === 0) return [];
  const { rows } = await on.query<{ jobId: bigint }>(
    `SELECT "jobId" FROM "OperationJob" WHERE "id" = ANY($1) AND "jobId" IS NOT NULL ORDER BY "jobId"`,
    [step.dependsOn],
  );
  return rows.map((row) => Number(row.jobId));
}

/** Marks a step as being sent, before anything is: from here on its outcome is unknown until the cluster's word is stored. */
export async function markSending(tx: Tx, step: StepRow): Promise<void> {
  await tx.query(
    `UPDATE "OperationJob" SET "state" = 'SENDING', "sendCount" = "sendCount" + 1, "sentAt" = clock_timestamp(),
       "jobIdFloor" = coalesce("jobIdFloor", (SELECT "lastJobId" FROM "Backend" WHERE "id" = "backendId"))
     WHERE "id" = $1`,
    [step.id],
  );
}

/** Puts a step back that is proven not to have become a job. `delayMs` is the database's time to wait. */
export async function planAgain(tx: Tx, stepId: string, delayMs: number, message: string | null): Promise<void> {
  await tx.query(
    `UPDATE "OperationJob" SET "state" = 'PLANNED', "nextTryAt" = clock_timestamp() + $2 * interval '1 millisecond',
       "lastLogMessage" = coalesce($3, "lastLogMessage") WHERE "id" = $1 AND "state" = 'SENDING'`,
    [stepId, delayMs, message],
  );
}

/** An open step with what deciding about it needs. */
export interface OpenStep extends StepRow {
  readonly operationKind: string;
  readonly virtualMachineId: number | null;
  readonly isCancelRequested: boolean;
  /** True when a submission without an answer can no longer turn into a job (settle time, database clock). */
  readonly isSettled: boolean;
  readonly isMissingSettled: boolean;
}

/** All steps of a cluster that Ganeti may still say something about. */
export async function readOpenSteps(on: Queryable, backendId: number, settleMs: number): Promise<OpenStep[]> {
  const { rows } = await on.query<OpenStep>(
    `SELECT j.*, o."kind" AS "operationKind", o."virtualMachineId", o."isCancelRequested",
            j."sentAt" + $2 * interval '1 millisecond' < clock_timestamp() AS "isSettled",
            coalesce(j."missingSince" + $2 * interval '1 millisecond' < clock_timestamp(), false) AS "isMissingSettled"
       FROM "OperationJob" j JOIN "Operation" o ON o."id" = j."operationId"
      WHERE j."backendId" = $1 AND j."state" IN ('SENDING', 'SUBMITTED', 'INDETERMINATE')`,
    [backendId, settleMs],
  );
  return rows;
}

/** Whether the database holds work for a cluster that does not need the cluster's word first. */
export async function hasReadyWork(on: Queryable, backendId: number): Promise<boolean> {
  const { rows } = await on.query<{ ready: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM "OperationJob" j JOIN "Operation" o ON o."id" = j."operationId"
                     WHERE j."backendId" = $1 AND j."state" = 'PLANNED' AND o."finalizedAt" IS NULL
                       AND (o."isCancelRequested" OR coalesce(j."nextTryAt", '-infinity') <= clock_timestamp())) AS ready`,
    [backendId],
  );
  return rows[0]?.ready === true;
}
