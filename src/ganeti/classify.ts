import type { GanetiFailure, GanetiFailureReason } from './errors.ts';
import { decodeHtmlEntities } from './html-entities.ts';

/** A submit creates a job, so a lost answer leaves its outcome unknown; a read can always be repeated. */
export type CallPurpose = 'submit' | 'read';

/** A finished HTTP exchange that was not a 200 with the expected JSON. */
export interface FailedReply {
  readonly status: number;
  readonly body: string;
}

/** A call without a usable reply. `phase` is `connecting` as long as not a byte of the request was written. */
export interface TransportFailure {
  readonly phase: 'connecting' | 'sent';
  /** `code` of the Node or undici error, or one of ours: `CERTIFICATE_MISMATCH`, `TIMEOUT`, `ABORTED`. */
  readonly code: string | null;
  readonly message: string;
}

/** Judges an HTTP error, or a 200 that is not the JSON the call promises. Pure; the table is in 5-ganeti.md, "Error replies". */
export function classifyReply(purpose: CallPurpose, reply: FailedReply): GanetiFailure {
  const ganetiMessage = errorMessage(reply.body, reply.status);
  const reason = replyReason(reply.status, ganetiMessage);
  return {
    kind: purpose === 'submit' ? submitKind(reply.status, reason) : readKind(reason),
    reason,
    status: reply.status,
    message: ganetiMessage ?? `HTTP ${reply.status} without a Ganeti error message`,
  };
}

/** Judges a call that got no reply. Pure. Before the request was written nothing can have been submitted. */
export function classifyTransportError(purpose: CallPurpose, failure: TransportFailure): GanetiFailure {
  return {
    kind: purpose === 'submit' && failure.phase === 'sent' ? 'unknown-outcome' : 'retryable',
    reason: transportReason(failure.code),
    message: failure.code === null ? failure.message : `${failure.message} (${failure.code})`,
  };
}

/** The decoded `message` of RAPI's error body, or null when the body is not one: another server may be answering. */
function errorMessage(body: string, status: number): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { code, message } = parsed as { code?: unknown; message?: unknown };
  return code === status && typeof message === 'string' ? decodeHtmlEntities(message) : null;
}

function replyReason(status: number, ganetiMessage: string | null): GanetiFailureReason {
  // 401 and 403 are believed from anyone (a proxy may ask for credentials too); for the rest the body must be Ganeti's,
  // above all for 404, which is read as "the instance is gone".
  if (status === 401) return 'authentication';
  if (status === 403) return 'forbidden';
  if (ganetiMessage === null) return 'garbage';
  if (status === 404) return 'not-found';
  if (status === 400 || status === 415 || status === 501) return 'bad-request';
  // The handler means 503, luxid raises a generic error: it arrives as 500 (measured, 3.0.2).
  if (status === 500 && ganetiMessage.includes('Queue drained')) return 'queue-drained';
  if (status === 504) return 'timeout';
  return status >= 500 ? 'server-error' : 'garbage';
}

// These are answered before a job is made, whoever answers. Every other 5xx may follow a job that exists.
const DEFINITE_REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 415, 501]);

function submitKind(status: number, reason: GanetiFailureReason): GanetiFailure['kind'] {
  if (DEFINITE_REFUSALS.has(status)) return 'rejected';
  return reason === 'queue-drained' ? 'retryable' : 'unknown-outcome';
}

function readKind(reason: GanetiFailureReason): GanetiFailure['kind'] {
  return reason === 'not-found' ? 'rejected' : 'retryable';
}

function transportReason(code: string | null): GanetiFailureReason {
  if (code === null) return 'unreachable';
  if (code === 'TIMEOUT' || code === 'ABORTED' || code === 'ETIMEDOUT') return 'timeout';
  if (CERTIFICATE_CODES.has(code)) return 'certificate-mismatch';
  if (NOT_HTTPS_CODES.test(code)) return 'not-a-ganeti';
  return 'unreachable';
}

// OpenSSL's verification results as Node names them, its host name check, and our comparison with the pin.
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'CERTIFICATE_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_REJECTED',
  'CERT_UNTRUSTED',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
]);

// The peer spoke, but not TLS, or not HTTP after it: a plain HTTP server, sshd, …
const NOT_HTTPS_CODES = /^(EPROTO|ERR_SSL_.*|HPE_.*)$/;
