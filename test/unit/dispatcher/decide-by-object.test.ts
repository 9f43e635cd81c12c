import { describe, expect, it } from 'vitest';
import { decideByObject, type ObjectSeen } from '../../../src/dispatcher/decide-by-object.rules.ts';
import type { FinalJobState } from '../../../src/operations/job-order.rules.ts';

const ABSENT: ObjectSeen = { kind: 'absent' };
const RUNNING: ObjectSeen = { kind: 'instance', isRunning: true };
const DOWN: ObjectSeen = { kind: 'instance', isRunning: false };
/** Its node did not answer. */
const UNKNOWN: ObjectSeen = { kind: 'instance', isRunning: null };
const network = (...groups: string[]): ObjectSeen => ({ kind: 'network', groups });

describe('the end of a job that Ganeti forgot (6-claims, section 6)', () => {
  it.each<[opcode: string, seen: ObjectSeen, startsMachine: boolean, end: FinalJobState | null]>([
    ['OP_INSTANCE_CREATE', ABSENT, true, 'ERROR'],
    ['OP_INSTANCE_CREATE', ABSENT, false, 'ERROR'],
    ['OP_INSTANCE_CREATE', RUNNING, true, 'SUCCESS'],
    // A failed OS script leaves its instance behind, down: what is down may be either.
    ['OP_INSTANCE_CREATE', DOWN, true, null],
    ['OP_INSTANCE_CREATE', DOWN, false, null],
    ['OP_INSTANCE_CREATE', UNKNOWN, true, null],
    // Somebody else has started it: that does not tell how the build ended.
    ['OP_INSTANCE_CREATE', RUNNING, false, null],
    ['OP_INSTANCE_REMOVE', ABSENT, true, 'SUCCESS'],
    ['OP_INSTANCE_REMOVE', DOWN, true, 'ERROR'],
    ['OP_INSTANCE_REMOVE', UNKNOWN, true, 'ERROR'],
    ['OP_INSTANCE_STARTUP', RUNNING, true, 'SUCCESS'],
    ['OP_INSTANCE_STARTUP', DOWN, true, 'ERROR'],
    ['OP_INSTANCE_STARTUP', UNKNOWN, true, null],
    ['OP_INSTANCE_STARTUP', ABSENT, true, 'ERROR'],
    ['OP_INSTANCE_SHUTDOWN', RUNNING, true, 'ERROR'],
    ['OP_INSTANCE_SHUTDOWN', DOWN, true, 'SUCCESS'],
    ['OP_INSTANCE_SHUTDOWN', UNKNOWN, true, null],
    ['OP_INSTANCE_SHUTDOWN', ABSENT, true, 'ERROR'],
    ['OP_INSTANCE_REBOOT', RUNNING, true, null],
    ['OP_INSTANCE_REBOOT', ABSENT, true, 'ERROR'],
    // What no rule knows nobody may guess: the claims are kept.
    ['OP_INSTANCE_SET_PARAMS', RUNNING, true, null],
    ['OP_NETWORK_REMOVE', ABSENT, true, null],
  ])('%s, seen %o, to be started %s: %s', (opcode, seen, startsMachine, end) => {
    expect(decideByObject(opcode, seen, { startsMachine, group: null })).toBe(end);
  });

  it.each<[opcode: string, seen: ObjectSeen, group: string | null, end: FinalJobState]>([
    ['OP_NETWORK_ADD', ABSENT, null, 'ERROR'],
    ['OP_NETWORK_ADD', network(), null, 'SUCCESS'],
    ['OP_NETWORK_CONNECT', ABSENT, 'default', 'ERROR'],
    ['OP_NETWORK_CONNECT', network(), 'default', 'ERROR'],
    ['OP_NETWORK_CONNECT', network('rack2'), 'default', 'ERROR'],
    ['OP_NETWORK_CONNECT', network('rack2', 'default'), 'default', 'SUCCESS'],
    ['OP_NETWORK_CONNECT', network('default'), null, 'ERROR'],
  ])('%s, seen %o, for group %s: %s', (opcode, seen, group, end) => {
    expect(decideByObject(opcode, seen, { startsMachine: true, group })).toBe(end);
  });
});
