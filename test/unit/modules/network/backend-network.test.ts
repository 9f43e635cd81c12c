import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyCopyEvent,
  type CopyEvent,
  type CopyRow,
  type CopySubject,
  copyRequest,
  parseCopyRole,
  planCopy,
} from '../../../../src/modules/network/backend-network.rules.ts';
import type { FinalJobState, JobState } from '../../../../src/operations/job-order.rules.ts';
import { COPY, NEW_COPY } from '../virtual-machine/subject.ts';

const ROW: CopyRow = {
  operState: 'PENDING',
  connectedGroups: [],
  missingGroups: ['a', 'b', 'c'],
  lastJobId: null,
  lastJobOpcode: null,
  lastJobStatus: null,
  lastJobMessage: null,
  markEndUs: 0n,
  markJobId: 0n,
  isDeleted: false,
};

/** The end of a job, at ten times its id. `what` is ADD, or the group of a CONNECT. */
function ended(id: number, what: string, status: FinalJobState = 'SUCCESS', endUs = BigInt(id * 10)): CopyEvent {
  const isAdd = what === 'ADD';
  const opcode = isAdd ? 'OP_NETWORK_ADD' : 'OP_NETWORK_CONNECT';
  return { type: 'jobEnded', jobId: BigInt(id), opcode, logMessage: null, status, endUs, group: isAdd ? null : what };
}

function moved(id: number, what: string, status: JobState): CopyEvent {
  const opcode = what === 'ADD' ? 'OP_NETWORK_ADD' : 'OP_NETWORK_CONNECT';
  return { type: 'jobMoved', jobId: BigInt(id), opcode, logMessage: null, status };
}

const replay = (events: readonly CopyEvent[], row = ROW): CopyRow => events.reduce(applyCopyEvent, row);

describe('a copy’s events (3-domain c3)', () => {
  it.each<[rule: string, events: CopyEvent[], state: CopyRow['operState'], connected: string[]]>([
    ['an ADD alone connects nothing', [ended(1, 'ADD')], 'PENDING', []],
    ['trap 29: the first group is not all of it', [ended(1, 'ADD'), ended(2, 'a')], 'PENDING', ['a']],
    [
      'trap 29: a group that failed is missing',
      [ended(2, 'a'), ended(3, 'b', 'ERROR'), ended(4, 'c')],
      'PENDING',
      ['a', 'c'],
    ],
    [
      'all groups make it ACTIVE',
      [ended(1, 'ADD'), ended(2, 'a'), ended(3, 'b'), ended(4, 'c')],
      'ACTIVE',
      ['a', 'b', 'c'],
    ],
    ['in any order', [ended(4, 'c'), ended(2, 'a'), ended(1, 'ADD'), ended(3, 'b')], 'ACTIVE', ['a', 'b', 'c']],
    ['twice', [ended(2, 'a'), ended(2, 'a'), ended(3, 'b'), ended(4, 'c')], 'ACTIVE', ['a', 'b', 'c']],
    ['a failed ADD is an ERROR', [ended(1, 'ADD', 'ERROR')], 'ERROR', []],
    ['a canceled ADD is an ERROR', [ended(1, 'ADD', 'CANCELED')], 'ERROR', []],
    ['an ADD that succeeds later repairs it', [ended(1, 'ADD', 'ERROR'), ended(5, 'ADD')], 'PENDING', []],
    ['an older failure does not undo it', [ended(5, 'ADD'), ended(1, 'ADD', 'ERROR')], 'PENDING', []],
    ['a failed CONNECT leaves the state', [ended(1, 'ADD', 'ERROR'), ended(2, 'a', 'ERROR')], 'ERROR', []],
    [
      'trap 28: "already exists" after a CONNECT does not call the copy broken',
      [ended(2, 'a'), ended(3, 'b'), ended(4, 'c'), ended(9, 'ADD', 'ERROR')],
      'ACTIVE',
      ['a', 'b', 'c'],
    ],
  ])('%s', (_rule, events, state, connected) => {
    const { operState, connectedGroups, missingGroups } = replay(events);
    expect({ operState, connectedGroups }).toEqual({ operState: state, connectedGroups: connected });
    expect([...connectedGroups, ...missingGroups].sort()).toEqual(['a', 'b', 'c']);
  });

  it.each<[rule: string, event: CopyEvent]>([
    ['a job under way', moved(5, 'ADD', 'RUNNING')],
    ['a CONNECT that names no group', { ...ended(5, 'a'), group: null } as CopyEvent],
    ['an opcode that no version of ours knows', { ...ended(5, 'a'), opcode: 'OP_NETWORK_RENAME' }],
  ])('%s is shown and changes nothing else', (_rule, event) => {
    expect(replay([event])).toEqual({
      ...ROW,
      lastJobId: 5n,
      lastJobOpcode: event.opcode,
      lastJobStatus: event.status,
    });
  });

  it('a late word of an ended job is not its status', () => {
    expect(replay([ended(1, 'ADD'), moved(1, 'ADD', 'RUNNING')]).lastJobStatus).toBe('SUCCESS');
  });

  it('trap 11: a deleted copy hears nothing any more', () => {
    const deleted = { ...ROW, isDeleted: true };
    expect(replay([ended(1, 'ADD'), ended(2, 'a'), moved(3, 'b', 'RUNNING')], deleted)).toEqual(deleted);
  });
});

describe('a copy’s events in any order, late and twice', () => {
  /** An operation adds the copy where it is missing and connects its groups; a later one repeats what failed. */
  const attempt = fc.record({
    add: fc.option(fc.constantFrom<FinalJobState>('SUCCESS', 'ERROR', 'CANCELED'), { nil: null }),
    connects: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom<FinalJobState>('SUCCESS', 'ERROR')), {
      maxLength: 3,
    }),
  });
  const story = fc.array(attempt, { minLength: 1, maxLength: 3 }).map((attempts) => {
    let id = 0;
    const jobs = attempts.flatMap(({ add, connects }) => [
      ...(add === null ? [] : [['ADD', add] as const]),
      ...connects,
    ]);
    return jobs.flatMap(([what, status]) => {
      id += 1;
      return [moved(id, what, 'QUEUED'), moved(id, what, 'RUNNING'), ended(id, what, status)];
    });
  });
  const heard = story.chain((events) =>
    fc.tuple(
      fc.constant(events),
      fc
        .tuple(fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length }), fc.subarray(events))
        .chain(([once, again]) => {
          const all = [...once, ...again];
          return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
        }),
    ),
  );

  it('end in the row that they end in as they happened', () => {
    fc.assert(
      fc.property(heard, ([inOrder, asHeard]) => {
        expect(replay(asHeard)).toEqual(replay(inOrder));
      }),
      { numRuns: 500 },
    );
  });

  it('never call a copy ACTIVE that misses a group, nor one that has them all anything else', () => {
    fc.assert(
      fc.property(heard, ([, asHeard]) => {
        let row = ROW;
        for (const event of asHeard) {
          row = applyCopyEvent(row, event);
          expect(row.operState === 'ACTIVE').toBe(row.missingGroups.length === 0);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the plan for a copy', () => {
  const at = { backendId: 3, backendNetworkId: 11 };
  const add = { ...at, role: 'add:1', opcode: 'OP_NETWORK_ADD' };
  const connect = (group: string, after: string[]) => ({
    ...at,
    role: `connect:1:${group}`,
    opcode: 'OP_NETWORK_CONNECT',
    after,
  });

  it.each<[rule: string, copy: CopySubject, steps: object[]]>([
    ['a new one is added, then connected', NEW_COPY, [add, connect('default', ['add:1'])]],
    [
      'every group is connected once it is added',
      { ...NEW_COPY, missingGroups: ['default', 'rack2'] },
      [add, connect('default', ['add:1']), connect('rack2', ['add:1'])],
    ],
    ['one that is up needs nothing', COPY, []],
    ['trap 28: one that another operation brings up needs nothing more', { ...NEW_COPY, openStepIds: ['s'] }, []],
    [
      'trap 29: of one that misses a group only this is connected',
      { ...COPY, missingGroups: ['rack2'] },
      [connect('rack2', [])],
    ],
    ['one that failed is added again', { ...NEW_COPY, operState: 'ERROR' }, [add, connect('default', ['add:1'])]],
  ])('%s', (_rule, copy, steps) => {
    expect(planCopy(copy)).toEqual(steps);
  });
});

describe('the requests for a copy', () => {
  const body = (role: string, change: Partial<CopySubject>) => copyRequest(role, [{ ...NEW_COPY, ...change }])?.body;

  it('an IPv6 network gets an IPv4 range that nobody uses: Ganeti insists on one', () => {
    const change = {
      subnet: null,
      gateway: null,
      subnet6: '2001:db8::/64',
      gateway6: '2001:db8::1',
      tags: ['private'],
    };
    expect(body('add:1', change)).toEqual({
      network_name: 'snf-net-1',
      network: '10.0.0.0/29',
      network6: '2001:db8::/64',
      gateway6: '2001:db8::1',
      mac_prefix: 'aa:00:01',
      conflicts_check: false,
      tags: ['private'],
    });
  });

  it.each<[rule: string, change: Partial<CopySubject>, isChecked: boolean]>([
    ['a public IPv4 network is checked for conflicts', { isPublic: true }, true],
    ['a private one is not', { isPublic: false }, false],
    ['one without IPv4 is not', { isPublic: true, subnet: null, gateway: null }, false],
  ])('%s, when added and when connected', (_rule, change, isChecked) => {
    expect(body('add:1', change)).toMatchObject({ conflicts_check: isChecked });
    expect(body('connect:1:default', change)).toMatchObject({ conflicts_check: isChecked });
  });

  it.each(['create', 'add:2', 'connect:2:default', 'add:', 'connect:1:'])('%j is no role of it', (role) => {
    expect(copyRequest(role, [NEW_COPY])).toBeNull();
  });
});

describe('roles', () => {
  it.each<[role: string, parsed: ReturnType<typeof parseCopyRole>]>([
    ['add:12', { networkId: 12, group: null }],
    ['connect:12:default', { networkId: 12, group: 'default' }],
    ['connect:12:rack:2', { networkId: 12, group: 'rack:2' }],
    ['add:12:default', null],
    ['connect:12', null],
    ['connect:12:', null],
    ['add:x', null],
    ['create', null],
    ['xadd:12', null],
  ])('%s', (role, parsed) => {
    expect(parseCopyRole(role)).toEqual(parsed);
  });

  it('of every planned step can be read again', () => {
    const groups = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom('a', ':', '-', '1') }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.nat(), groups, (networkId, missingGroups) => {
        const roles = planCopy({ ...NEW_COPY, networkId, missingGroups }).map((step) => step.role);
        expect(roles.map(parseCopyRole)).toEqual([
          { networkId, group: null },
          ...missingGroups.map((group) => ({ networkId, group })),
        ]);
      }),
    );
  });
});
