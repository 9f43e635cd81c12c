import { readdirSync, readFileSync } from 'node:fs';
import { type GanetiJob, parseJob } from '../../../src/ganeti/index.ts';

const FOLDER = new URL('../../fixtures/ganeti/', import.meta.url);

/** An exchange that was recorded on a real Ganeti 3.0.2. */
export interface Recording {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body?: Readonly<Record<string, unknown>>;
  };
  readonly reply: unknown;
  readonly job?: Readonly<Record<string, unknown>>;
  /** Readings of the job while it ran: cells `[status, value]` of id, status, summary, opstatus, opresult, oplog, received_ts, start_ts, end_ts. */
  readonly during?: readonly (readonly (readonly [number, unknown])[])[];
}

export function recording(name: string): Recording {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Recording;
}

/** The job that a recorded call made, as it ended. */
export function recordedJob(name: string): GanetiJob {
  return parseJob(recording(name).job ?? {});
}

/** The names of all recordings that hold a finished job. */
export function namesWithJob(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .filter((name) => recording(name).job !== undefined)
    .sort();
}

const DURING_FIELDS = ['id', 'status', 'summary', 'opstatus', 'opresult', 'oplog', 'received_ts', 'start_ts', 'end_ts'];

/** A recorded job as it was read again and again while it ran, and at last at its end. */
export function recordedReadings(name: string): GanetiJob[] {
  const { during = [], job = {} } = recording(name);
  const readings = during.map((cells) => ({
    ops: job.ops,
    ...Object.fromEntries(cells.map(([status, value], at) => [DURING_FIELDS[at], status === 0 ? value : null])),
  }));
  return [...readings, job].map((reading) => parseJob(reading));
}
