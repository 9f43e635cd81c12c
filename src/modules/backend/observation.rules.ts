import type { GanetiInfo, GanetiInstance, GanetiNode } from '../../ganeti/index.ts';

/** What a cluster has, as last seen. Sizes in MiB; null when no node could say. */
export interface BackendObservation {
  readonly softwareVersion: string;
  readonly diskTemplates: readonly string[];
  readonly nodeGroups: readonly string[];
  readonly memoryTotalMiB: number | null;
  readonly memoryFreeMiB: number | null;
  readonly diskTotalMiB: number | null;
  readonly diskFreeMiB: number | null;
  readonly cpuTotal: number | null;
  readonly instanceMemoryMiB: number | null;
  readonly instanceCount: number;
}

/**
 * Sums a cluster up (3-domain e2, stats): over nodes that can bear machines, are not drained and not offline. A number
 * that a node does not know counts as nothing; one that no node knows is unknown, not zero.
 */
export function summarize(
  info: GanetiInfo,
  groups: readonly { readonly name: string }[],
  nodes: readonly GanetiNode[],
  instances: readonly GanetiInstance[],
): BackendObservation {
  const usable = nodes.filter((node) => node.vmCapable !== false && !node.drained && !node.offline);
  const total = (field: 'memoryTotalMiB' | 'memoryFreeMiB' | 'diskTotalMiB' | 'diskFreeMiB' | 'cpuTotal') =>
    sumKnown(usable.map((node) => node[field]));
  return {
    softwareVersion: info.softwareVersion,
    diskTemplates: [...info.enabledDiskTemplates].sort(),
    nodeGroups: groups.map((group) => group.name).sort(),
    memoryTotalMiB: total('memoryTotalMiB'),
    memoryFreeMiB: total('memoryFreeMiB'),
    diskTotalMiB: total('diskTotalMiB'),
    diskFreeMiB: total('diskFreeMiB'),
    cpuTotal: total('cpuTotal'),
    instanceMemoryMiB: sumKnown(instances.map((instance) => instance.memoryMiB)),
    instanceCount: instances.length,
  };
}

function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0
    ? values.length === 0
      ? 0
      : null
    : Math.round(known.reduce((sum, value) => sum + value, 0));
}

/**
 * The highest id that names of ours already bear in a cluster: `<prefix><id>`. A fresh database on a used cluster must
 * skip them, since nothing is ever adopted by name (decision 6).
 */
export function highestOwnId(names: readonly (string | null)[], prefix: string): number {
  return names.reduce<number>((highest, name) => {
    const digits = name?.startsWith(prefix) ? name.slice(prefix.length) : '';
    return /^\d{1,9}$/.test(digits) ? Math.max(highest, Number(digits)) : highest;
  }, 0);
}
