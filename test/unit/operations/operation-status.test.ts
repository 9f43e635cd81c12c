import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deriveStatus,
  isFinalStep,
  isTerminal,
  type OperationStatus,
  type StepProgress,
  type StepState,
} from '../../../src/operations/operation-status.rules.ts';

type JobStatus = StepProgress['jobStatus'];

/** A step as `STATE` or `STATE/JOB STATUS`; the last one of a list decides, the others prepare it. */
function steps(...texts: string[]): StepProgress[] {
  return texts.map((text, at) => {
    const [state, jobStatus = null] = text.split('/') as [StepState, JobStatus?];
    return { role: at === texts.length - 1 ? 'create' : `add:${at}`, state, jobStatus };
  });
}

describe('an operation of one step', () => {
  it.each<[step: string, status: OperationStatus]>([
    ['PLANNED', 'ADMITTED'],
    ['SENDING', 'SUBMITTING'],
    // Adopted by the watcher while its own answer is still on its way.
    ['SENDING/QUEUED', 'SUBMITTING'],
    ['SENDING/RUNNING', 'RUNNING'],
    ['SUBMITTED', 'SUBMITTED'],
    ['SUBMITTED/QUEUED', 'SUBMITTED'],
    ['SUBMITTED/WAITING', 'SUBMITTED'],
    ['SUBMITTED/CANCELING', 'RUNNING'],
    ['SUBMITTED/RUNNING', 'RUNNING'],
    ['DONE/SUCCESS', 'SUCCESS'],
    ['DONE/ERROR', 'ERROR'],
    ['DONE/CANCELED', 'CANCELED'],
    ['REJECTED', 'ERROR'],
    ['CANCELED', 'CANCELED'],
    ['INDETERMINATE', 'INDETERMINATE'],
    ['INDETERMINATE/RUNNING', 'INDETERMINATE'],
  ])('%s is %s', (step, status) => {
    expect(deriveStatus(steps(step), 'create')).toBe(status);
  });
});

describe('an operation of several steps', () => {
  it.each<[rule: string, steps: string[], status: OperationStatus]>([
    ['has not begun while none was sent', ['PLANNED', 'PLANNED'], 'ADMITTED'],
    ['is being submitted while one is being sent', ['SENDING', 'PLANNED'], 'SUBMITTING'],
    ['is being submitted while some are not sent', ['SUBMITTED/QUEUED', 'PLANNED'], 'SUBMITTING'],
    ['is being submitted between two of its jobs', ['DONE/SUCCESS', 'PLANNED'], 'SUBMITTING'],
    ['runs as soon as one of its jobs runs', ['SUBMITTED/RUNNING', 'PLANNED'], 'RUNNING'],
    ['runs when its last job does', ['DONE/SUCCESS', 'SUBMITTED/RUNNING'], 'RUNNING'],
    ['waits with all of its jobs', ['SUBMITTED/QUEUED', 'SUBMITTED/QUEUED'], 'SUBMITTED'],
    ['does not end before its last step', ['SUBMITTED/RUNNING', 'DONE/SUCCESS'], 'RUNNING'],
    ['ends with the deciding step', ['DONE/SUCCESS', 'DONE/SUCCESS'], 'SUCCESS'],
    ['succeeds though a preparing step failed', ['DONE/ERROR', 'DONE/SUCCESS'], 'SUCCESS'],
    ['fails with the deciding step', ['DONE/SUCCESS', 'DONE/ERROR'], 'ERROR'],
    ['a refused step ends it in ERROR though the rest was canceled for it', ['REJECTED', 'CANCELED'], 'ERROR'],
    ['a cancel ends it in CANCELED', ['DONE/SUCCESS', 'CANCELED'], 'CANCELED'],
    ['a cancel of its job ends it in CANCELED', ['DONE/SUCCESS', 'DONE/CANCELED'], 'CANCELED'],
    ['is INDETERMINATE when nothing else is open', ['DONE/SUCCESS', 'INDETERMINATE'], 'INDETERMINATE'],
    ['runs while another of its jobs does', ['INDETERMINATE', 'SUBMITTED/RUNNING'], 'RUNNING'],
  ])('%s', (_rule, texts, status) => {
    expect(deriveStatus(steps(...texts), 'create')).toBe(status);
  });

  it('is SUCCESS at once without any step', () => {
    expect(deriveStatus([], 'create')).toBe('SUCCESS');
  });
});

describe('for any steps', () => {
  const step = fc.record({
    state: fc.constantFrom<StepState>(
      'PLANNED',
      'SENDING',
      'SUBMITTED',
      'DONE',
      'REJECTED',
      'CANCELED',
      'INDETERMINATE',
    ),
    jobStatus: fc.constantFrom<JobStatus>(
      null,
      'QUEUED',
      'WAITING',
      'CANCELING',
      'RUNNING',
      'CANCELED',
      'SUCCESS',
      'ERROR',
    ),
  });
  const anySteps = fc
    .array(step, { minLength: 1, maxLength: 5 })
    .map((list) => list.map((one, at) => ({ ...one, role: at === 0 ? 'job' : `other${at}` })));

  it('the operation is terminal exactly when every step is final', () => {
    fc.assert(
      fc.property(anySteps, (list) => {
        expect(isTerminal(deriveStatus(list, 'job'))).toBe(list.every(({ state }) => isFinalStep(state)));
      }),
    );
  });

  it('the order of the steps does not matter', () => {
    const shuffled = anySteps.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(deriveStatus(other, 'job')).toBe(deriveStatus(list, 'job'));
      }),
    );
  });

  it('a SUCCESS means that the deciding job succeeded, and no more', () => {
    fc.assert(
      fc.property(anySteps, (list) => {
        const isSuccess = list[0]?.state === 'DONE' && list[0].jobStatus === 'SUCCESS';
        const hasEnded = list.every(({ state }) => isFinalStep(state));
        expect(deriveStatus(list, 'job') === 'SUCCESS').toBe(isSuccess && hasEnded);
      }),
      { numRuns: 500 },
    );
  });
});
