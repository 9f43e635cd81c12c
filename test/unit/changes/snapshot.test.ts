import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { covers, isVisible, parseSnapshot } from '../../../src/changes/snapshot.ts';

/** Any snapshot of a small world, as PostgreSQL spells it. */
const snapshots = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 10 }), fc.infiniteStream(fc.boolean()))
  .map(([xmin, span, isOpen]) => {
    const xip = Array.from({ length: span }, (_, i) => xmin + i).filter(() => isOpen.next().value);
    return `${xmin}:${xmin + span}:${xip.join(',')}`;
  });

describe('a snapshot', () => {
  test('sees what PostgreSQL says it sees', () => {
    // select x, pg_visible_in_snapshot(x::text::xid8, '10:20:10,14,15') from generate_series(8, 21) x
    const snapshot = parseSnapshot('10:20:10,14,15');
    const visible = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21].filter((xid) =>
      isVisible(BigInt(xid), snapshot),
    );
    expect(visible).toEqual([8, 9, 11, 12, 13, 16, 17, 18, 19]);
  });

  test.each([
    '',
    '1',
    '1:2',
    '0:1:',
    '2:1:',
    '1:5:5',
    '1:5:0',
    '1:5:3,3',
    '1:5:3,2',
    '1:5:2,',
    '-1:5:',
    '1:5: 2',
    '1:5:a',
    `1:${2n ** 63n}:`,
  ])('is not %j', (text) => {
    expect(() => parseSnapshot(text)).toThrow(RangeError);
  });

  test('covers another exactly when it sees all that the other sees', () => {
    fc.assert(
      fc.property(snapshots, snapshots, (a, b) => {
        const [later, earlier] = [parseSnapshot(a), parseSnapshot(b)];
        const all = Array.from({ length: 35 }, (_, i) => BigInt(i));
        const seesAll = all.every((xid) => !isVisible(xid, earlier) || isVisible(xid, later));
        // One that sees no more because of what lies between may be called not covered; never the reverse.
        if (covers(later, earlier)) expect(seesAll).toBe(true);
        if (seesAll && later.xmax >= earlier.xmax) expect(covers(later, earlier)).toBe(true);
      }),
    );
  });
});
