import { startupInstance } from '../../../ganeti/index.ts';
import { requireState } from '../virtual-machine-subject.ts';
import { singleJobKind } from './single-job.ts';

export const startVirtualMachineKind = singleJobKind({
  name: 'startVirtualMachine',
  task: 'STARTING',
  opcode: 'OP_INSTANCE_STARTUP',
  allow: (subject) => requireState(subject, ['STOPPED'], 'started'),
  request: (subject) => startupInstance(subject.ganetiName),
});
