import { describe, expect, it } from 'vitest';
import {
  applyMachineEvent,
  type JobState,
  type MachineRow,
  type OperState,
  setsState,
} from '../../../../src/modules/virtual-machine/virtual-machine.rules.ts';
import { ABSENT, ended, moved, NEW, NIC, OTHER_UUID, PRESENT, replay, reported, STARTED, UUID } from './rows.ts';

const STOPPED: MachineRow = { ...STARTED, operState: 'STOPPED' };
const FAILED = replay(NEW, [ended(5, 'CREATE', { status: 'ERROR', error: 'no room' }), { type: 'operationEnded' }]);
const ACTIVE_NIC = { ...NIC, state: 'ACTIVE' as const };

describe('what an opcode’s success makes of a machine (3-domain b)', () => {
  it.each<[opcode: string, before: MachineRow, state: OperState]>([
    ['CREATE', NEW, 'STARTED'],
    ['STARTUP', STOPPED, 'STARTED'],
    ['SHUTDOWN', STARTED, 'STOPPED'],
    ['REBOOT', STARTED, 'STARTED'],
    ['REBOOT', STOPPED, 'STARTED'],
    ['REMOVE', STARTED, 'DESTROYED'],
    ['REMOVE', FAILED.machine, 'DESTROYED'],
    ['STARTUP', FAILED.machine, 'STARTED'],
  ])('%s sets the state and moves the mark', (opcode, before, state) => {
    const { machine } = replay(before, [ended(9, opcode)]);
    expect(machine).toMatchObject({ operState: state, markEndUs: 90n, markJobId: 9n });
    expect(setsState(`OP_INSTANCE_${opcode}`)).toBe(true);
  });

  it.each([
    'SET_PARAMS',
    'GROW_DISK',
    'QUERY_DATA',
    'REINSTALL',
    'ACTIVATE_DISKS',
    'DEACTIVATE_DISKS',
    'REPLACE_DISKS',
    'MIGRATE',
    'CONSOLE',
    'RECREATE_DISKS',
    'FAILOVER',
    // Trap 8: an opcode that no version of ours knows; its job is shown, and that is all.
    'FROM_THE_FUTURE',
  ])('%s is shown as the last job and touches neither state nor mark', (opcode) => {
    const { machine } = replay(STARTED, [ended(9, opcode)]);
    expect(machine).toEqual({
      ...STARTED,
      lastJobId: 9n,
      lastJobOpcode: `OP_INSTANCE_${opcode}`,
      lastJobStatus: 'SUCCESS',
    });
    expect(setsState(`OP_INSTANCE_${opcode}`)).toBe(false);
  });
});

describe('a job under way', () => {
  it.each<[JobState]>([['QUEUED'], ['WAITING'], ['CANCELING'], ['RUNNING']])(
    '%s is shown and moves no mark',
    (status) => {
      expect(replay(STARTED, [moved(9, 'SHUTDOWN', status)]).machine).toEqual({
        ...STARTED,
        lastJobId: 9n,
        lastJobOpcode: 'OP_INSTANCE_SHUTDOWN',
        lastJobStatus: status,
      });
    },
  );
});

describe('a failure', () => {
  it.each<[opcode: string, before: MachineRow]>([
    ['STARTUP', STOPPED],
    ['SHUTDOWN', STARTED],
    ['REBOOT', STARTED],
    ['SET_PARAMS', STARTED],
  ])('of %s changes neither state nor mark', (opcode, before) => {
    for (const status of ['ERROR', 'CANCELED'] as const) {
      const { machine, diagnostics } = replay(before, [ended(9, opcode, { status })]);
      expect(machine).toMatchObject({
        operState: before.operState,
        markEndUs: 50n,
        markJobId: 5n,
        lastJobStatus: status,
      });
      expect(diagnostics).toEqual([]);
    }
  });
});

describe('the end of a build', () => {
  it('STARTED at 100, its NICs ACTIVE with what the cluster chose, its uuid stored', () => {
    const { machine, nics, released } = replay(NEW, [reported(37), ended(5, 'CREATE')]);
    expect(machine).toEqual({ ...STARTED, task: 'BUILDING' });
    expect(nics).toEqual([{ ...NIC, state: 'ACTIVE', mac: 'aa:00:01:4e:81:bb', ganetiUuid: 'nic-uuid' }]);
    expect(released).toEqual([]);
  });

  it('STOPPED when the job did not ask for a start, also at 100 (decision 5)', () => {
    const { machine } = replay(NEW, [ended(5, 'CREATE', { startsMachine: false })]);
    expect(machine).toMatchObject({ operState: 'STOPPED', buildPercentage: 100, buildPhase: 'DONE' });
  });

  it('a NIC that the cluster does not show by name is ACTIVE, with nothing invented (trap 24)', () => {
    const stranger = {
      kind: 'present' as const,
      uuid: UUID,
      nics: [{ name: 'eth0', uuid: 'u', mac: 'aa:00:00:00:00:01', index: 0 }],
    };
    expect(replay(NEW, [ended(5, 'CREATE', { observation: stranger })]).nics).toEqual([ACTIVE_NIC]);
  });

  it.each(['ERROR', 'CANCELED'] as const)(
    '%s: the machine and its NICs are in ERROR and keep their addresses',
    (status) => {
      const { machine, nics, released, diagnostics } = replay(NEW, [reported(37), ended(5, 'CREATE', { status })]);
      const message = status === 'ERROR' ? 'job 5 failed' : 'The create job 5 was canceled.';
      expect(machine).toMatchObject({ operState: 'ERROR', buildPercentage: 37, buildMessage: message, markEndUs: 50n });
      expect(nics).toEqual([{ ...NIC, state: 'ERROR' }]);
      expect(released).toEqual([]);
      expect(diagnostics).toEqual([message]);
    },
  );

  it('a build that never became a job is an ERROR without a mark', () => {
    const { machine, nics, diagnostics } = replay(NEW, [{ type: 'buildFailed', error: 'refused' }]);
    expect(machine).toEqual({ ...NEW, operState: 'ERROR', buildMessage: 'refused' });
    expect(nics).toEqual([{ ...NIC, state: 'ERROR' }]);
    expect(diagnostics).toEqual(['refused']);
    expect(replay(STARTED, [{ type: 'buildFailed', error: 'refused' }]).machine).toEqual(STARTED);
  });

  it('a second create of the same name fails for itself, not for the machine that is there', () => {
    const { machine, nics, diagnostics } = replay(STARTED, [ended(9, 'CREATE', { status: 'ERROR' })], [ACTIVE_NIC]);
    expect(machine).toMatchObject({ operState: 'STARTED', markJobId: 5n });
    expect(nics).toEqual([ACTIVE_NIC]);
    expect(diagnostics).toEqual([]);
  });
});

it('our create that succeeds after a stranger’s of the same name has failed makes everything good', () => {
  const { machine, nics } = replay(NEW, [ended(4, 'CREATE', { status: 'ERROR' }), ended(5, 'CREATE')]);
  expect(machine).toMatchObject({ operState: 'STARTED', buildPercentage: 100, buildMessage: null });
  expect(nics).toMatchObject([{ state: 'ACTIVE' }]);
});

describe('lateness and repetition', () => {
  it('trap 1: a failed REMOVE that is heard first does not hide the one that succeeded', () => {
    const b = ended(12, 'REMOVE', { status: 'ERROR', endUs: 120n, observation: PRESENT });
    const a = ended(10, 'REMOVE', { endUs: 100n });
    expect(replay(STARTED, [b]).machine).toMatchObject({ operState: 'STARTED', markEndUs: 50n });
    expect(replay(STARTED, [b, a]).machine.operState).toBe('DESTROYED');
  });

  it.each([
    ['STARTUP', STOPPED],
    ['SHUTDOWN', STARTED],
    ['CREATE', NEW],
    ['REMOVE', STARTED],
  ] as const)('trap 2: a %s that is delivered twice is applied once', (opcode, before) => {
    const event = ended(9, opcode);
    const once = replay(before, [event]);
    expect(replay(before, [event, event])).toEqual(once);
    expect(applyMachineEvent(once.machine, once.nics, event).ignored).not.toBeNull();
  });

  it('trap 2: a failed build is told once', () => {
    const event = ended(5, 'CREATE', { status: 'ERROR' });
    expect(replay(NEW, [event, event]).diagnostics).toEqual(['job 5 failed']);
  });

  it('trap 3: progress, by whatever clock, does not make the create look stale', () => {
    const { machine } = replay(NEW, [
      reported(90),
      moved(5, 'CREATE', 'RUNNING', 95),
      ended(5, 'CREATE', { endUs: 1n }),
    ]);
    expect(machine.operState).toBe('STARTED');
  });

  it('trap 7: what we conclude ourselves carries the newest known time and hides no later event', () => {
    const concluded = ended(6, 'STARTUP', { endUs: STOPPED.markEndUs });
    const { machine } = replay(STOPPED, [concluded, ended(7, 'SHUTDOWN', { endUs: 51n })]);
    expect(machine).toMatchObject({ operState: 'STOPPED', markEndUs: 51n, markJobId: 7n });
  });

  it('an older success changes nothing but is not an error', () => {
    const { machine, ignored } = applyMachineEvent(STARTED, [ACTIVE_NIC], ended(4, 'SHUTDOWN', { endUs: 49n }));
    expect(machine).toEqual(STARTED);
    expect(ignored).toBe('job 4 is not newer than the mark');
  });

  it('a create that is heard after the shutdown that followed it still ends the build', () => {
    const { machine, nics } = replay(NEW, [ended(6, 'SHUTDOWN'), ended(5, 'CREATE')]);
    expect(machine).toMatchObject({ operState: 'STOPPED', markJobId: 6n, buildPercentage: 100, ganetiUuid: UUID });
    expect(nics).toMatchObject([{ state: 'ACTIVE', mac: 'aa:00:01:4e:81:bb' }]);
  });

  it('a modification that is heard before the create does not hide it', () => {
    expect(replay(NEW, [ended(6, 'SET_PARAMS'), ended(5, 'CREATE')]).machine).toMatchObject({ operState: 'STARTED' });
  });

  it('a removal is for good, also when something newer was heard before it', () => {
    const { machine, released } = replay(STARTED, [ended(8, 'REBOOT'), ended(7, 'REMOVE')]);
    expect(machine).toMatchObject({ operState: 'DESTROYED', markJobId: 8n });
    expect(released).toEqual([1]);
  });

  it('trap 11: an event for a deleted machine is ignored: no resurrection, no second release', () => {
    const gone = replay(STARTED, [ended(7, 'REMOVE')], [ACTIVE_NIC]);
    for (const event of [
      ended(7, 'REMOVE'),
      ended(8, 'STARTUP'),
      ended(9, 'CREATE'),
      moved(8, 'STARTUP', 'RUNNING'),
      reported(40),
      { type: 'buildFailed', error: 'late' } as const,
      { type: 'operationEnded' } as const,
    ]) {
      const outcome = applyMachineEvent(gone.machine, gone.nics, event);
      expect(outcome).toEqual({
        machine: gone.machine,
        nics: gone.nics,
        releasedNicIds: [],
        diagnostic: null,
        ignored: 'the machine is destroyed',
      });
    }
  });
});

describe('progress', () => {
  it.each<[rule: string, reports: number[], shown: number]>([
    ['trap 4: 80, then 60 during the build', [80, 60], 80],
    ['trap 5: nothing is accepted as something', [0], 0],
    ['a repetition', [40, 40], 40],
    ['the end of the image is not the end of the build', [100], 100],
  ])('%s', (_rule, reports, shown) => {
    const { machine } = replay(NEW, reports.map(reported));
    expect(machine).toMatchObject({ operState: 'BUILD', buildPercentage: shown, buildPhase: 'IMAGE', markEndUs: 0n });
  });

  it('trap 4: a 40 % after the create’s success regresses nothing', () => {
    const built = replay(NEW, [ended(5, 'CREATE')]);
    for (const late of [reported(40), moved(5, 'CREATE', 'RUNNING', 40)]) {
      expect(replay(built.machine, [late], built.nics)).toMatchObject({ machine: built.machine, nics: built.nics });
    }
    expect(applyMachineEvent(built.machine, built.nics, reported(40)).ignored).toBe('no build is going on');
  });

  it('decision 17: a lower percentage is ignored with a warning, an equal or higher one is not', () => {
    const at40 = replay(NEW, [reported(40)]).machine;
    expect(applyMachineEvent(at40, [NIC], reported(39)).ignored).toBe('39 % is below the 40 % shown');
    expect(applyMachineEvent(at40, [NIC], reported(40)).ignored).toBeNull();
    expect(applyMachineEvent(at40, [NIC], reported(41)).ignored).toBeNull();
  });

  it('a report of a phase alone moves the phase and its message, never back', () => {
    const report = (phase: 'DISKS' | 'IMAGE', message: string) =>
      ({ type: 'buildReported', report: { phase, percentage: null, message } }) as const;
    const image = replay(NEW, [reported(40), report('IMAGE', 'copying')]).machine;
    expect(image).toMatchObject({ buildPhase: 'IMAGE', buildPercentage: 40, buildMessage: 'copying' });
    expect(applyMachineEvent(image, [NIC], report('DISKS', 'disk 0'))).toMatchObject({ machine: image, ignored: null });
  });

  it('what a failed build failed of stays its message', () => {
    const { machine } = replay(FAILED.machine, [moved(5, 'CREATE', 'RUNNING', 95), reported(96)], FAILED.nics);
    expect(machine).toMatchObject({ operState: 'ERROR', buildMessage: 'no room', lastJobStatus: 'ERROR' });
  });
});

describe('removal', () => {
  it('takes the NICs with it and releases their addresses once', () => {
    const nics = [ACTIVE_NIC, { ...NIC, id: 2, name: 'snf-nic-2', isDeleted: true, state: 'DOWN' as const }];
    const gone = replay({ ...STARTED, task: 'DESTROYING' }, [ended(7, 'REMOVE'), ended(7, 'REMOVE')], nics);
    expect(gone.machine).toMatchObject({ operState: 'DESTROYED', task: null });
    expect(gone.nics.every((nic) => nic.isDeleted && nic.state === 'DOWN')).toBe(true);
    expect(gone.released).toEqual([1]);
  });

  it('trap 17: of a failed build frees what the failure had kept', () => {
    const gone = replay(FAILED.machine, [ended(7, 'REMOVE', { status: 'ERROR', observation: ABSENT })], FAILED.nics);
    expect(gone.machine.operState).toBe('DESTROYED');
    expect(gone.released).toEqual([1]);
  });

  it.each([
    ['trap 16: an instance that is there', PRESENT],
    ['trap 15: an instance that nobody asked for', { kind: 'unasked' }],
  ] as const)('fails with %s: nothing changes', (_rule, observation) => {
    const { machine, released } = replay(STARTED, [ended(7, 'REMOVE', { status: 'ERROR', observation })]);
    expect(machine).toMatchObject({ operState: 'STARTED', markEndUs: 50n });
    expect(released).toEqual([]);
  });

  it('that was canceled changes nothing, even where there is no instance', () => {
    const { machine } = replay(STARTED, [ended(7, 'REMOVE', { status: 'CANCELED', observation: ABSENT })]);
    expect(machine.operState).toBe('STARTED');
  });

  it('trap 12: a removal that found nothing yet does not delete a machine whose create is in the queue', () => {
    const early = ended(6, 'REMOVE', { status: 'ERROR', observation: ABSENT });
    const { machine, released } = replay(NEW, [early, ended(5, 'CREATE')]);
    expect(machine).toMatchObject({ operState: 'STARTED', ganetiUuid: UUID });
    expect(released).toEqual([]);
  });
});

describe('an instance of another uuid (decision 6)', () => {
  it.each([
    ended(9, 'SHUTDOWN', { instanceUuid: OTHER_UUID }),
    ended(9, 'REMOVE', { instanceUuid: OTHER_UUID }),
    { ...moved(9, 'SHUTDOWN', 'RUNNING'), instanceUuid: OTHER_UUID },
  ])('is not ours, though it bears the name: $type $opcode', (event) => {
    const outcome = applyMachineEvent(STARTED, [ACTIVE_NIC], event as Parameters<typeof applyMachineEvent>[2]);
    expect(outcome).toMatchObject({ machine: STARTED, releasedNicIds: [] });
    expect(outcome.ignored).toBe('the job is about another instance of this name');
  });

  it.each([
    ['the machine’s own', STARTED, UUID],
    ['a machine whose uuid nobody knows yet', { ...STARTED, ganetiUuid: null }, OTHER_UUID],
    ['a job that tells none', STARTED, null],
  ])('is not suspected: %s', (_rule, before, instanceUuid) => {
    expect(replay(before, [ended(9, 'SHUTDOWN', { instanceUuid })]).machine.operState).toBe('STOPPED');
  });
});

describe('the task', () => {
  it('goes with its operation, not with a job', () => {
    const rebooting: MachineRow = { ...STARTED, task: 'REBOOTING' };
    expect(replay(rebooting, [ended(9, 'REBOOT')]).machine.task).toBe('REBOOTING');
    expect(replay(rebooting, [ended(9, 'REBOOT'), { type: 'operationEnded' }]).machine.task).toBeNull();
  });
});
