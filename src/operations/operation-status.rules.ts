import type { JobStatus } from '../ganeti/index.ts';

/** Where a planned step stands between us and the cluster. */
export type StepState = 'PLANNED' | 'SENDING' | 'SUBMITTED' | 'DONE' | 'REJECTED' | 'CANCELED' | 'INDETERMINATE';

export type OperationStatus =
  | 'ADMITTED'
  | 'SUBMITTING'
  | 'SUBMITTED'
  | 'RUNNING'
  | 'SUCCESS'
  | 'ERROR'
  | 'CANCELED'
  | 'INDETERMINATE';

export interface StepProgress {
  readonly role: string;
  readonly state: StepState;
  /** Ganeti's word in our spelling; null before the job is known. */
  readonly jobStatus: Uppercase<JobStatus> | null;
}

export function isFinalStep(state: StepState): boolean {
  return state === 'DONE' || state === 'REJECTED' || state === 'CANCELED';
}

export function isTerminal(status: OperationStatus): boolean {
  return status === 'SUCCESS' || status === 'ERROR' || status === 'CANCELED';
}

function outcome(step: StepProgress): 'SUCCESS' | 'ERROR' | 'CANCELED' {
  if (step.state === 'REJECTED') return 'ERROR';
  if (step.state === 'CANCELED') return 'CANCELED';
  return step.jobStatus === 'SUCCESS' || step.jobStatus === 'CANCELED' ? step.jobStatus : 'ERROR';
}

/**
 * An operation's status follows from its steps (6-claims, section 6): it ends when all of them are final, with the
 * outcome of the deciding one. Without steps it is SUCCESS at once. INDETERMINATE is not terminal: it keeps its claims.
 */
export function deriveStatus(steps: readonly StepProgress[], decidedBy: string): OperationStatus {
  const open = steps.filter((step) => !isFinalStep(step.state));
  if (open.length === 0) {
    const deciding = steps.find((step) => step.role === decidedBy);
    if (deciding === undefined) return 'SUCCESS';
    const result = outcome(deciding);
    // A canceled successor of a rejected step did not fail by anyone's cancel.
    if (result === 'CANCELED' && steps.some((step) => step.state === 'REJECTED')) return 'ERROR';
    return result;
  }
  if (open.every((step) => step.state === 'INDETERMINATE')) return 'INDETERMINATE';
  if (open.some((step) => step.jobStatus === 'RUNNING' || step.jobStatus === 'CANCELING')) return 'RUNNING';
  if (steps.some((step) => step.state === 'SENDING')) return 'SUBMITTING';
  if (steps.every((step) => step.state === 'PLANNED')) return 'ADMITTED';
  // Between two steps of one operation nothing runs, yet it has begun.
  return open.some((step) => step.state === 'PLANNED') ? 'SUBMITTING' : 'SUBMITTED';
}
