import { listOrEmpty, numberOrNull, record, text, textOrNull, texts } from './narrow.ts';

/** A node group a network is connected to. */
export interface GanetiNetworkGroup {
  group: string;
  mode: string | null;
  link: string | null;
  vlan: string | null;
}

/** A network as the cluster has it. */
export interface GanetiNetwork {
  name: string;
  uuid: string;
  /** IPv4 CIDR. */
  network: string;
  gateway: string | null;
  network6: string | null;
  gateway6: string | null;
  macPrefix: string | null;
  /** Together with `reservedCount` the size of the subnet. */
  freeCount: number | null;
  reservedCount: number | null;
  /** One character for each address from the lowest: `X` reserved (by a NIC too), `.` free. */
  map: string | null;
  groups: GanetiNetworkGroup[];
  instances: string[];
  /** Addresses reserved by hand, and the network, gateway and broadcast address; NICs are not in it. */
  externalReservations: string[];
  tags: string[];
  /** Not raised by reservations of NICs. */
  serialNo: number | null;
}

/** Reads one element of `/2/networks?bulk=1` or `/2/networks/N`. Throws `GanetiShapeError` without name, uuid or network. */
export function parseNetwork(value: unknown): GanetiNetwork {
  const raw = record(value, 'network');
  return {
    name: text(raw.name, 'network name'),
    uuid: text(raw.uuid, 'network uuid'),
    network: text(raw.network, 'network subnet'),
    gateway: textOrNull(raw.gateway),
    network6: textOrNull(raw.network6),
    gateway6: textOrNull(raw.gateway6),
    macPrefix: textOrNull(raw.mac_prefix),
    freeCount: numberOrNull(raw.free_count),
    reservedCount: numberOrNull(raw.reserved_count),
    map: textOrNull(raw.map),
    groups: listOrEmpty(raw.group_list).map(parseGroupLink),
    instances: texts(raw.inst_list),
    externalReservations: (textOrNull(raw.external_reservations) ?? '').split(', ').filter((address) => address !== ''),
    tags: texts(raw.tags),
    serialNo: numberOrNull(raw.serial_no),
  };
}

// `[group, mode, link, vlan]`; Ganeti 2.x has no vlan.
function parseGroupLink(value: unknown): GanetiNetworkGroup {
  const [group, mode, link, vlan] = listOrEmpty(value);
  return {
    group: text(group, 'group of a network'),
    mode: textOrNull(mode),
    link: textOrNull(link),
    vlan: textOrNull(vlan),
  };
}
