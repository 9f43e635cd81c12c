import type { Task } from '../../operations/operation-kind.ts';
import { InvalidState, NotFound } from '../../operations/user-error.ts';
import type { CopySubject } from '../network/backend-network.rules.ts';
import type { OperState } from './virtual-machine.rules.ts';

/** What the operations on a machine claim by. */
export interface MachineKeys {
  readonly virtualMachineId: number;
  readonly backendId: number;
  readonly imageId: number;
  readonly networkIds: readonly number[];
}

/** A machine with all that planning its jobs reads; a value, loaded by the store. */
export interface MachineSubject {
  readonly id: number;
  readonly ganetiName: string;
  readonly operState: OperState;
  readonly task: Task | null;
  readonly isSuspended: boolean;
  readonly isDeleted: boolean;
  readonly backendId: number;
  readonly hypervisor: string;
  /** GANETI_CREATE_DEFAULTS with the backend's own on top (decision 13). */
  readonly createDefaults: Readonly<Record<string, unknown>>;
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
  readonly diskTemplate: string;
  readonly osType: string;
  readonly osParameters: Readonly<Record<string, string>>;
  readonly progressParameter: string | null;
  readonly backendImageId: string | null;
  readonly imageFormat: string | null;
  readonly nics: readonly {
    readonly id: number;
    readonly name: string;
    readonly networkName: string;
    readonly ipv4: string | null;
  }[];
  readonly copies: readonly CopySubject[];
}

/**
 * The checks that every action on a machine shares, in the field's order (3-domain e1): alive, not suspended, nothing
 * going on, a state that the action starts from. `delete` is the one that a failed or suspended machine still allows.
 *
 * @throws NotFound, InvalidState
 */
export function requireState(subject: MachineSubject, allowed: readonly OperState[], action: string): void {
  if (subject.isDeleted) throw new NotFound('There is no such virtual machine.', ['id']);
  if (subject.isSuspended) throw new InvalidState('The virtual machine is suspended by an administrator.', ['id']);
  if (!allowed.includes(subject.operState)) {
    throw new InvalidState(
      `A virtual machine that is ${subject.operState} cannot be ${action}; it has to be ${allowed.join(' or ')}.`,
      ['id'],
    );
  }
}
