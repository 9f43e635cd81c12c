import { shutdownInstance } from '../../../ganeti/index.ts';
import { requireState } from '../virtual-machine-subject.ts';
import { singleJobKind } from './single-job.ts';

export const shutdownVirtualMachineKind = singleJobKind({
  name: 'shutdownVirtualMachine',
  task: 'STOPPING',
  opcode: 'OP_INSTANCE_SHUTDOWN',
  allow: (subject) => requireState(subject, ['STARTED'], 'shut down'),
  request: (subject) => shutdownInstance(subject.ganetiName),
});
