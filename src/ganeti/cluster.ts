import { booleanOrNull, numberOrNull, record, recordOrEmpty, text, textOrNull, texts } from './narrow.ts';

/** What `/2/info` says about a cluster. */
export interface GanetiInfo {
  name: string;
  uuid: string | null;
  /** Name of the master node. */
  master: string | null;
  /** `3.0.2`; features are gated on it, not on `/2/features`, which has not changed since 2.4. */
  softwareVersion: string;
  defaultHypervisor: string | null;
  enabledHypervisors: string[];
  enabledDiskTemplates: string[];
  macPrefix: string | null;
  defaultIallocator: string | null;
  maxRunningJobs: number | null;
  ipolicy: Record<string, unknown>;
}

/** A node. Sizes are in MiB and null when the node is offline, did not answer, or lacks that storage. */
export interface GanetiNode {
  name: string;
  uuid: string | null;
  /** `M` master, `C` candidate, `R` regular, `D` drained, `O` offline. */
  role: string | null;
  offline: boolean | null;
  drained: boolean | null;
  vmCapable: boolean | null;
  groupUuid: string | null;
  memoryTotalMiB: number | null;
  memoryFreeMiB: number | null;
  memoryNodeMiB: number | null;
  diskTotalMiB: number | null;
  diskFreeMiB: number | null;
  cpuTotal: number | null;
  primaryInstances: string[];
  secondaryInstances: string[];
}

/** Where an instance's console is, or why there is none; under the fake hypervisor `kind` is `msg`. */
export interface GanetiConsole {
  instance: string;
  /** `vnc`, `ssh`, `spice`, `msg`. */
  kind: string;
  host: string | null;
  port: number | null;
  message: string | null;
}

/** Reads `/2/info`. Throws `GanetiShapeError` for JSON that is not a Ganeti's. */
export function parseInfo(value: unknown): GanetiInfo {
  const raw = record(value, 'cluster info');
  return {
    name: text(raw.name, 'cluster name'),
    uuid: textOrNull(raw.uuid),
    master: textOrNull(raw.master),
    softwareVersion: text(raw.software_version, 'software_version'),
    defaultHypervisor: textOrNull(raw.default_hypervisor),
    enabledHypervisors: texts(raw.enabled_hypervisors),
    enabledDiskTemplates: texts(raw.enabled_disk_templates),
    macPrefix: textOrNull(raw.mac_prefix),
    defaultIallocator: textOrNull(raw.default_iallocator),
    maxRunningJobs: numberOrNull(raw.max_running_jobs),
    ipolicy: recordOrEmpty(raw.ipolicy),
  };
}

/** Reads one element of `/2/nodes?bulk=1`. Throws `GanetiShapeError` without a name. */
export function parseNode(value: unknown): GanetiNode {
  const raw = record(value, 'node');
  return {
    name: text(raw.name, 'node name'),
    uuid: textOrNull(raw.uuid),
    role: textOrNull(raw.role),
    offline: booleanOrNull(raw.offline),
    drained: booleanOrNull(raw.drained),
    vmCapable: booleanOrNull(raw.vm_capable),
    groupUuid: textOrNull(raw['group.uuid']),
    memoryTotalMiB: numberOrNull(raw.mtotal),
    memoryFreeMiB: numberOrNull(raw.mfree),
    memoryNodeMiB: numberOrNull(raw.mnode),
    diskTotalMiB: numberOrNull(raw.dtotal),
    diskFreeMiB: numberOrNull(raw.dfree),
    cpuTotal: numberOrNull(raw.ctotal),
    primaryInstances: texts(raw.pinst_list),
    secondaryInstances: texts(raw.sinst_list),
  };
}

/** Reads one element of `/2/groups`; its key is `name` where instances and nodes have `id`. Throws `GanetiShapeError`. */
export function parseGroup(value: unknown): { name: string } {
  return { name: text(record(value, 'group').name, 'group name') };
}

/** Reads `/2/instances/N/console`. Throws `GanetiShapeError`. */
export function parseConsole(value: unknown): GanetiConsole {
  const raw = record(value, 'console');
  return {
    instance: text(raw.instance, 'console instance'),
    kind: text(raw.kind, 'console kind'),
    host: textOrNull(raw.host),
    port: numberOrNull(raw.port),
    message: textOrNull(raw.message),
  };
}
