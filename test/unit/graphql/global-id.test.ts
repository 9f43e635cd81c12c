import fc from 'fast-check';
import type { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { argumentId, defineNodeType, encodeGlobalId, inputId, parseGlobalId } from '../../../src/graphql/global-id.ts';
import { InvalidInput } from '../../../src/operations/user-error.ts';

const Small = defineNodeType('Small', 'int4');
const Large = defineNodeType('Large', 'int8');
const Unique = defineNodeType('Unique', 'uuid');

describe('global ids', () => {
  it('lead back to type and key', () => {
    fc.assert(
      fc.property(fc.nat(), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.uuid(), (small, large, unique) => {
        expect(inputId(Small, encodeGlobalId('Small', small), [])).toBe(small);
        expect(inputId(Large, encodeGlobalId('Large', large), [])).toBe(large);
        expect(inputId(Unique, encodeGlobalId('Unique', unique), [])).toBe(unique);
      }),
    );
  });

  it('are known ahead for seeded rows', () => {
    expect(Buffer.from(encodeGlobalId('Flavor', 1), 'base64url').toString()).toBe('Flavor:1');
  });

  it('have one spelling: whatever else is read is refused', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc
        .tuple(fc.constantFrom('Small', 'Large', 'Unique', 'Other', ''), fc.string())
        .map((parts) => Buffer.from(parts.join(':')).toString('base64url')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseGlobalId(text);
        if (parsed) expect(encodeGlobalId(parsed.typename, parsed.id)).toBe(text);
      }),
    );
  });

  it.each([
    '',
    'Small',
    encodeGlobalId('Small', '01'),
    encodeGlobalId('Small', -1),
    encodeGlobalId('Small', 2 ** 31),
    encodeGlobalId('Large', 1),
    `${encodeGlobalId('Small', 1)}=`,
    encodeGlobalId('Small', '1\0'),
  ])('%j is no id of a Small', (text) => {
    expect(() => inputId(Small, text, ['networks', '0', 'networkId'])).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', path: ['networks', '0', 'networkId'] }),
    );
    expect(() => inputId(Small, text, [])).toThrow(InvalidInput);
    try {
      argumentId(Small, text, ['id']);
      expect.unreachable();
    } catch (error) {
      expect((error as GraphQLError).extensions).toEqual({ code: 'INVALID_INPUT', path: ['id'] });
    }
  });
});
