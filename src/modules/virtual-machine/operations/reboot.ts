import { rebootInstance } from '../../../ganeti/index.ts';
import { requireState } from '../virtual-machine-subject.ts';
import { singleJobKind } from './single-job.ts';

/** Ganeti starts a stopped machine by a reboot, so both states allow it. */
export const rebootVirtualMachineKind = singleJobKind({
  name: 'rebootVirtualMachine',
  task: 'REBOOTING',
  opcode: 'OP_INSTANCE_REBOOT',
  allow: (subject) => requireState(subject, ['STARTED', 'STOPPED'], 'rebooted'),
  request: (subject, { type }) => rebootInstance(subject.ganetiName, type === 'HARD' ? 'hard' : 'soft'),
});
