import { describe, expect, it } from 'vitest';
import { chooseJob } from '../../../src/dispatcher/recover.ts';
import { type GanetiJob, parseJob } from '../../../src/ganeti/index.ts';
import { parseStepReason, stepReason } from '../../../src/operations/operation.store.ts';
import { recordedJob } from './recorded.ts';

const OPERATION = '00000000-0000-4000-8000-000000000003';
const REASON = stepReason(OPERATION, 0);

function job(id: number, ...trail: [source: string, text: string][]): GanetiJob {
  return parseJob({
    id,
    status: 'queued',
    ops: [{ OP_ID: 'OP_INSTANCE_CREATE', reason: trail.map(([source, text]) => [source, text, 1]) }],
  });
}

describe('the text by which a step’s job is found again', () => {
  it('is ASCII without a word of the user, and is read back', () => {
    expect(stepReason(OPERATION, 12)).toBe(`op:${OPERATION}.12`);
    expect(parseStepReason(stepReason(OPERATION, 12))).toEqual({ operationId: OPERATION, step: 12 });
  });

  it.each([[null], [''], ['op:1.0'], [`op:${OPERATION}`], [`op:${OPERATION}.x`], [`x${REASON}`], [`${REASON} `]])(
    '%j is none',
    (reason) => {
      expect(parseStepReason(reason)).toBeNull();
    },
  );
});

describe('the job of an unanswered submission', () => {
  const ours = (id: number) => job(id, ['gnt:user', REASON], ['gnt:library:rlib2:instances', '']);

  it.each<[rule: string, jobs: GanetiJob[], adopted: number | null, extra: number[]]>([
    ['is none where no job bears its text', [job(6, ['gnt:user', stepReason(OPERATION, 1)])], null, []],
    ['is the one that bears it', [job(6), ours(7), job(8)], 7, []],
    ['is the one with the lowest id of two; the other is told', [ours(9), ours(7), ours(8)], 7, [8, 9]],
    ['is not one that only begins alike', [job(7, ['gnt:user', `${REASON}0`])], null, []],
    ['is not one in which another program used the text', [job(7, ['gnt:client:gnt-instance', REASON])], null, []],
  ])('%s', (_rule, jobs, adopted, extra) => {
    const chosen = chooseJob(jobs, REASON);
    expect([chosen.adopt?.id ?? null, chosen.extra.map(({ id }) => id)]).toEqual([adopted, extra]);
  });

  it('is found among recorded jobs', () => {
    const jobs = ['12-create-name-taken', '09-create-success', '18-shutdown'].map(recordedJob);
    expect(chooseJob(jobs, REASON).adopt?.id).toBe(7);
  });
});
