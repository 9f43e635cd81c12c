import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ActiveClaim,
  type Claimant,
  claimRequest,
  claimsToInsert,
  findConflicts,
} from '../../../src/operations/claims.rules.ts';
import { resourceKey } from '../../../src/operations/resource-key.ts';
import type { ClaimMode } from '../../../src/operations/user-error.ts';

const VM = resourceKey.virtualMachine(1);
const BACKEND = resourceKey.backend(1);
const NOBODY: Claimant = { ancestors: new Set() };
const PARENT: Claimant = { ancestors: new Set(['parent']) };

const ofOperation = (mode: ClaimMode, operationId = 'other', resource: string = VM): ActiveClaim => ({
  resource,
  mode,
  operationId,
});
const ofRequest = (mode: ClaimMode): ActiveClaim => ({ resource: VM, mode, operationId: null });

describe('conflicts', () => {
  it.each<[wanted: ClaimMode, held: ClaimMode, conflicts: boolean]>([
    ['EXCLUSIVE', 'EXCLUSIVE', true],
    ['EXCLUSIVE', 'SHARED', true],
    ['SHARED', 'EXCLUSIVE', true],
    ['SHARED', 'SHARED', false],
  ])('%s against a held %s: %s', (wanted, held, conflicts) => {
    const request = claimRequest([[VM, wanted]]);
    for (const claim of [ofOperation(held), ofRequest(held)]) {
      expect(findConflicts(request, [claim], NOBODY)).toEqual(
        conflicts ? [{ resource: VM, mode: held, operationId: claim.operationId }] : [],
      );
    }
  });

  it('there is no hierarchy between keys', () => {
    expect(findConflicts(claimRequest([[VM, 'EXCLUSIVE']]), [ofOperation('EXCLUSIVE', 'o', BACKEND)], NOBODY)).toEqual(
      [],
    );
  });

  it('all of them are told, in key order, so that nobody runs from one refusal into the next', () => {
    const wanted = claimRequest([
      [VM, 'EXCLUSIVE'],
      [BACKEND, 'EXCLUSIVE'],
    ]);
    const active = [ofOperation('SHARED', 'b'), ofOperation('SHARED', 'a', BACKEND), ofRequest('SHARED')];
    expect(findConflicts(wanted, active, NOBODY)).toEqual([
      { resource: BACKEND, mode: 'SHARED', operationId: 'a' },
      { resource: VM, mode: 'SHARED', operationId: 'b' },
      { resource: VM, mode: 'SHARED', operationId: null },
    ]);
  });

  it.each<[who: string, claim: ActiveClaim, conflicts: number]>([
    ['an ancestor', ofOperation('EXCLUSIVE', 'parent'), 0],
    ['a sibling', ofOperation('EXCLUSIVE', 'sibling'), 1],
    ['a short request', ofRequest('EXCLUSIVE'), 1],
  ])('with a claim of %s', (_who, claim, conflicts) => {
    expect(findConflicts(claimRequest([[VM, 'EXCLUSIVE']]), [claim], PARENT)).toHaveLength(conflicts);
  });
});

describe('one mode per key', () => {
  it.each<[modes: ClaimMode[], merged: ClaimMode]>([
    [['SHARED', 'SHARED'], 'SHARED'],
    [['SHARED', 'EXCLUSIVE'], 'EXCLUSIVE'],
    [['EXCLUSIVE', 'SHARED'], 'EXCLUSIVE'],
  ])('%s is %s', (modes, merged) => {
    expect([...claimRequest(modes.map((mode) => [VM, mode]))]).toEqual([[VM, merged]]);
  });
});

describe('what is inserted', () => {
  it.each<[rule: string, wanted: ClaimMode, active: ActiveClaim[], inserted: number]>([
    ['a key that nobody holds', 'EXCLUSIVE', [], 1],
    ['a key that others share, too', 'SHARED', [ofOperation('SHARED')], 1],
    ['not what an ancestor holds in the same mode', 'SHARED', [ofOperation('SHARED', 'parent')], 0],
    ['not what an ancestor holds exclusively', 'SHARED', [ofOperation('EXCLUSIVE', 'parent')], 0],
    ['not a key that is the ancestor’s own', 'EXCLUSIVE', [ofOperation('EXCLUSIVE', 'parent')], 0],
  ])('%s', (_rule, wanted, active, inserted) => {
    expect(claimsToInsert(claimRequest([[VM, wanted]]), active, PARENT).size).toBe(inserted);
  });

  it('SHARED through a parent cannot be raised to EXCLUSIVE: a programming error, not a Busy', () => {
    const raise = () => claimsToInsert(claimRequest([[VM, 'EXCLUSIVE']]), [ofOperation('SHARED', 'parent')], PARENT);
    expect(raise).toThrow('vm:1 is held SHARED');
  });

  it('the request itself is not changed', () => {
    const wanted = claimRequest([[VM, 'SHARED']]);
    claimsToInsert(wanted, [ofOperation('SHARED', 'parent')], PARENT);
    expect(wanted.size).toBe(1);
  });
});

describe('admitting one after the other', () => {
  interface Request {
    readonly id: string;
    readonly parent: string | null;
    readonly wanted: readonly (readonly [number, ClaimMode])[];
  }
  const mode = fc.constantFrom<ClaimMode>('SHARED', 'EXCLUSIVE');
  const requests: fc.Arbitrary<Request[]> = fc
    .array(
      fc.record({
        parent: fc.option(fc.nat(9), { nil: null }),
        wanted: fc.array(fc.tuple(fc.nat(3), mode), { minLength: 1, maxLength: 4 }),
      }),
      { maxLength: 10 },
    )
    .map((list) =>
      list.map(({ parent, wanted }, at) => ({
        id: `op${at}`,
        parent: parent !== null && parent < at ? `op${parent}` : null,
        wanted,
      })),
    );

  function admitAll(list: readonly Request[]): { claims: ActiveClaim[]; refused: Request[] } {
    const claims: ActiveClaim[] = [];
    const refused: Request[] = [];
    for (const request of list) {
      const wanted = claimRequest(request.wanted.map(([id, how]) => [resourceKey.virtualMachine(id), how]));
      const claimant = { ancestors: ancestors(list, request) };
      if (findConflicts(wanted, claims, claimant).length > 0 || raises(wanted, claims, claimant)) {
        refused.push(request);
        continue;
      }
      for (const [resource, how] of claimsToInsert(wanted, claims, claimant)) {
        claims.push(ofOperation(how, request.id, resource));
      }
    }
    return { claims, refused };
  }

  function ancestors(list: readonly Request[], request: Request): Set<string> {
    const above = new Set<string>();
    for (let id = request.parent; id !== null; id = list.find((other) => other.id === id)?.parent ?? null)
      above.add(id);
    return above;
  }

  function raises(...[wanted, claims, claimant]: Parameters<typeof claimsToInsert>): boolean {
    try {
      claimsToInsert(wanted, claims, claimant);
      return false;
    } catch {
      return true;
    }
  }

  it('I1: a key has one EXCLUSIVE or any number of SHARED claims, never both, never two', () => {
    fc.assert(
      fc.property(requests, (list) => {
        const { claims } = admitAll(list);
        for (const resource of new Set(claims.map((claim) => claim.resource))) {
          const modes = claims.filter((claim) => claim.resource === resource).map((claim) => claim.mode);
          expect(modes.includes('EXCLUSIVE') ? modes.length : 1).toBe(1);
        }
      }),
    );
  });

  it('I14: what is admitted of unrelated requests is maximal: whoever was refused is refused still', () => {
    fc.assert(
      fc.property(requests, (list) => {
        const { claims, refused } = admitAll(list.map((request) => ({ ...request, parent: null })));
        for (const request of refused) {
          const wanted = claimRequest(request.wanted.map(([id, how]) => [resourceKey.virtualMachine(id), how]));
          expect(findConflicts(wanted, claims, NOBODY)).not.toEqual([]);
        }
      }),
    );
  });
});
