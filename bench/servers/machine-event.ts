import { encodeGlobalId } from '../../src/graphql/global-id.ts';
import type { ChangedMachine } from './machine-change.ts';

/** A change as `schema/documents/watch-virtual-machine.graphql` shows it; the cursor has the form of one of ours. */
export function machineEvent(machine: ChangedMachine): object {
  return {
    kind: 'CHANGE',
    version: machine.version,
    at: new Date().toISOString(),
    cursor: Buffer.from(JSON.stringify(['e', 'VIRTUAL_MACHINE', String(machine.id), machine.version])).toString(
      'base64url',
    ),
    cause: 'bench',
    changes: [{ field: 'operState', from: machine.previousState, to: machine.operState }],
    operation: null,
    virtualMachine: {
      id: encodeGlobalId('VirtualMachine', machine.id),
      name: machine.name,
      operState: machine.operState,
      task: machine.task,
      buildPercentage: machine.buildPercentage,
    },
  };
}
