import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, inputHash, validIdempotencyKey } from '../../../src/operations/idempotency.ts';
import { InvalidInput } from '../../../src/operations/user-error.ts';

describe('canonical JSON', () => {
  it.each<[value: unknown, text: string]>([
    [{ b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    [[3, 1, 2], '[3,1,2]'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [[undefined], '[null]'],
    [undefined, 'null'],
    ['"é\n', '"\\"é\\n"'],
    [{ 'a"b': true }, '{"a\\"b":true}'],
    [new Date('2026-11-30T18:00:00Z'), '"2026-11-30T18:00:00.000Z"'],
    [{ id: 9_007_199_254_740_993n }, '{"id":"9007199254740993n"}'],
  ])('%o', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('reads back as the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order in which an object was made', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(canonicalJson(Object.fromEntries(Object.entries(value).reverse()))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe('the input’s hash', () => {
  const input = { name: 'web', networks: [{ networkId: 1, ipv4: null }], start: true, idempotencyKey: 'k' };

  it('is a SHA-256 that does not change between releases: a key is kept for days', () => {
    expect(inputHash('createVirtualMachine', input)).toBe(
      'cfd172974c66a2756698cf3fe87103fb32de00327003f62f120beabccf59e1cc',
    );
  });

  it.each<[rule: string, kind: string, input: object, isSame: boolean]>([
    ['the key is no part of it', 'createVirtualMachine', { ...input, idempotencyKey: 'other' }, true],
    [
      'the order of fields is no part of it',
      'createVirtualMachine',
      Object.fromEntries(Object.entries(input).reverse()),
      true,
    ],
    ['a field left out is one that is undefined', 'createVirtualMachine', { ...input, backendId: undefined }, true],
    ['another mutation', 'deleteVirtualMachine', input, false],
    ['another value', 'createVirtualMachine', { ...input, name: 'web2' }, false],
    ['another type of value', 'createVirtualMachine', { ...input, start: 'true' }, false],
    ['another order of a list', 'createVirtualMachine', { ...input, networks: [...input.networks, {}] }, false],
    [
      'a key further down is an input like any other',
      'createVirtualMachine',
      { ...input, nested: { idempotencyKey: 'k' } },
      false,
    ],
  ])('%s', (_rule, kind, other, isSame) => {
    expect(inputHash(kind, other) === inputHash('createVirtualMachine', input)).toBe(isSame);
  });

  it('tells two moments apart', () => {
    expect(inputHash('k', { at: new Date(1) })).not.toBe(inputHash('k', { at: new Date(2) }));
  });
});

describe('an idempotency key', () => {
  it.each([['a'], [' '], ['~'.repeat(200)], ['0d5f-"quoted"']])('takes %j', (key) => {
    expect(validIdempotencyKey(key)).toBe(key);
  });

  it.each([[null], [undefined]])('is not assumed when there is %s', (key) => {
    expect(validIdempotencyKey(key)).toBeNull();
  });

  it.each([[''], ['x'.repeat(201)], ['schlüssel'], ['tab\t'], ['line\n'], ['\0'], ['\x7f']])('refuses %j', (key) => {
    expect(() => validIdempotencyKey(key)).toThrow(InvalidInput);
    expect(() => validIdempotencyKey(key)).toThrow(expect.objectContaining({ path: ['idempotencyKey'] }));
  });
});
