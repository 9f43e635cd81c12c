import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/server/rate-limit.ts';

test('a burst, then the average, then a full bucket again', () => {
  let nowMs = 0;
  const mayPass = createRateLimit({ perSecond: 2, burst: 3 }, () => nowMs);
  const passed = (tries: number) => Array.from({ length: tries }, () => mayPass('a')).filter(Boolean).length;
  expect(passed(10)).toBe(3);
  nowMs = 499;
  expect(passed(10)).toBe(0);
  nowMs = 1_000;
  expect(passed(10)).toBe(2);
  nowMs = 1_000_000;
  expect(passed(10)).toBe(3);
});

test('keys do not share a bucket, and unknown keys do not pile up', () => {
  const mayPass = createRateLimit({ perSecond: 1, burst: 1 }, () => 0);
  expect([mayPass('a'), mayPass('a'), mayPass('b')]).toEqual([true, false, true]);
  for (let key = 0; key < 20_000; key++) mayPass(`key ${key}`);
  expect(mayPass('a')).toBe(true);
});
