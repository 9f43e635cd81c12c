import type { Cluster } from './cluster.ts';
import type { SimNode } from './cluster-shape.ts';
import { logInfo, type OpcodeContext } from './opcode.ts';
import { prereqError } from './rapi-error.ts';

const ALLOCATOR = 'hail';

/** What an instance needs. */
export interface Demand {
  readonly memoryMiB: number;
  readonly vcpus: number;
  readonly disksMiB: readonly number[];
  readonly networks: readonly string[];
}

// The limits of the policy, which the allocator applies first: outside them no node fits.
const MIN_DISK_MIB = 1024;
const MAX_DISK_MIB = 1_048_576;
const MAX_VCPUS = 64;

/** The node for a new instance, as the allocator chooses and says it: the one with the most free memory. */
export function placeInstance(context: OpcodeContext, demand: Demand): SimNode {
  const { cluster, op } = context;
  if (typeof op.pnode === 'string') return namedNode(cluster, op.pnode);
  op.iallocator = ALLOCATOR;
  const impossible = policyFailure(demand);
  const chosen = candidates(cluster, demand.networks)
    .filter((node) => cluster.freeMemoryMiB(node) >= demand.memoryMiB)
    .sort((one, other) => cluster.freeMemoryMiB(other) - cluster.freeMemoryMiB(one))[0];
  if (chosen === undefined || impossible !== null) throw noPlace(context, impossible ?? 'FailMem');
  logInfo(
    context,
    `Selected nodes for instance ${String(op.instance_name)} via iallocator ${ALLOCATOR}: ${chosen.name}`,
  );
  op.pnode = chosen.name;
  op.pnode_uuid = chosen.uuid;
  return chosen;
}

function policyFailure({ vcpus, disksMiB }: Demand): string | null {
  if (vcpus < 1 || vcpus > MAX_VCPUS) return 'FailCPU';
  return disksMiB.some((size) => size < MIN_DISK_MIB || size > MAX_DISK_MIB) ? 'FailDisk' : null;
}

// The allocator keeps to groups that all networks are connected to; with none such the create itself fails, telling which.
function candidates(cluster: Cluster, networks: readonly string[]): SimNode[] {
  const online = cluster.shape.nodes.filter((node) => !node.offline);
  const connected = online.filter((node) =>
    networks.every((uuid) => cluster.findNetwork(uuid)?.groups.some(({ group }) => group === node.group)),
  );
  return connected.length > 0 ? connected : online;
}

function namedNode(cluster: Cluster, name: string): SimNode {
  const node = cluster.node(name);
  if (node === undefined) throw prereqError(`Node '${name}' not known`, 'unknown_entity');
  if (node.offline) throw prereqError(`Cannot use offline primary node '${node.name}'`, 'wrong_state');
  return node;
}

function noPlace(context: OpcodeContext, failure: string): Error {
  const reason =
    'Request failed: Group default (preferred): No valid allocation solutions, failure reasons: ' +
    `${failure}: ${context.cluster.shape.nodes.length}`;
  if (context.op.opportunistic_locking === true) {
    logInfo(context, `IAllocator '${ALLOCATOR}' failed on opportunistically acquired nodes: ${reason}`);
    context.log('* falling back to full lock allocation');
    context.op.opportunistic_locking = false;
  }
  return prereqError(`Can't compute nodes using iallocator '${ALLOCATOR}': ${reason}`, 'insufficient_resources');
}
