import type { JobStatus } from '../ganeti/index.ts';
import type { GanetiTime } from './clock.ts';

/** An opcode as a job shows it. */
export type SimOp = Record<string, unknown> & { OP_ID: string };

/** A job; every job of the simulator has one opcode. */
export interface SimJob {
  id: number;
  op: SimOp;
  summary: string;
  status: JobStatus;
  result: unknown;
  log: [serial: number, at: GanetiTime, type: 'message', text: string][];
  received: GanetiTime;
  start: GanetiTime | null;
  end: GanetiTime | null;
}

/** The fields of a job, under the names of `/2/jobs/N` and `query/job`. */
export function jobFields(job: SimJob): Record<string, unknown> {
  return {
    id: job.id,
    ops: [job.op],
    status: job.status,
    summary: [job.summary],
    opstatus: [job.status],
    received_ts: job.received,
    start_ts: job.start,
    end_ts: job.end,
    oplog: [job.log],
    opresult: [job.result],
    priority: 0,
    archived: false,
  };
}

/** `/2/jobs/N` of a job nobody knows: a 200 with every field null. */
export function unknownJobFields(id: number): Record<string, unknown> {
  return {
    id,
    ops: null,
    status: null,
    summary: null,
    opstatus: null,
    received_ts: null,
    start_ts: null,
    end_ts: null,
    oplog: null,
    opresult: null,
  };
}

/** Whether a job will never change again. */
export function isEnded(job: SimJob): boolean {
  return job.status === 'success' || job.status === 'error' || job.status === 'canceled';
}

/** The parents of a job and what they must end as. */
export function dependenciesOf(job: SimJob): { id: number; statuses: string[] }[] {
  const depends = job.op.depends;
  if (!Array.isArray(depends)) return [];
  return depends.map((entry) => {
    const [parent, statuses] = entry as [number | string, string[]];
    const id = Number(parent);
    // Relative ids count from the job's own: -1 is whoever came just before.
    return { id: id < 0 ? job.id + id : id, statuses };
  });
}
