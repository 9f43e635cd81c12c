import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProgressCoalescer } from '../../../src/changes/coalesce.ts';
import type { ChangeRecord } from '../../../src/changes/record.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function progress(entityId: string, version: number): ChangeRecord {
  return {
    id: BigInt(version),
    xid: BigInt(version),
    entityType: 'VIRTUAL_MACHINE',
    entityId,
    version,
    changes: [{ field: 'buildPercentage', from: version - 1, to: version }],
    before: version - 1,
    after: version,
    isProgress: true,
    operationId: null,
    cause: null,
    at: new Date(0),
  };
}

describe('progress', () => {
  test('passes at once, then every 250 ms with what came in between', () => {
    const released: ChangeRecord[] = [];
    const coalescer = new ProgressCoalescer((record) => released.push(record));
    expect(coalescer.admit(progress('a', 1))).toBe(true);
    expect(coalescer.admit(progress('a', 2))).toBe(false);
    expect(coalescer.admit(progress('b', 1))).toBe(true);
    expect(coalescer.admit(progress('a', 3))).toBe(false);
    expect(coalescer.heldOf('VIRTUAL_MACHINE').map(({ version }) => version)).toEqual([3]);
    expect(coalescer.heldOf('NETWORK')).toEqual([]);
    vi.advanceTimersByTime(249);
    expect(released).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(released).toEqual([
      { ...progress('a', 3), changes: [{ field: 'buildPercentage', from: 1, to: 3 }], before: 1 },
    ]);
    expect(coalescer.admit(progress('a', 4))).toBe(false);
    vi.advanceTimersByTime(250);
    expect(released.at(-1)).toEqual(progress('a', 4));
    vi.advanceTimersByTime(250);
    expect(coalescer.admit(progress('a', 5))).toBe(true);
    coalescer.clear();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no timer behind when there is nothing to wait for', () => {
    const coalescer = new ProgressCoalescer(() => {});
    for (let i = 0; i < 5; i += 1) coalescer.admit(progress('a', i));
    vi.advanceTimersByTime(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('held is given up to a state change, once', () => {
    const coalescer = new ProgressCoalescer(() => {
      throw new Error('was taken');
    });
    coalescer.admit(progress('a', 1));
    coalescer.admit(progress('a', 2));
    expect(coalescer.take('VIRTUAL_MACHINE', 'a')).toEqual(progress('a', 2));
    expect(coalescer.take('VIRTUAL_MACHINE', 'a')).toBeUndefined();
    vi.advanceTimersByTime(1_000);
  });

  test('in any order of arrivals: ≤ 4/s for each entity, rising, steps without a gap, the last one not lost', () => {
    const arrivals = fc.array(
      fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), entityId: fc.constantFrom('a', 'b', 'c') }),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(arrivals, (list) => {
        const passed: { record: ChangeRecord; atMs: number }[] = [];
        const pass = (record: ChangeRecord) => passed.push({ record, atMs: performance.now() });
        const coalescer = new ProgressCoalescer(pass);
        const versions = new Map<string, number>();
        for (const { waitMs, entityId } of list) {
          vi.advanceTimersByTime(waitMs);
          const version = (versions.get(entityId) ?? 0) + 1;
          versions.set(entityId, version);
          if (coalescer.admit(progress(entityId, version))) pass(progress(entityId, version));
        }
        vi.advanceTimersByTime(1_000);
        for (const [entityId, last] of versions) {
          const own = passed.filter(({ record }) => record.entityId === entityId);
          let value = 0;
          let at = Number.NEGATIVE_INFINITY;
          for (const { record, atMs } of own) {
            expect(record.changes[0]!.from).toBe(value);
            value = record.changes[0]!.to as number;
            expect(atMs - at).toBeGreaterThanOrEqual(249);
            at = atMs;
          }
          expect(value).toBe(last);
        }
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });
});
