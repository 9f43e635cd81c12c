import { describe, expect, it } from 'vitest';
import { compare, median } from '../../../bench/result.ts';

const what = { scenario: 'list', metric: 'requests/s', peerName: 'a peer' };

describe('median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 100], 10],
    [[], Number.NaN],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toEqual(expected);
  });
});

describe('compare', () => {
  it.each([
    ['a lower bound', { atLeast: 2 }, 2, '≥ 2', true],
    ['a lower bound', { atLeast: 2.01 }, 2, '≥ 2.01', false],
    ['an upper bound', { atMost: 2 }, 2, '≤ 2', true],
    ['an upper bound', { atMost: 1.25 }, 2, '≤ 1.25', false],
  ])('looks at %s', (_name, bound, ratio, bar, holds) => {
    expect(compare(what, [20, 10, 30], [10], bound)).toEqual({ ...what, ours: 20, peer: 10, ratio, bar, holds });
  });

  it('says nothing where nothing is asked', () => {
    expect(compare(what, [1], [3])).toMatchObject({ ratio: 0.333, bar: null, holds: null });
  });
});
