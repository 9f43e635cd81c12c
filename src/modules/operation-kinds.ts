import type { OperationKind } from '../operations/operation-kind.ts';
import { createVirtualMachineKind } from './virtual-machine/operations/create.ts';
import { deleteVirtualMachineKind } from './virtual-machine/operations/delete.ts';
import { rebootVirtualMachineKind } from './virtual-machine/operations/reboot.ts';
import { shutdownVirtualMachineKind } from './virtual-machine/operations/shutdown.ts';
import { startVirtualMachineKind } from './virtual-machine/operations/start.ts';
import type { MachineKeys, MachineSubject } from './virtual-machine/virtual-machine-subject.ts';

/** Every kind whose jobs the dispatcher submits and follows, by name. A new mutation is a new file and a line here. */
export const machineKinds: ReadonlyMap<string, OperationKind<MachineKeys, MachineSubject>> = new Map(
  [
    createVirtualMachineKind,
    startVirtualMachineKind,
    shutdownVirtualMachineKind,
    rebootVirtualMachineKind,
    deleteVirtualMachineKind,
  ].map((kind) => [kind.name, kind]),
);
