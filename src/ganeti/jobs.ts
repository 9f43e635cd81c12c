import { integer, list, listOrEmpty, record, text, texts } from './narrow.ts';

const JOB_STATUSES = ['queued', 'waiting', 'canceling', 'running', 'canceled', 'success', 'error'] as const;

/** Ganeti's job statuses; a job (and each of its opcodes) moves from left to right and ends in one of the last three. */
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A line of a job's log. */
export interface JobLogEntry {
  /** Increasing within the job. */
  serial: number;
  /** Integer microseconds since 1970, Ganeti's clock. */
  atUs: bigint;
  message: string;
}

/** One opcode of a job as Ganeti shows it (`OP_ID`, `instance_name`, `reason`, …); Ganeti adds keys while the job runs. */
export type GanetiOp = Readonly<Record<string, unknown>> & { readonly OP_ID: string };

/** A job. The arrays run parallel, one element for each opcode; a field that was not asked for is empty or null. */
export interface GanetiJob {
  id: number;
  status: JobStatus;
  summary: string[];
  ops: GanetiOp[] | null;
  opStatus: JobStatus[];
  opResult: unknown[];
  opLog: JobLogEntry[][];
  /** Integer microseconds since 1970, Ganeti's clock, as the next two. */
  receivedUs: bigint | null;
  startUs: bigint | null;
  endUs: bigint | null;
}

/** The fields of a job that `query/job` and `/2/jobs/N` agree on. */
export type JobField =
  | 'id'
  | 'status'
  | 'summary'
  | 'ops'
  | 'opstatus'
  | 'opresult'
  | 'oplog'
  | 'received_ts'
  | 'start_ts'
  | 'end_ts';

/** Every {@link JobField}. */
export const ALL_JOB_FIELDS: readonly JobField[] = [
  'id',
  'status',
  'summary',
  'ops',
  'opstatus',
  'opresult',
  'oplog',
  'received_ts',
  'start_ts',
  'end_ts',
];

/** A status this code does not know. The job must be set aside: guessing whether it is final would settle it wrongly. */
export class UnknownJobStatusError extends Error {
  override readonly name = 'UnknownJobStatusError';
  readonly status: string;

  constructor(status: string) {
    super(`unknown job status ${JSON.stringify(status)}`);
    this.status = status;
  }
}

/** Whether a job of this status will never change again. */
export function isFinal(status: JobStatus): boolean {
  return status === 'success' || status === 'error' || status === 'canceled';
}

/**
 * Reads a job from its fields under Ganeti's names. Throws {@link UnknownJobStatusError}, or `GanetiShapeError` for anything
 * else that is not a job.
 */
export function parseJob(raw: Readonly<Record<string, unknown>>): GanetiJob {
  return {
    id: integer(raw.id, 'job id'),
    status: jobStatus(raw.status),
    summary: texts(raw.summary),
    ops: Array.isArray(raw.ops) ? raw.ops.map(op) : null,
    opStatus: listOrEmpty(raw.opstatus).map(jobStatus),
    opResult: listOrEmpty(raw.opresult),
    opLog: listOrEmpty(raw.oplog).map((log) => list(log, 'oplog').map(logEntry)),
    receivedUs: microseconds(raw.received_ts),
    startUs: microseconds(raw.start_ts),
    endUs: microseconds(raw.end_ts),
  };
}

/** The caller's own reason of a job (`?reason=`): the text of the first `gnt:user` entry of the first opcode's trail; null for a foreign job. */
export function jobReason(job: Pick<GanetiJob, 'ops'>): string | null {
  for (const entry of listOrEmpty(job.ops?.[0]?.reason)) {
    if (Array.isArray(entry) && entry[0] === 'gnt:user' && typeof entry[1] === 'string') return entry[1];
  }
  return null;
}

/** What a failed or canceled job says: `code` is Ganeti's error code (`already_exists`, …), which some errors lack. */
export interface JobError {
  message: string;
  code: string | null;
}

/** Decodes the failure of a job; null for one that did not fail or says nothing (a job that left the queue by a cancel). */
export function jobError(job: Pick<GanetiJob, 'status' | 'opStatus' | 'opResult'>): JobError | null {
  if (job.status !== 'error' && job.status !== 'canceled') return null;
  for (const [index, result] of job.opResult.entries()) {
    if (job.opStatus[index] === 'success') continue;
    const error = opError(result);
    if (error !== null) return error;
  }
  return job.status === 'error' ? { message: 'the job failed without a message', code: null } : null;
}

// `["OpPrereqError", ["text", "ecode"]]`, `["OpExecError", ["text"]]`, or the bare string of a canceled job that was waiting.
function opError(result: unknown): JobError | null {
  if (typeof result === 'string') return { message: result, code: null };
  if (!Array.isArray(result) || typeof result[0] !== 'string') return null;
  const args: unknown[] = Array.isArray(result[1]) ? result[1] : [result[1]];
  const [message, code] = args;
  return {
    message: typeof message === 'string' ? message : `${result[0]}: ${JSON.stringify(args)}`,
    code: typeof code === 'string' ? code : null,
  };
}

function jobStatus(value: unknown): JobStatus {
  const status = text(value, 'job status');
  if (!(JOB_STATUSES as readonly string[]).includes(status)) throw new UnknownJobStatusError(status);
  return status as JobStatus;
}

function op(value: unknown): GanetiOp {
  const fields = record(value, 'opcode');
  return { ...fields, OP_ID: text(fields.OP_ID, 'OP_ID') };
}

function logEntry(value: unknown): JobLogEntry {
  const [serial, at, , message] = list(value, 'log entry');
  const atUs = microseconds(at);
  // Other entry types than "message" (remote import, test) carry structures.
  return {
    serial: integer(serial, 'log serial'),
    atUs: atUs ?? 0n,
    message: typeof message === 'string' ? message : JSON.stringify(message ?? null),
  };
}

function microseconds(value: unknown): bigint | null {
  if (value === null || value === undefined) return null;
  const [seconds, micros] = list(value, 'timestamp');
  return BigInt(integer(seconds, 'timestamp seconds')) * 1_000_000n + BigInt(integer(micros, 'timestamp microseconds'));
}
