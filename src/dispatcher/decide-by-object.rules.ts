import type { FinalJobState } from '../modules/virtual-machine/virtual-machine.rules.ts';

/** What the cluster has where a vanished job would have left its mark. */
export type ObjectSeen =
  | { readonly kind: 'absent' }
  | { readonly kind: 'instance'; readonly isRunning: boolean | null }
  | { readonly kind: 'network'; readonly groups: readonly string[] };

/**
 * The end of a job that Ganeti no longer knows, by what it should have done (6-claims, section 6, "job unknown").
 * @returns null when the object cannot tell: the step becomes INDETERMINATE and keeps its claims
 */
export function decideByObject(
  opcode: string,
  seen: ObjectSeen,
  wanted: { readonly startsMachine: boolean; readonly group: string | null },
): FinalJobState | null {
  const isThere = seen.kind !== 'absent';
  const isRunning = seen.kind === 'instance' ? seen.isRunning : null;
  switch (opcode) {
    case 'OP_INSTANCE_CREATE':
      if (!isThere) return 'ERROR';
      // A failed OS script leaves the instance behind, down: only a running one proves a build with a start.
      return isRunning === true && wanted.startsMachine ? 'SUCCESS' : null;
    case 'OP_INSTANCE_REMOVE':
      return isThere ? 'ERROR' : 'SUCCESS';
    case 'OP_INSTANCE_STARTUP':
      return !isThere ? 'ERROR' : isRunning === null ? null : isRunning ? 'SUCCESS' : 'ERROR';
    case 'OP_INSTANCE_SHUTDOWN':
      return !isThere ? 'ERROR' : isRunning === null ? null : isRunning ? 'ERROR' : 'SUCCESS';
    case 'OP_NETWORK_ADD':
      return isThere ? 'SUCCESS' : 'ERROR';
    case 'OP_NETWORK_CONNECT':
      return seen.kind === 'network' && wanted.group !== null && seen.groups.includes(wanted.group)
        ? 'SUCCESS'
        : 'ERROR';
    case 'OP_INSTANCE_REBOOT':
      // A running machine does not tell whether it was rebooted.
      return isThere ? null : 'ERROR';
    default:
      return null;
  }
}
