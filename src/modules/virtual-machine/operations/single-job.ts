import type { GanetiRequest } from '../../../ganeti/index.ts';
import { claimRequest } from '../../../operations/claims.rules.ts';
import type { OperationKind, OperationParameters, Task } from '../../../operations/operation-kind.ts';
import { resourceKey } from '../../../operations/resource-key.ts';
import type { MachineKeys, MachineSubject } from '../virtual-machine-subject.ts';

interface SingleJob {
  readonly name: string;
  readonly task: Task;
  readonly opcode: string;
  readonly allow: (subject: MachineSubject) => void;
  readonly request: (subject: MachineSubject, parameters: OperationParameters) => GanetiRequest;
}

/** An action on one existing machine that is one Ganeti job: the machine EXCLUSIVE, its backend SHARED. */
export function singleJobKind(job: SingleJob): OperationKind<MachineKeys, MachineSubject> {
  return {
    name: job.name,
    task: job.task,
    decidedBy: 'job',
    claims: ({ virtualMachineId, backendId }) =>
      claimRequest([
        [resourceKey.virtualMachine(virtualMachineId), 'EXCLUSIVE'],
        [resourceKey.backend(backendId), 'SHARED'],
      ]),
    locks: () => [],
    allow: job.allow,
    plan: (subject) => [{ role: 'job', opcode: job.opcode, backendId: subject.backendId }],
    request: (_role, subject, parameters) => job.request(subject, parameters),
  };
}
