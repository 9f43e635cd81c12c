import { expect, test } from 'vitest';
import { freezeJson, toJsonText } from '../../../src/changes/json.ts';

test.each([
  [{ at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  [
    [5n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 60n)],
    [5, 2 ** 53 - 1, '9007199254740992', '-1152921504606846976'],
  ],
  [undefined, null],
  [
    { a: undefined, b: Number.NaN, c: [undefined] },
    { b: null, c: [null] },
  ],
  ['a\0b', 'a\uFFFDb'],
  [
    { 'k\0': ['\uD800', 'x\uDC00y'], at: new Date(0), n: 7n },
    { 'k\uFFFD': ['\uFFFD', 'x\uFFFDy'], at: '1970-01-01T00:00:00.000Z', n: 7 },
  ],
  ['😀 \\u0000 is six characters', '😀 \\u0000 is six characters'],
])('what JSON or jsonb has no form for is replaced: case %#', (value, stored) => {
  expect(JSON.parse(toJsonText(value))).toEqual(stored);
});

test('freezes all the way down', () => {
  const value = freezeJson({ a: [{ b: 1 }], c: null });
  expect([value, value.a, value.a[0]].every(Object.isFrozen)).toBe(true);
});
