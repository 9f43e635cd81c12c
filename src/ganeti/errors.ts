/**
 * What a failed call means for its caller.
 * - `rejected`: Ganeti refused it; nothing was done and a repetition would be refused again.
 * - `retryable`: nothing was done; the same call may be made again.
 * - `unknown-outcome`: only for a submit: the job may exist. Look for its reason token before sending again.
 */
export type GanetiFailureKind = 'rejected' | 'retryable' | 'unknown-outcome';

/** What went wrong, for messages and metrics; decisions are made on {@link GanetiFailureKind}. */
export type GanetiFailureReason =
  | 'authentication'
  | 'forbidden'
  | 'certificate-mismatch'
  | 'unreachable'
  | 'not-a-ganeti'
  | 'not-found'
  | 'bad-request'
  | 'queue-drained'
  | 'timeout'
  | 'server-error'
  | 'garbage';

/** A failure as `classify.ts` judged it. `message` is decoded text and never holds credentials. */
export interface GanetiFailure {
  readonly kind: GanetiFailureKind;
  readonly reason: GanetiFailureReason;
  readonly message: string;
  /** HTTP status, where there was a reply. */
  readonly status?: number;
}

/**
 * Every failure of a RAPI call, classified once. It has no `cause` on purpose: what undici and Node attach to their errors
 * changes between versions, and nothing that could hold a header may reach a log.
 */
export class GanetiError extends Error {
  override readonly name = 'GanetiError';
  readonly kind: GanetiFailureKind;
  readonly reason: GanetiFailureReason;
  readonly status?: number;

  constructor(failure: GanetiFailure) {
    super(failure.message);
    this.kind = failure.kind;
    this.reason = failure.reason;
    if (failure.status !== undefined) this.status = failure.status;
  }
}

/** A request that must not be sent (a name Ganeti cannot address, a non-ASCII string, …): a bug of the caller, not a failure of Ganeti. */
export class GanetiRequestError extends Error {
  override readonly name = 'GanetiRequestError';
}
