import { connectNetwork, createNetwork, type GanetiRequest } from '../../ganeti/index.ts';
import {
  type FinalJobState,
  isNewer,
  type JobFacts,
  type JobState,
  type OrderingMark,
  type ShownJob,
  withLastJob,
  withMark,
} from '../../operations/job-order.rules.ts';
import type { PlannedStep } from '../../operations/operation-kind.ts';
import type { NetworkState } from './network.rules.ts';

/** The part of a copy's row that events change. */
export interface CopyRow extends ShownJob, OrderingMark {
  readonly operState: NetworkState;
  readonly connectedGroups: readonly string[];
  /** The groups that it needs and is not connected to. */
  readonly missingGroups: readonly string[];
  readonly isDeleted: boolean;
}

export type CopyEvent = JobFacts &
  (
    | { readonly type: 'jobMoved'; readonly status: JobState }
    | {
        readonly type: 'jobEnded';
        readonly status: FinalJobState;
        readonly endUs: bigint;
        readonly group: string | null;
      }
  );

/**
 * What a job makes of a network's copy (3-domain c3, decision 7). A CONNECT adds its group whatever the order of
 * arrival, and the copy is ACTIVE only with no group missing: the first group's success is not enough (trap 29).
 */
export function applyCopyEvent(copy: CopyRow, event: CopyEvent): CopyRow {
  if (copy.isDeleted) return copy;
  const shown = withLastJob(copy, event, event.status);
  if (event.type === 'jobMoved') return shown;
  if (event.opcode === 'OP_NETWORK_CONNECT' && event.status === 'SUCCESS' && event.group !== null) {
    const connectedGroups = [...new Set([...copy.connectedGroups, event.group])].sort();
    const missingGroups = copy.missingGroups.filter((group) => group !== event.group);
    const operState = missingGroups.length === 0 ? 'ACTIVE' : 'PENDING';
    return withMark({ ...shown, connectedGroups, missingGroups, operState }, event);
  }
  if (event.opcode !== 'OP_NETWORK_ADD' || !isNewer(copy, event)) return shown;
  // A group is connected: the copy works, and "already exists" is not to call it broken (trap 28).
  if (copy.connectedGroups.length > 0) return withMark(shown, event);
  return withMark({ ...shown, operState: event.status === 'SUCCESS' ? 'PENDING' : 'ERROR' }, event);
}

/** What planning has to know of a network in one cluster. */
export interface CopySubject {
  readonly backendNetworkId: number;
  readonly backendId: number;
  readonly networkId: number;
  readonly ganetiName: string;
  readonly macPrefix: string;
  readonly operState: NetworkState;
  /** False until an ADD of it has succeeded once. */
  readonly wasAdded: boolean;
  readonly missingGroups: readonly string[];
  /** Open ADD and CONNECT steps of other operations: whoever comes later depends on their jobs (decision 8). */
  readonly openStepIds: readonly string[];
  readonly mode: string;
  readonly link: string;
  readonly subnet: string | null;
  readonly gateway: string | null;
  readonly subnet6: string | null;
  readonly gateway6: string | null;
  readonly isPublic: boolean;
  readonly tags: readonly string[];
}

/** Ganeti 3.0 insists on an IPv4 range; one that no NIC asks an address of serves a network without (3-domain e2). */
const NO_IPV4_RANGE = '10.0.0.0/29';

/** Steps that bring a copy up: ADD once, then a CONNECT per missing group that waits for it. Empty when it is, or is under way. */
export function planCopy(copy: CopySubject): PlannedStep[] {
  if (copy.openStepIds.length > 0 || copy.missingGroups.length === 0) return [];
  const at = { backendId: copy.backendId, backendNetworkId: copy.backendNetworkId };
  const add = `add:${copy.networkId}`;
  const adds = copy.wasAdded ? [] : [{ ...at, role: add, opcode: 'OP_NETWORK_ADD' }];
  const connects = copy.missingGroups.map((group) => ({
    ...at,
    role: `connect:${copy.networkId}:${group}`,
    opcode: 'OP_NETWORK_CONNECT',
    after: adds.map((step) => step.role),
  }));
  return [...adds, ...connects];
}

/** The request of a step that {@link planCopy} planned; null for a role that is none of its. */
export function copyRequest(role: string, copies: readonly CopySubject[]): GanetiRequest | null {
  const parsed = parseCopyRole(role);
  const copy = parsed && copies.find((candidate) => candidate.networkId === parsed.networkId);
  if (!parsed || !copy) return null;
  if (parsed.group !== null) {
    return connectNetwork({
      network: copy.ganetiName,
      group: parsed.group,
      mode: copy.mode,
      link: copy.link,
      conflictsCheck: copy.isPublic && copy.subnet !== null,
    });
  }
  return createNetwork({
    name: copy.ganetiName,
    network: copy.subnet ?? NO_IPV4_RANGE,
    ...(copy.gateway === null ? {} : { gateway: copy.gateway }),
    ...(copy.subnet6 === null ? {} : { network6: copy.subnet6 }),
    ...(copy.gateway6 === null ? {} : { gateway6: copy.gateway6 }),
    macPrefix: copy.macPrefix,
    conflictsCheck: copy.isPublic && copy.subnet !== null,
    tags: copy.tags,
  });
}

/** The network, and for a CONNECT the group, of a step's role. Group names may hold a colon. */
export function parseCopyRole(role: string): { networkId: number; group: string | null } | null {
  const match = /^(add|connect):(\d+)(?::(.+))?$/.exec(role);
  if (!match || (match[1] === 'connect') !== (match[3] !== undefined)) return null;
  return { networkId: Number(match[2]), group: match[3] ?? null };
}
