import { deleteInstance } from '../../../ganeti/index.ts';
import { NotFound } from '../../../operations/user-error.ts';
import { singleJobKind } from './single-job.ts';

/** Allowed in every state: a failed build leaves its instance behind, and only a delete frees its addresses. */
export const deleteVirtualMachineKind = singleJobKind({
  name: 'deleteVirtualMachine',
  task: 'DESTROYING',
  opcode: 'OP_INSTANCE_REMOVE',
  allow(subject) {
    if (subject.isDeleted) throw new NotFound('There is no such virtual machine.', ['id']);
  },
  request: (subject) => deleteInstance(subject.ganetiName),
});
