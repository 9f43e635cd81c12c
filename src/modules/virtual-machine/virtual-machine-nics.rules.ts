import { eui64 } from '../network/eui64.rules.ts';

/** The part of a NIC's row that events change. */
export interface NicRow {
  readonly id: number;
  /** Its stable name in Ganeti, `<prefix>nic-<id>`: NICs are matched by it, never by index. */
  readonly name: string;
  readonly index: number;
  readonly state: 'BUILD' | 'ACTIVE' | 'ERROR' | 'DOWN';
  readonly mac: string | null;
  readonly ganetiUuid: string | null;
  readonly ipv6: string | null;
  readonly isDeleted: boolean;
  /** The /64 of its network, for the address that follows from the MAC. */
  readonly subnet6: string | null;
}

/** A NIC as the cluster reports it. */
export interface ReportedNic {
  readonly name: string | null;
  readonly uuid: string;
  readonly mac: string;
  readonly index: number;
}

/** Takes over what the cluster chose for our NICs (MAC, uuid, index). A NIC that bears no name of ours is left alone. */
export function matchNics(nics: readonly NicRow[], reported: readonly ReportedNic[]): NicRow[] {
  const byName = new Map(reported.filter((nic) => nic.name !== null).map((nic) => [nic.name, nic]));
  return nics.map((nic) => {
    const seen = byName.get(nic.name);
    if (!seen || nic.isDeleted) return nic;
    return {
      ...nic,
      mac: seen.mac,
      ganetiUuid: seen.uuid,
      index: seen.index,
      ipv6: nic.subnet6 === null ? nic.ipv6 : eui64(nic.subnet6, seen.mac),
    };
  });
}
