import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BackendCandidate, chooseBackend, whyNot } from '../../../../src/modules/backend/choose-backend.rules.ts';
import { failureOf } from '../failure.ts';

const A: BackendCandidate = {
  id: 1,
  name: 'athens',
  isDrained: false,
  isOffline: false,
  diskTemplates: ['file', 'plain'],
  instanceCount: 5,
};
const B: BackendCandidate = { ...A, id: 2, name: 'berlin' };

describe('the cluster for a new machine', () => {
  it.each<[rule: string, candidates: BackendCandidate[], id: number]>([
    ['the only one', [A], 1],
    ['the one with the fewest instances', [A, { ...B, instanceCount: 4 }], 2],
    ['the oldest on a tie', [B, A], 1],
    ['not a drained one, however empty', [A, { ...B, instanceCount: 0, isDrained: true }], 1],
    ['not an offline one', [A, { ...B, instanceCount: 0, isOffline: true }], 1],
    ['not one without the disk template', [A, { ...B, instanceCount: 0, diskTemplates: ['plain'] }], 1],
    ['a full one, when there is no other: its numbers are pessimistic (trap 46)', [{ ...A, instanceCount: 10_000 }], 1],
  ])('%s', (_rule, candidates, id) => {
    expect(chooseBackend(candidates, 'file')).toBe(id);
  });

  it('says why each was left out when none fits', () => {
    const candidates = [
      { ...A, isDrained: true },
      { ...B, isOffline: true, isDrained: true },
      { ...B, id: 3, name: 'crete', diskTemplates: ['plain'] },
    ];
    expect(failureOf(() => chooseBackend(candidates, 'file'))).toMatchObject({
      code: 'NO_BACKEND_FITS',
      message:
        'No cluster can take this machine: athens drained; berlin offline; crete does not offer disk template file.',
    });
  });

  it('says so when there is no cluster at all', () => {
    expect(failureOf(() => chooseBackend([], 'file'))).toMatchObject({
      code: 'NO_BACKEND_FITS',
      message: 'No cluster has been added yet.',
    });
  });

  it('leaves the list as it was, and does not depend on its order', () => {
    const candidate = fc.record({
      id: fc.integer({ min: 1, max: 50 }),
      name: fc.constant('any'),
      isDrained: fc.boolean(),
      isOffline: fc.boolean(),
      diskTemplates: fc.constantFrom(['file'], ['plain'], ['file', 'plain']),
      instanceCount: fc.nat(3),
    });
    const candidates = fc.uniqueArray(candidate, { selector: ({ id }) => id, minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(candidates, (list) => {
        const before = structuredClone(list);
        const fitting = list.filter((backend) => whyNot(backend, 'file') === null);
        if (fitting.length === 0) {
          expect(failureOf(() => chooseBackend(list, 'file')).code).toBe('NO_BACKEND_FITS');
          return;
        }
        const id = chooseBackend(list, 'file');
        expect(list).toEqual(before);
        expect(chooseBackend([...list].reverse(), 'file')).toBe(id);
        const best = fitting.find((backend) => backend.id === id);
        expect(Math.min(...fitting.map((backend) => backend.instanceCount))).toBe(best?.instanceCount);
      }),
    );
  });
});
