import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lockNumber, type ResourceKey, resourceKey } from '../../../src/operations/resource-key.ts';

describe('keys', () => {
  it.each<[key: ResourceKey, text: string]>([
    [resourceKey.backend(3), 'backend:3'],
    [resourceKey.reconcile(3), 'reconcile:3'],
    [resourceKey.virtualMachine(12), 'vm:12'],
    [resourceKey.network(4), 'network:4'],
    [resourceKey.backendNetwork(4, 3), 'backendnetwork:4:3'],
    [resourceKey.addressPool(4), 'ippool:4'],
    [resourceKey.image(5), 'image:5'],
    [resourceKey.deployment('0d-1'), 'deployment:0d-1'],
    [resourceKey.submission('me', 'again/1'), 'submit:me:again%2F1'],
    // Limit 8 of the original: "a:b" + "c" and "a" + "b:c" were one key.
    [resourceKey.submission('a:b', 'c'), 'submit:a%3Ab:c'],
    [resourceKey.submission('a', 'b:c'), 'submit:a:b%3Ac'],
    [resourceKey.submission("!'()*", 'é'), 'submit:%21%27%28%29%2A:%C3%A9'],
  ])('%s', (key, text) => {
    expect(key).toBe(text);
  });

  const id = fc.oneof(
    fc.string({ unit: fc.constantFrom(':', '/', '%', '3', 'A', 'é') }),
    fc.string({ unit: 'binary' }),
  );

  it('two different pairs of ids never share a key', () => {
    fc.assert(
      fc.property(id, id, id, id, (a, b, c, d) => {
        fc.pre(a !== c || b !== d);
        expect(resourceKey.submission(a, b)).not.toBe(resourceKey.submission(c, d));
      }),
      { numRuns: 500 },
    );
  });

  it('an id is told from its key, whatever it is made of', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        const [type, ...parts] = resourceKey.submission(a, b).split(':');
        expect([type, ...parts.map(decodeURIComponent)]).toEqual(['submit', a, b]);
        expect(parts.every((part) => /^[A-Za-z0-9._~%-]*$/.test(part))).toBe(true);
      }),
    );
  });
});

describe('lock numbers', () => {
  it.each<[key: ResourceKey, number: bigint]>([
    [resourceKey.virtualMachine(1), 7_552_972_557_035_191_896n],
    [resourceKey.backend(1), -89_891_302_921_443_214n],
  ])('%s has the number that every release gives it: replicas of two versions share locks', (key, number) => {
    expect(lockNumber(key)).toBe(number);
  });

  it('are what PostgreSQL calls a bigint', () => {
    fc.assert(
      fc.property(fc.nat(), (vm) => {
        expect(BigInt.asIntN(64, lockNumber(resourceKey.virtualMachine(vm)))).toBe(
          lockNumber(resourceKey.virtualMachine(vm)),
        );
      }),
    );
  });

  it('differ for different keys', () => {
    const numbers = Array.from({ length: 5_000 }, (_, at) => lockNumber(resourceKey.virtualMachine(at)));
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
