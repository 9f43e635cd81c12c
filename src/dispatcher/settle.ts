import type { FieldStep } from '../changes/index.ts';
import { inTransaction, type Tx } from '../database/transaction.ts';
import { machineKinds } from '../modules/operation-kinds.ts';
import {
  applyMachineEvent,
  type MachineEvent,
  type MachineOutcome,
} from '../modules/virtual-machine/virtual-machine.rules.ts';
import { type LockedMachine, lockMachine, saveMachine } from '../modules/virtual-machine/virtual-machine.store.ts';
import { deleteOperationClaims } from '../operations/claims.store.ts';
import type { Environment } from '../operations/environment.ts';
import {
  appendOperationChange,
  lockOperation,
  type OperationRow,
  readSteps,
  type StepRow,
} from '../operations/operation.store.ts';
import { deriveStatus, isTerminal } from '../operations/operation-status.rules.ts';

/** Passed on to the operation's own change. */
export interface StepNews {
  readonly steps: readonly FieldStep[];
  /** True when nothing but log lines came. */
  readonly isLogOnly: boolean;
}

/**
 * Derives a locked operation's status from its steps, applies the event to its machine, and, when the operation ends,
 * releases its claims: all in the caller's transaction, so that nobody sees one without the others (6-claims, Release).
 */
export async function settle(
  tx: Tx,
  operation: OperationRow,
  news: StepNews,
  machineEvent: MachineEvent | null,
  cause: string,
): Promise<void> {
  const steps = await readSteps(tx, operation.id);
  const decidedBy = machineKinds.get(operation.kind)?.decidedBy ?? '';
  const status = deriveStatus(steps, decidedBy);
  const hasEnded = isTerminal(status) && !isTerminal(operation.status);
  const events = [machineEvent, ...(hasEnded ? endEvents(operation, steps, decidedBy, status) : [])].filter(
    (event) => event !== null,
  );
  if (operation.virtualMachineId !== null)
    await applyToMachine(tx, operation.virtualMachineId, events, operation.id, cause);
  await saveOperation(tx, operation, steps, decidedBy, status, hasEnded, news);
  if (hasEnded) await deleteOperationClaims(tx, operation.id);
}

/**
 * Changes an operation's steps by a decision of ours and settles it, in one transaction under its lock.
 *
 * @param change gives what is told of the steps, or null when nothing was there to change
 */
export async function changeSteps(
  env: Environment,
  operationId: string,
  cause: string,
  change: (tx: Tx) => Promise<readonly FieldStep[] | null>,
): Promise<void> {
  await inTransaction(env.pool, async (tx) => {
    const operation = (await lockOperation(tx, operationId)) as OperationRow;
    const steps = await change(tx);
    if (steps !== null) await settle(tx, operation, { steps, isLogOnly: false }, null, cause);
  });
}

/** What the end itself means for the machine: a build that never became a job has failed, and nothing is going on any more. */
function endEvents(
  operation: OperationRow,
  steps: readonly StepRow[],
  decidedBy: string,
  status: string,
): MachineEvent[] {
  const deciding = steps.find((step) => step.role === decidedBy);
  const neverRan = operation.kind === 'createVirtualMachine' && status !== 'SUCCESS' && deciding?.state !== 'DONE';
  const reason =
    steps.find((step) => step.errorMessage !== null)?.errorMessage ?? 'The build was canceled before it began.';
  return [...(neverRan ? [{ type: 'buildFailed' as const, error: reason }] : []), { type: 'operationEnded' as const }];
}

/** Applies events to a machine one after the other and writes the result once, under one version. */
export async function applyToMachine(
  tx: Tx,
  machineId: number,
  events: readonly MachineEvent[],
  operationId: string | null,
  cause: string,
): Promise<{ readonly saved: LockedMachine; readonly ignored: string | null } | null> {
  if (events.length === 0) return null;
  const locked = await lockMachine(tx, machineId);
  if (!locked) return null;
  const start: MachineOutcome = { ...locked, releasedNicIds: [], diagnostic: null, ignored: null };
  const outcome = events.reduce<MachineOutcome>((so, event) => {
    const next = applyMachineEvent(so.machine, so.nics, event);
    return {
      ...next,
      releasedNicIds: [...so.releasedNicIds, ...next.releasedNicIds],
      diagnostic: next.diagnostic ?? so.diagnostic,
      ignored: next.ignored ?? so.ignored,
    };
  }, start);
  return { saved: await saveMachine(tx, locked, outcome, { operationId, cause }), ignored: outcome.ignored };
}

async function saveOperation(
  tx: Tx,
  before: OperationRow,
  steps: readonly StepRow[],
  decidedBy: string,
  status: OperationRow['status'],
  hasEnded: boolean,
  news: StepNews,
): Promise<void> {
  const isChanged = status !== before.status;
  if (!isChanged && news.steps.length === 0) return;
  const failed = status === 'ERROR' || status === 'CANCELED' ? failureOf(steps, decidedBy, status) : null;
  const { rows } = await tx.query<OperationRow>(
    `UPDATE "Operation" SET "status" = $2::"OperationStatus", "version" = "version" + 1,
       "errorCode" = $3, "errorMessage" = $4,
       "submittedAt" = coalesce("submittedAt", CASE WHEN $5 THEN clock_timestamp() END),
       "finalizedAt" = CASE WHEN $6 THEN clock_timestamp() ELSE "finalizedAt" END
     WHERE "id" = $1 RETURNING *`,
    [
      before.id,
      status,
      failed?.code ?? null,
      failed?.message ?? null,
      steps.some((step) => step.jobId !== null),
      hasEnded,
    ],
  );
  const changes = [...(isChanged ? [{ field: 'status', from: before.status, to: status }] : []), ...news.steps];
  await appendOperationChange(tx, before, rows[0] as OperationRow, changes, !isChanged && news.isLogOnly);
}

/** Why the operation ended so: the deciding step's own error, or that of the step which kept it from running. */
function failureOf(steps: readonly StepRow[], decidedBy: string, status: string): { code: string; message: string } {
  const deciding = steps.find((step) => step.role === decidedBy && step.errorMessage !== null);
  const failed = deciding ?? steps.find((step) => step.errorMessage !== null);
  if (!failed) return { code: status, message: 'The operation was canceled.' };
  return { code: failed.errorCode ?? 'JOB_FAILED', message: failed.errorMessage ?? 'The job failed.' };
}
