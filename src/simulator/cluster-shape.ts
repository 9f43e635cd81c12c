import { randomUUID } from 'node:crypto';

/** A node; sizes in MiB. */
export interface SimNode {
  name: string;
  uuid: string;
  group: string;
  address: string;
  memoryMiB: number;
  diskMiB: number;
  offline: boolean;
  tags: string[];
}

/** What never changes while a cluster lives. */
export interface ClusterShape {
  name: string;
  uuid: string;
  ctime: number;
  hypervisor: 'fake' | 'kvm';
  diskTemplates: readonly string[];
  groups: readonly { name: string; uuid: string; tags: string[] }[];
  nodes: readonly SimNode[];
}

/** The parts of a new cluster that are drawn once and then kept. */
export function newClusterShape(options: {
  name: string;
  hypervisor: 'fake' | 'kvm';
  diskTemplates: readonly string[];
  groups: readonly string[];
  nodes: number;
  nodeMemoryMiB: number;
  nodeDiskMiB: number;
  nowS: number;
}): ClusterShape {
  const domain = options.name.includes('.') ? options.name.slice(options.name.indexOf('.') + 1) : 'sim.test';
  return {
    name: options.name,
    uuid: randomUUID(),
    ctime: options.nowS,
    hypervisor: options.hypervisor,
    diskTemplates: [...options.diskTemplates],
    groups: options.groups.map((name) => ({ name, uuid: randomUUID(), tags: [] })),
    nodes: Array.from({ length: options.nodes }, (_, index) => ({
      name: `node${index + 1}.${domain}`,
      uuid: randomUUID(),
      group: options.groups[index % options.groups.length] ?? 'default',
      address: `198.18.200.${index + 11}`,
      memoryMiB: options.nodeMemoryMiB,
      diskMiB: options.nodeDiskMiB,
      offline: false,
      tags: [],
    })),
  };
}
