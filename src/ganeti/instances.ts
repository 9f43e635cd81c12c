import { booleanOrNull, listOrEmpty, numberOrNull, record, recordOrEmpty, text, textOrNull, texts } from './narrow.ts';

/** A NIC as the cluster has it. */
export interface GanetiNic {
  uuid: string | null;
  name: string | null;
  ip: string | null;
  mac: string | null;
  mode: string | null;
  link: string | null;
  bridge: string | null;
  /** Name of the network; null for a NIC outside any. */
  network: string | null;
  networkUuid: string | null;
}

/** A disk as the cluster has it. */
export interface GanetiDisk {
  uuid: string | null;
  name: string | null;
  sizeMiB: number | null;
}

/** An instance as the cluster has it. Numbers are null when the node did not answer, or has no such notion. */
export interface GanetiInstance {
  name: string;
  uuid: string;
  /** `running`, `ADMIN_down`, `ADMIN_offline`, `ERROR_down`, `ERROR_up`, `ERROR_nodedown`, `ERROR_nodeoffline`, `USER_down`, … */
  status: string;
  /** `up`, `down` or `offline`: what the cluster means it to be. */
  adminState: string | null;
  /** Whether it really runs; null when the node cannot say. */
  operState: boolean | null;
  operMemoryMiB: number | null;
  operVcpus: number | null;
  osType: string | null;
  primaryNode: string | null;
  secondaryNodes: string[];
  diskTemplate: string | null;
  nics: GanetiNic[];
  disks: GanetiDisk[];
  vcpus: number | null;
  memoryMiB: number | null;
  /** Port of the graphical console on the primary node; null under the fake hypervisor. */
  networkPort: number | null;
  /** May be `{}`: any key can be absent. */
  hvparams: Record<string, unknown>;
  beparams: Record<string, unknown>;
  tags: string[];
  /** Seconds since 1970 with a fraction, as Ganeti gives them. */
  createdAtS: number | null;
  modifiedAtS: number | null;
  serialNo: number | null;
}

/** Reads one element of `/2/instances?bulk=1` or `/2/instances/N`. Throws `GanetiShapeError` without name, uuid or status. */
export function parseInstance(value: unknown): GanetiInstance {
  const raw = record(value, 'instance');
  const beparams = recordOrEmpty(raw.beparams);
  return {
    name: text(raw.name, 'instance name'),
    uuid: text(raw.uuid, 'instance uuid'),
    status: text(raw.status, 'instance status'),
    adminState: textOrNull(raw.admin_state),
    operState: booleanOrNull(raw.oper_state),
    operMemoryMiB: numberOrNull(raw.oper_ram),
    operVcpus: numberOrNull(raw.oper_vcpus),
    osType: textOrNull(raw.os),
    primaryNode: textOrNull(raw.pnode),
    secondaryNodes: texts(raw.snodes),
    diskTemplate: textOrNull(raw.disk_template),
    nics: parseNics(raw),
    disks: parseDisks(raw),
    vcpus: numberOrNull(beparams.vcpus),
    memoryMiB: numberOrNull(beparams.maxmem) ?? numberOrNull(beparams.memory),
    networkPort: numberOrNull(raw.network_port),
    hvparams: recordOrEmpty(raw.hvparams),
    beparams,
    tags: texts(raw.tags),
    createdAtS: numberOrNull(raw.ctime),
    modifiedAtS: numberOrNull(raw.mtime),
    serialNo: numberOrNull(raw.serial_no),
  };
}

// Parallel arrays; any entry may be null, and an older Ganeti lacks a whole array.
function parseNics(raw: Record<string, unknown>): GanetiNic[] {
  const column = (field: string): unknown[] => listOrEmpty(raw[`nic.${field}`]);
  const [macs, uuids, names, ips, modes] = [
    column('macs'),
    column('uuids'),
    column('names'),
    column('ips'),
    column('modes'),
  ];
  const [links, bridges, networks, networkNames] = [
    column('links'),
    column('bridges'),
    column('networks'),
    column('networks.names'),
  ];
  return Array.from({ length: Math.max(macs.length, uuids.length) }, (_, index) => ({
    uuid: textOrNull(uuids[index]),
    name: textOrNull(names[index]),
    ip: textOrNull(ips[index]),
    mac: textOrNull(macs[index]),
    mode: textOrNull(modes[index]),
    link: textOrNull(links[index]),
    bridge: textOrNull(bridges[index]),
    network: textOrNull(networkNames[index]),
    networkUuid: textOrNull(networks[index]),
  }));
}

function parseDisks(raw: Record<string, unknown>): GanetiDisk[] {
  const uuids = listOrEmpty(raw['disk.uuids']);
  const names = listOrEmpty(raw['disk.names']);
  return listOrEmpty(raw['disk.sizes']).map((size, index) => ({
    uuid: textOrNull(uuids[index]),
    name: textOrNull(names[index]),
    sizeMiB: numberOrNull(size),
  }));
}
