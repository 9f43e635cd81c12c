/**
 * The closed set of expected failures. Services throw them, the GraphQL layer turns each into the type of the same
 * name; anything else that is thrown is a bug and is masked.
 *
 * Thrown rather than returned, since most are found inside a transaction that must roll back.
 */
export type ErrorCode =
  | 'INVALID_INPUT'
  | 'NOT_FOUND'
  | 'INVALID_STATE'
  | 'NAME_TAKEN'
  | 'RESOURCE_BUSY'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'BACKEND_UNAVAILABLE'
  | 'BACKEND_UNREACHABLE'
  | 'BACKEND_AUTHENTICATION_FAILED'
  | 'BACKEND_CERTIFICATE_MISMATCH'
  | 'NOT_A_GANETI_CLUSTER'
  | 'NO_BACKEND_FITS'
  | 'POOL_EXHAUSTED'
  | 'ADDRESS_IN_USE'
  | 'NETWORK_IN_USE'
  | 'QUOTA_EXCEEDED'
  | 'FORBIDDEN'
  | 'UNSUPPORTED';

/** Where in the mutation's input the fault lies, e.g. `['networks', '0', 'ipv4']`; null when in no one field. */
export type InputPath = readonly string[] | null;

export abstract class UserError extends Error {
  abstract readonly code: ErrorCode;
  /** True when the same request may succeed later without being changed. */
  readonly retryable: boolean = false;
  readonly path: InputPath;

  constructor(message: string, path: InputPath = null) {
    super(message);
    this.name = new.target.name;
    this.path = path;
  }
}

/** A value outside its stated domain. */
export class InvalidInput extends UserError {
  readonly code = 'INVALID_INPUT';
}
/** No such object, or none that the viewer may see: the two look alike. */
export class NotFound extends UserError {
  readonly code = 'NOT_FOUND';
}
/** The object's state does not allow the action. */
export class InvalidState extends UserError {
  readonly code = 'INVALID_STATE';
}
/** Another live object of the owner bears the name. */
export class NameTaken extends UserError {
  readonly code = 'NAME_TAKEN';
}
/** The idempotency key was used with another mutation or another input. */
export class IdempotencyKeyReused extends UserError {
  readonly code = 'IDEMPOTENCY_KEY_REUSED';
}
/** The cluster takes no new work: drained or offline. */
export class BackendUnavailable extends UserError {
  readonly code = 'BACKEND_UNAVAILABLE';
  override readonly retryable = true;
}
export class BackendUnreachable extends UserError {
  readonly code = 'BACKEND_UNREACHABLE';
  override readonly retryable = true;
}
export class BackendAuthenticationFailed extends UserError {
  readonly code = 'BACKEND_AUTHENTICATION_FAILED';
}
export class BackendCertificateMismatch extends UserError {
  readonly code = 'BACKEND_CERTIFICATE_MISMATCH';
}
/** Something answers at the address, but not as a Ganeti's RAPI. */
export class NotAGanetiCluster extends UserError {
  readonly code = 'NOT_A_GANETI_CLUSTER';
}
/** No cluster can take the machine; the message says why each was left out. */
export class NoBackendFits extends UserError {
  readonly code = 'NO_BACKEND_FITS';
  override readonly retryable = true;
}
export class PoolExhausted extends UserError {
  readonly code = 'POOL_EXHAUSTED';
  override readonly retryable = true;
}
export class AddressInUse extends UserError {
  readonly code = 'ADDRESS_IN_USE';
}
export class NetworkInUse extends UserError {
  readonly code = 'NETWORK_IN_USE';
}
export class QuotaExceeded extends UserError {
  readonly code = 'QUOTA_EXCEEDED';
}
export class Forbidden extends UserError {
  readonly code = 'FORBIDDEN';
}
/** Known to the API, but not offered (yet) by this version or this cluster. */
export class Unsupported extends UserError {
  readonly code = 'UNSUPPORTED';
}

export type ClaimMode = 'SHARED' | 'EXCLUSIVE';

/** One claim that stands in the way; `operationId` is null for a short request without an operation. */
export interface ClaimConflict {
  readonly resource: string;
  readonly mode: ClaimMode;
  readonly operationId: string | null;
}

/** A wanted resource is held: refused at once, never waited for (6-claims, section 5). */
export class ResourceBusy extends UserError {
  readonly code = 'RESOURCE_BUSY';
  override readonly retryable = true;
  readonly conflicts: readonly ClaimConflict[];

  constructor(conflicts: readonly ClaimConflict[]) {
    super(
      conflicts.length === 0
        ? 'Too many requests for the same resource at once; try again.'
        : `Held: ${conflicts.map((c) => `${c.resource} (${c.mode.toLowerCase()})`).join(', ')}.`,
    );
    this.conflicts = conflicts;
  }
}
