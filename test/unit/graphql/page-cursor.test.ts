import fc from 'fast-check';
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readPageRequest } from '../../../src/graphql/page-arguments.ts';
import {
  type CursorScope,
  decodePageCursor,
  encodePageCursor,
  type OrderKind,
} from '../../../src/graphql/page-cursor.ts';

const VALUES: Readonly<Record<OrderKind, fc.Arbitrary<string>>> = {
  int4: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(String),
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  uuid: fc.uuid(),
  text: fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  timestamptz: fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map(String),
};

const scopes = fc
  .tuple(
    fc.constantFrom('VirtualMachine', 'Network'),
    fc.constantFrom('CREATED', 'NAME'),
    fc.constantFrom('ASC' as const, 'DESC' as const),
    fc.array(fc.constantFrom(...(Object.keys(VALUES) as OrderKind[])), { minLength: 1, maxLength: 2 }),
  )
  .map(([typename, order, direction, kinds]): CursorScope => ({ typename, order, direction, kinds }));

const placed = scopes.chain((scope) =>
  fc.tuple(fc.constant(scope), fc.tuple(...scope.kinds.map((kind) => VALUES[kind]))),
);

const refused = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(GraphQLError);
    return (error as GraphQLError).extensions;
  }
  throw new Error('not refused');
};

describe('page cursors', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(placed, ([scope, values]) => {
        expect(decodePageCursor(scope, encodePageCursor(scope, values), ['after'])).toEqual(values);
      }),
    );
  });

  it('are refused in any other list, order or direction', () => {
    fc.assert(
      fc.property(placed, scopes, ([scope, values], other) => {
        const isSame =
          scope.typename === other.typename && scope.order === other.order && scope.direction === other.direction;
        fc.pre(!isSame);
        expect(refused(() => decodePageCursor(other, encodePageCursor(scope, values), ['after']))).toEqual({
          code: 'INVALID_INPUT',
          path: ['after'],
        });
      }),
    );
  });

  it('are refused when they are any other text', () => {
    const scope: CursorScope = { typename: 'VirtualMachine', order: 'NAME', direction: 'ASC', kinds: ['text', 'int4'] };
    const anything = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc
        .array(fc.anything({ maxDepth: 1 }))
        .map((rest) =>
          Buffer.from(
            JSON.stringify(['VirtualMachine', 'NAME', 'ASC', ...rest], (_key, value) =>
              typeof value === 'bigint' ? String(value) : value,
            ),
          ).toString('base64url'),
        ),
    );
    fc.assert(
      fc.property(anything, (text) => {
        try {
          const values = decodePageCursor(scope, text, ['after']);
          // What is taken is a cursor that we could have made.
          expect(encodePageCursor(scope, values)).toBe(text);
          expect(Number(values[1])).toBeLessThan(2 ** 31);
        } catch (error) {
          expect((error as GraphQLError).extensions).toEqual({ code: 'INVALID_INPUT', path: ['after'] });
        }
      }),
    );
  });

  it.each([
    ['int4', '2147483648'],
    ['int4', ''],
    ['int4', '1.5'],
    ['int8', '9223372036854775808'],
    ['text', 'a\0b'],
    ['uuid', 'not-a-uuid'],
    ['timestamptz', '2026-01-01'],
    ['timestamptz', '999999999999999999'],
  ] as const)('of kind %s with the value %j are refused: PostgreSQL would fail on it', (kind, value) => {
    const scope: CursorScope = { typename: 'X', order: 'Y', direction: 'ASC', kinds: [kind] };
    expect(refused(() => decodePageCursor(scope, encodePageCursor(scope, [value]), ['before']))).toEqual({
      code: 'INVALID_INPUT',
      path: ['before'],
    });
  });
});

describe('page sizes', () => {
  const scope: CursorScope = { typename: 'X', order: 'Y', direction: 'ASC', kinds: ['int4'] };

  it('are 20 by default and 0 to 100 otherwise', () => {
    expect(readPageRequest({}, scope)).toEqual({ size: 20, fromEnd: false, after: null, before: null });
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom('first', 'last'), (size, argument) => {
        const read = () => readPageRequest({ [argument]: size }, scope);
        if (size >= 0 && size <= 100) expect(read()).toMatchObject({ size, fromEnd: argument === 'last' });
        else expect(refused(read)).toEqual({ code: 'INVALID_INPUT', path: [argument] });
      }),
    );
  });
});
