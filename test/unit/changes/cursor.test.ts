import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Covered,
  decodeEntityCursor,
  decodeListCursor,
  encodeEntityCursor,
  encodeListCursor,
  extend,
  ForeignCursorError,
} from '../../../src/changes/cursor.ts';
import { isVisible, parseSnapshot } from '../../../src/changes/snapshot.ts';

const whole = (text: string): Covered => ({ snapshot: parseSnapshot(text), throughId: null });
const part = (text: string, throughId: bigint): Covered => ({ snapshot: parseSnapshot(text), throughId });

describe('a cursor', () => {
  test('of an entity comes back as it was, and is of no other', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.nat(), (entityId, version) => {
        const cursor = encodeEntityCursor({ entityType: 'NETWORK', entityId, version });
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeEntityCursor(cursor, 'NETWORK', entityId)).toEqual({ entityType: 'NETWORK', entityId, version });
        expect(() => decodeEntityCursor(cursor, 'BACKEND', entityId)).toThrow(ForeignCursorError);
        expect(() => decodeEntityCursor(cursor, 'NETWORK', `${entityId}0`)).toThrow(ForeignCursorError);
        expect(() => decodeListCursor(cursor, 'NETWORK')).toThrow(ForeignCursorError);
      }),
    );
  });

  test('of a list comes back as it was, and is of no other', () => {
    const cursor = {
      entityType: 'VIRTUAL_MACHINE',
      covered: [whole('3:9:4,7'), part('8:12:', 99n)],
      held: [5n, 7n],
      known: new Map([['12', 3]]),
    } as const;
    const text = encodeListCursor(cursor);
    expect(decodeListCursor(text, 'VIRTUAL_MACHINE')).toEqual(cursor);
    expect(() => decodeListCursor(text, 'NETWORK')).toThrow(ForeignCursorError);
    expect(() => decodeEntityCursor(text, 'VIRTUAL_MACHINE', '1')).toThrow(ForeignCursorError);
  });

  test('made up is refused, whatever it is', () => {
    const refused = (text: string): void => {
      for (const decode of [() => decodeEntityCursor(text, 'NETWORK', '1'), () => decodeListCursor(text, 'NETWORK')]) {
        expect(decode).toThrow(ForeignCursorError);
      }
    };
    fc.assert(fc.property(fc.string(), refused));
    fc.assert(fc.property(fc.base64String(), refused));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => refused(Buffer.from(JSON.stringify(value)).toString('base64url'))),
    );
    refused('A'.repeat(100_000));
    for (const version of [-1, 1.5, 2 ** 31, '1', null]) {
      refused(Buffer.from(JSON.stringify(['e', 'NETWORK', '1', version])).toString('base64url'));
    }
    const tooMany = Array.from({ length: 13 }, () => ['1:1:']);
    refused(Buffer.from(JSON.stringify(['l', 'NETWORK', tooMany])).toString('base64url'));
  });

  test('extended covers what it covered and what was added, and begins with a whole snapshot', () => {
    const snapshot = fc.constantFrom('1:1:', '1:4:2', '1:6:2,5', '3:6:', '6:6:', '2:9:2,7', '9:9:');
    const added = fc.array(fc.tuple(snapshot, fc.option(fc.bigInt(0n, 6n))), { maxLength: 6 });
    const isCovered = (covered: readonly Covered[], xid: bigint, id: bigint): boolean =>
      covered.some((one) => isVisible(xid, one.snapshot) && (one.throughId === null || id <= one.throughId));
    fc.assert(
      fc.property(snapshot, added, (base, parts) => {
        const all: Covered[] = [whole(base)];
        let extended: readonly Covered[] = all;
        for (const [text, throughId] of parts) {
          const one = { snapshot: parseSnapshot(text), throughId };
          all.push(one);
          extended = extend(extended, one);
        }
        expect(extended[0]!.throughId).toBeNull();
        for (let xid = 0n; xid < 10n; xid += 1n) {
          for (let id = 0n; id < 8n; id += 1n) expect(isCovered(extended, xid, id)).toBe(isCovered(all, xid, id));
        }
      }),
    );
  });
});
