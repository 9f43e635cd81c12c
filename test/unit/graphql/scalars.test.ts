import { GraphQLError, type GraphQLScalarType, Kind, parseValue } from 'graphql';
import { describe, expect, it } from 'vitest';
import * as scalars from '../../../src/graphql/scalars.ts';

const cases: [GraphQLScalarType, string[], unknown[]][] = [
  [
    scalars.IPv4,
    ['10.0.0.7', '0.0.0.0', '255.255.255.255'],
    [
      '10.0.0',
      '10.0.0.256',
      '010.0.0.1',
      '10.0.0.7/24',
      '::1',
      '',
      ' 10.0.0.7',
      '10.0.0.7\n',
      7,
      null,
      {},
      '1'.repeat(300),
    ],
  ],
  [scalars.IPv6, ['::1', '2001:db8::7', 'fe80::'], ['10.0.0.7', 'fe80::1%eth0', '2001:db8::/64', ':::', '', 7]],
  [
    scalars.CIDRv4,
    ['10.0.0.0/24', '0.0.0.0/0', '10.0.0.1/32'],
    ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/024', '10.0.0.0/', '10.0.0.0/-1', '010.0.0.0/24', '::/64', 24],
  ],
  [
    scalars.CIDRv6,
    ['2001:db8::/64', '::/0', 'fd00::1/128'],
    ['2001:db8::', '2001:db8::/129', '10.0.0.0/24', 'fe80::%1/64', '::/064'],
  ],
  [
    scalars.Mac,
    ['aa:00:00:1d:02:7e', 'AA:00:00:1D:02:7E'],
    ['aa:00:00:1d:02', 'aa-00-00-1d-02-7e', 'aa00001d027e', 'zz:00:00:1d:02:7e'],
  ],
  [
    scalars.Url,
    ['https://cluster.example.org:5080', 'http://[::1]:1/x'],
    ['cluster.example.org', '//x', '', 'https://a\0b', 1],
  ],
];

describe.each(cases.map(([scalar, good, bad]) => [scalar.name, scalar, good, bad] as const))(
  '%s',
  (_name, scalar, good, bad) => {
    it.each(good)('takes %j, as a variable and in the document', (text) => {
      expect(scalar.parseValue(text)).toBe(text);
      expect(scalar.parseLiteral({ kind: Kind.STRING, value: text })).toBe(text);
    });

    it.each(bad)('refuses %j with a code', (value) => {
      const coded = expect.objectContaining({ extensions: { code: 'INVALID_INPUT' } });
      expect(() => scalar.parseValue(value)).toThrow(coded);
      expect(() => scalar.parseValue(value)).toThrow(GraphQLError);
      expect(() => scalar.parseLiteral(parseValue(JSON.stringify(typeof value === 'object' ? null : value)))).toThrow(
        coded,
      );
    });
  },
);

describe('BigInt', () => {
  it('is a number as far as JSON readers are exact, and a text beyond', () => {
    expect(scalars.BigIntScalar.serialize(17n)).toBe(17);
    expect(scalars.BigIntScalar.serialize(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
    expect(scalars.BigIntScalar.serialize(2n ** 53n)).toBe('9007199254740992');
    expect(scalars.BigIntScalar.parseValue('9007199254740993')).toBe(9007199254740993n);
    expect(scalars.BigIntScalar.parseValue(17)).toBe(17n);
    for (const bad of ['', 'x', '1.5', 1.5, true, null, '9'.repeat(100)]) {
      expect(() => scalars.BigIntScalar.parseValue(bad)).toThrow(
        expect.objectContaining({ extensions: { code: 'INVALID_INPUT' } }),
      );
    }
  });
});

describe('DateTime and JSON', () => {
  it('are coded when they refuse', () => {
    expect(scalars.DateTime.serialize(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(() => scalars.DateTime.parseValue('yesterday')).toThrow(
      expect.objectContaining({ extensions: { code: 'INVALID_INPUT' } }),
    );
    expect(() => scalars.JsonObject.parseValue('{}')).toThrow(
      expect.objectContaining({ extensions: { code: 'INVALID_INPUT' } }),
    );
    expect(scalars.JsonObject.parseValue({ a: [1] })).toEqual({ a: [1] });
  });
});
