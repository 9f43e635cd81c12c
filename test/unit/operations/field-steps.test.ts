import { describe, expect, it } from 'vitest';
import { fieldSteps } from '../../../src/operations/field-steps.rules.ts';

interface Row {
  readonly state?: string | null;
  readonly groups?: readonly string[];
  readonly at?: Date | null;
  readonly job?: { readonly id: bigint } | null;
  readonly id?: bigint;
}

describe('the steps between two rows', () => {
  it.each<[rule: string, before: Row | null, after: Row, steps: [field: keyof Row, from: unknown, to: unknown][]]>([
    ['a value that changed', { state: 'BUILD' }, { state: 'STARTED' }, [['state', 'BUILD', 'STARTED']]],
    ['nothing where nothing did', { state: 'BUILD' }, { state: 'BUILD' }, []],
    ['all of a new row', null, { state: 'BUILD' }, [['state', null, 'BUILD']]],
    ['no step between null and nothing', { state: null }, {}, []],
    ['no step between two lists that say the same', { groups: ['a'] }, { groups: ['a'] }, []],
    ['a step for another order', { groups: ['a', 'b'] }, { groups: ['b', 'a'] }, [['groups', ['a', 'b'], ['b', 'a']]]],
    ['no step between two dates of one moment', { at: new Date(5) }, { at: new Date(5) }, []],
    ['a step to another moment', { at: new Date(5) }, { at: new Date(6) }, [['at', new Date(5), new Date(6)]]],
    ['a step from nothing to something', { job: null }, { job: { id: 7n } }, [['job', null, { id: 7n }]]],
    ['no step between equal big numbers', { job: { id: 7n }, id: 7n }, { job: { id: 7n }, id: 7n }, []],
    ['a step between big numbers', { job: { id: 7n } }, { job: { id: 8n } }, [['job', { id: 7n }, { id: 8n }]]],
  ])('%s', (_rule, before, after, expected) => {
    const steps = expected.map(([field, from, to]) => ({ field, from, to }));
    expect(fieldSteps<Row>(before, after, ['state', 'groups', 'at', 'job', 'id'])).toEqual(steps);
  });

  it('only fields that were asked for', () => {
    expect(fieldSteps<Row>({ state: 'BUILD', id: 1n }, { state: 'ERROR', id: 2n }, ['id'])).toEqual([
      { field: 'id', from: 1n, to: 2n },
    ]);
  });
});
