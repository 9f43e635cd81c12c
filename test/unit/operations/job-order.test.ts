import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isNewer,
  type JobFacts,
  type JobState,
  type ShownJob,
  withLastJob,
  withMark,
} from '../../../src/operations/job-order.rules.ts';

const NONE: ShownJob = { lastJobId: null, lastJobOpcode: null, lastJobStatus: null, lastJobMessage: null };
const job = (jobId: bigint, logMessage: string | null = null): JobFacts => ({
  jobId,
  opcode: 'OP_INSTANCE_STARTUP',
  logMessage,
});
const shown = (jobId: bigint, status: JobState): ShownJob => withLastJob(NONE, job(jobId, 'before'), status);

describe('the job that a row shows', () => {
  it.each<[rule: string, before: ShownJob, id: bigint, status: JobState, id: bigint, status: JobState]>([
    ['the first one heard of', NONE, 7n, 'QUEUED', 7n, 'QUEUED'],
    ['a later job', shown(7n, 'SUCCESS'), 8n, 'QUEUED', 8n, 'QUEUED'],
    ['never an older job, however far it got', shown(8n, 'QUEUED'), 7n, 'SUCCESS', 8n, 'QUEUED'],
    ['the job as it moves on', shown(7n, 'QUEUED'), 7n, 'WAITING', 7n, 'WAITING'],
    ['a cancel that came too late', shown(7n, 'CANCELING'), 7n, 'RUNNING', 7n, 'RUNNING'],
    ['its end', shown(7n, 'RUNNING'), 7n, 'ERROR', 7n, 'ERROR'],
    ['no late word of an ended job', shown(7n, 'SUCCESS'), 7n, 'RUNNING', 7n, 'SUCCESS'],
    ['no step back while it runs', shown(7n, 'RUNNING'), 7n, 'WAITING', 7n, 'RUNNING'],
  ])('%s', (_rule, before, id, status, shownId, shownStatus) => {
    const after = withLastJob(before, job(id), status);
    expect([after.lastJobId, after.lastJobStatus]).toEqual([shownId, shownStatus]);
  });

  it('keeps what a job said last when its next word says nothing, but not what another job said', () => {
    const before = withLastJob(NONE, job(7n, '* disk 0, size 1.0G'), 'RUNNING');
    expect(withLastJob(before, job(7n), 'SUCCESS').lastJobMessage).toBe('* disk 0, size 1.0G');
    expect(withLastJob(before, job(7n, 'done'), 'SUCCESS').lastJobMessage).toBe('done');
    expect(withLastJob(before, job(8n), 'QUEUED').lastJobMessage).toBeNull();
  });

  it('leaves the rest of the row alone', () => {
    expect(withLastJob({ ...NONE, name: 'web' }, job(7n), 'QUEUED').name).toBe('web');
  });
});

describe('the ordering mark', () => {
  // Trap 6: epoch microseconds as integers; two that a float or a local clock would take for one another.
  const T = 1_796_059_922_751_608n;
  it.each<[rule: string, endUs: bigint, jobId: bigint, isNewer: boolean]>([
    ['a later end is newer', T + 1n, 3n, true],
    ['an earlier end is not, whatever its id', T - 1n, 9n, false],
    ['equality is a redelivery', T, 5n, false],
    ['of two ends in one microsecond the higher id is newer', T, 6n, true],
    ['of two ends in one microsecond the lower id is not', T, 4n, false],
  ])('%s', (_rule, endUs, jobId, expected) => {
    const mark = { markEndUs: T, markJobId: 5n };
    expect(isNewer(mark, { endUs, jobId })).toBe(expected);
    expect(withMark(mark, { endUs, jobId })).toEqual(expected ? { markEndUs: endUs, markJobId: jobId } : mark);
  });

  it('ends at the newest of any set of jobs, in any order', () => {
    const end = fc.record({ endUs: fc.bigInt({ min: 0n, max: 5n }), jobId: fc.bigInt({ min: 1n, max: 5n }) });
    fc.assert(
      fc.property(fc.array(end, { minLength: 1 }), (ends) => {
        const zero = { markEndUs: 0n, markJobId: 0n };
        const newest = [...ends].sort((a, b) => Number(a.endUs - b.endUs || a.jobId - b.jobId)).at(-1);
        expect(ends.reduce(withMark, zero)).toEqual({ markEndUs: newest?.endUs, markJobId: newest?.jobId });
      }),
    );
  });
});
