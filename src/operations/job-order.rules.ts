import type { JobStatus } from '../ganeti/index.ts';

/** Where a job stands: Ganeti's word in our spelling. */
export type JobState = Uppercase<JobStatus>;
export type FinalJobState = 'CANCELED' | 'SUCCESS' | 'ERROR';

/** The job that a row shows: of all that it heard of the one with the highest id, as far as that one got. */
export interface ShownJob {
  readonly lastJobId: bigint | null;
  readonly lastJobOpcode: string | null;
  readonly lastJobStatus: JobState | null;
  readonly lastJobMessage: string | null;
}

/** A row's ordering mark: end time (µs, Ganeti's clock) and id of the newest job whose state was applied. */
export interface OrderingMark {
  readonly markEndUs: bigint;
  readonly markJobId: bigint;
}

export interface JobFacts {
  readonly jobId: bigint;
  readonly opcode: string;
  readonly logMessage: string | null;
}

interface JobEnd {
  readonly jobId: bigint;
  readonly endUs: bigint;
}

const RANK: Readonly<Record<JobState, number>> = {
  QUEUED: 0,
  WAITING: 1,
  CANCELING: 2,
  RUNNING: 3,
  CANCELED: 4,
  SUCCESS: 4,
  ERROR: 4,
};

/** Ordered by (job id, rank of the status), so that neither an older job nor an older word of one job comes back. */
export function withLastJob<Row extends ShownJob>(row: Row, job: JobFacts, status: JobState): Row {
  const isOlder = row.lastJobId !== null && job.jobId < row.lastJobId;
  const isSameAndBehind =
    job.jobId === row.lastJobId && row.lastJobStatus !== null && RANK[status] < RANK[row.lastJobStatus];
  if (isOlder || isSameAndBehind) return row;
  return {
    ...row,
    lastJobId: job.jobId,
    lastJobOpcode: job.opcode,
    lastJobStatus: status,
    lastJobMessage: job.logMessage ?? (job.jobId === row.lastJobId ? row.lastJobMessage : null),
  };
}

/** Whether a job ended after the one that set the mark; equality is a redelivery, which was applied already. */
export function isNewer(mark: OrderingMark, job: JobEnd): boolean {
  return job.endUs > mark.markEndUs || (job.endUs === mark.markEndUs && job.jobId > mark.markJobId);
}

/** The row with its mark moved to the job's end; a mark never goes back. */
export function withMark<Row extends OrderingMark>(row: Row, job: JobEnd): Row {
  return isNewer(row, job) ? { ...row, markEndUs: job.endUs, markJobId: job.jobId } : row;
}
