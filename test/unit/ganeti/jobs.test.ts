import { describe, expect, it } from 'vitest';
import { jobFilters, parseJobRows } from '../../../src/ganeti/job-query.ts';
import {
  isFinal,
  type JobField,
  jobError,
  jobReason,
  parseJob,
  UnknownJobStatusError,
} from '../../../src/ganeti/jobs.ts';
import { recorded, recordedFiles } from './fixture.ts';

const withJobs = recordedFiles().filter((file) => recorded(file).job !== undefined);

describe('a recorded job', () => {
  it.each(withJobs)('%s is read', (file) => {
    const raw = recorded(file).job ?? {};
    const job = parseJob(raw);
    expect(job.id).toBe(raw.id);
    expect(isFinal(job.status)).toBe(true);
    expect(job.opStatus).toHaveLength(job.ops?.length ?? 0);
    const [seconds, micros] = raw.received_ts as [number, number];
    expect(job.receivedUs).toBe(BigInt(seconds) * 1_000_000n + BigInt(micros));
    if (job.startUs !== null && job.endUs !== null) expect(job.startUs <= job.endUs).toBe(true);
    expect(jobError(job) === null).toBe(job.status === 'success');
    expect(jobReason(job)).toMatch(/^op:/);
  });

  it('has its log in order', () => {
    const job = parseJob(recorded('09').job ?? {});
    expect(job.opLog[0]?.map(({ serial }) => serial)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(job.opLog[0]?.at(-1)).toEqual({
      serial: 13,
      atUs: 1_796_059_924_608_061n,
      message: '* starting instance...',
    });
    expect(job.opResult).toEqual([['node1.lab.test']]);
  });

  it.each([
    ['12', "Instance 'snf-1' is already in the cluster", 'already_exists'],
    [
      '13',
      'Could not add os for instance snf-2 on node node1.lab.test: OS create script failed (exited with exit code 3), last lines in the log file:\nasked to fail',
      null,
    ],
    ['24', 'IP 10.0.0.77 not available in network snf-net-1', 'resource_not_unique'],
    ['36', "Dependency job 26 finished with status 'error', not one of 'success' as required", null],
  ])('%s says what went wrong', (name, message, code) => {
    expect(jobError(parseJob(recorded(name).job ?? {}))).toEqual({ message, code });
  });

  it('that was dequeued says nothing, and never started', () => {
    const job = parseJob(recorded('41').reply as Record<string, unknown>);
    expect(job).toMatchObject({ status: 'canceled', startUs: null, opResult: [null] });
    expect(jobError(job)).toBeNull();
    expect(jobReason(job)).toBeNull();
  });
});

describe('a job error', () => {
  it.each([
    ['a canceled waiting job', 'canceled', ['Job canceled by request'], 'Job canceled by request', null],
    ['one argument', 'error', [['OpExecError', ['text']]], 'text', null],
    ['arguments that are no text', 'error', [['NoMasterError', [['path']]]], 'NoMasterError: [["path"]]', null],
    ['no list of arguments', 'error', [['JobLost', 'gone']], 'gone', null],
    ['nothing', 'error', [null], 'the job failed without a message', null],
  ] as const)('of %s', (_what, status, opResult, message, code) => {
    expect(jobError({ status, opStatus: [status], opResult: [...opResult] })).toEqual({ message, code });
  });

  it('is that of the opcode that failed, whatever earlier ones returned', () => {
    const opResult = [
      ['OpLookalike', ['a result']],
      ['OpPrereqError', ['text', 'wrong_state']],
    ];
    expect(jobError({ status: 'error', opStatus: ['success', 'error'], opResult })).toEqual({
      message: 'text',
      code: 'wrong_state',
    });
  });

  it('is none of a job that succeeded', () => {
    expect(jobError({ status: 'success', opStatus: ['success'], opResult: [['node', ['x']]] })).toBeNull();
  });
});

describe('a status nobody knows', () => {
  it('is an error that names it', () => {
    const raw = { ...recorded('09').job, status: 'archived-in-space' };
    expect(() => parseJob(raw)).toThrow(UnknownJobStatusError);
    expect(() => parseJob(raw)).toThrow(/archived-in-space/);
  });

  it('sets one job aside, not the others', () => {
    const reply = {
      data: [
        [
          [0, 1],
          [0, 'success'],
        ],
        [
          [0, 2],
          [0, 'paused'],
        ],
        [
          [0, 3],
          [3, null],
        ],
        [
          [0, 4],
          [0, 'running'],
        ],
      ],
    };
    const { jobs, malformed } = parseJobRows(reply, ['id', 'status']);
    expect(jobs.map(({ id }) => id)).toEqual([1, 4]);
    expect(malformed).toEqual([{ id: 2, error: expect.any(UnknownJobStatusError), raw: { id: 2, status: 'paused' } }]);
  });
});

describe('a query', () => {
  it('of the recording is read', () => {
    const { request, reply } = recorded('45');
    const { jobs, malformed } = parseJobRows(reply, (request.body?.fields ?? []) as JobField[]);
    expect(malformed).toEqual([]);
    expect(jobs.map(({ id }) => id)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35]);
    expect(jobs[8]).toMatchObject({ status: 'canceled', ops: null, opLog: [] });
  });

  it('filters by id only', () => {
    expect(jobFilters({})).toEqual([]);
    expect(jobFilters({ ids: [] })).toEqual([]);
    expect(jobFilters({ afterId: 7 })).toEqual([['>', 'id', 7]]);
    expect(jobFilters({ ids: [3, 3] })).toEqual([['=', 'id', 3]]);
    expect(jobFilters({ afterId: 7, ids: [3, 4] })).toEqual([['|', ['>', 'id', 7], ['=', 'id', 3], ['=', 'id', 4]]]);
    const many = jobFilters({ ids: Array.from({ length: 450 }, (_, index) => index + 1) });
    expect(many.map((filter) => filter.length - 1)).toEqual([200, 200, 50]);
  });
});
