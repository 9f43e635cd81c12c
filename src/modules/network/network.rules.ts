import ipaddr from 'ipaddr.js';
import { InvalidInput, Unsupported } from '../../operations/user-error.ts';

export type NetworkState = 'PENDING' | 'ACTIVE' | 'DELETED' | 'ERROR';
export type NetworkFlavor = 'CUSTOM' | 'IP_LESS_ROUTED' | 'MAC_FILTERED' | 'PHYSICAL_VLAN';

/** A network's row as rules and stores need it. */
export interface NetworkRecord {
  readonly id: number;
  readonly name: string;
  readonly ownerId: string | null;
  readonly flavor: NetworkFlavor;
  readonly mode: string;
  readonly link: string;
  readonly macPrefix: string;
  readonly subnet: string | null;
  readonly gateway: string | null;
  readonly subnet6: string | null;
  readonly gateway6: string | null;
  readonly isPublic: boolean;
  readonly isDrained: boolean;
  readonly state: NetworkState;
  readonly action: 'CREATE' | 'DESTROY';
  readonly tags: readonly string[];
  readonly version: number;
  readonly deletedAt: Date | null;
}

/** The widest IPv4 range; a wider one makes Ganeti's own address map slow (MAX_CIDR_BLOCK, 3-domain h). */
const WIDEST_PREFIX = 22;
/** The narrowest: network, broadcast and gateway leave five addresses. */
const NARROWEST_PREFIX = 29;

/** A network's state follows from its copies (decision 7). Only an asked-for deletion may end in DELETED (trap 30). */
export function deriveNetworkState(
  network: { readonly action: 'CREATE' | 'DESTROY'; readonly isDeleted: boolean },
  copies: readonly NetworkState[],
): NetworkState {
  const live = copies.filter((state) => state !== 'DELETED');
  if (network.isDeleted) return 'DELETED';
  if (network.action === 'DESTROY') return live.length === 0 ? 'DELETED' : 'PENDING';
  return live.length > 0 && live.every((state) => state === 'ERROR') ? 'ERROR' : 'ACTIVE';
}

export interface NetworkInput {
  readonly name: string;
  readonly flavor: NetworkFlavor;
  readonly subnet?: string | null | undefined;
  readonly gateway?: string | null | undefined;
  readonly subnet6?: string | null | undefined;
  readonly gateway6?: string | null | undefined;
  readonly dhcp: boolean;
  readonly isPublic: boolean;
}

export interface AddressRanges {
  readonly subnet: string | null;
  readonly gateway: string | null;
  readonly subnet6: string | null;
  readonly gateway6: string | null;
}

/** @throws InvalidInput with the field's path; Unsupported for a flavor that is not offered yet */
export function checkNetworkInput(input: NetworkInput): AddressRanges {
  if (input.flavor !== 'CUSTOM') {
    throw new Unsupported(`Networks of flavor ${input.flavor} are not offered yet.`, ['flavor']);
  }
  if (input.subnet == null && input.subnet6 == null) {
    throw new InvalidInput('A network needs an IPv4 or an IPv6 range.', ['subnet']);
  }
  if (input.dhcp && input.subnet == null) throw new InvalidInput('DHCP needs an IPv4 range.', ['dhcp']);
  return { ...checkIpv4(input), ...checkIpv6(input) };
}

function checkIpv4({ subnet, gateway }: NetworkInput): { subnet: string | null; gateway: string | null } {
  if (subnet == null) {
    if (gateway != null) throw new InvalidInput('A gateway needs a subnet.', ['gateway']);
    return { subnet: null, gateway: null };
  }
  const range = parseRange(ipaddr.IPv4, subnet, 'subnet');
  if (range.prefix < WIDEST_PREFIX || range.prefix > NARROWEST_PREFIX) {
    throw new InvalidInput(`An IPv4 range is /${WIDEST_PREFIX} to /${NARROWEST_PREFIX}, not /${range.prefix}.`, [
      'subnet',
    ]);
  }
  if (gateway == null) return { subnet, gateway: null };
  const at = addressOffset(subnet, gateway);
  if (at === null || at === 0 || at === rangeSize(subnet) - 1) {
    throw new InvalidInput(`The gateway ${gateway} is no host address of ${subnet}.`, ['gateway']);
  }
  return { subnet, gateway };
}

function checkIpv6({ subnet6, gateway6 }: NetworkInput): { subnet6: string | null; gateway6: string | null } {
  if (subnet6 == null) {
    if (gateway6 != null) throw new InvalidInput('An IPv6 gateway needs an IPv6 range.', ['gateway6']);
    return { subnet6: null, gateway6: null };
  }
  const range = parseRange(ipaddr.IPv6, subnet6, 'subnet6');
  if (range.prefix !== 64) throw new InvalidInput(`An IPv6 range is a /64, not a /${range.prefix}.`, ['subnet6']);
  if (gateway6 == null) return { subnet6, gateway6: null };
  if (!ipaddr.IPv6.isValid(gateway6) || !ipaddr.IPv6.parse(gateway6).match(ipaddr.IPv6.parseCIDR(subnet6))) {
    throw new InvalidInput(`The gateway ${gateway6} is outside ${subnet6}.`, ['gateway6']);
  }
  return { subnet6, gateway6 };
}

function parseRange(family: typeof ipaddr.IPv4 | typeof ipaddr.IPv6, text: string, field: string): { prefix: number } {
  if (!family.isValidCIDR(text)) throw new InvalidInput(`"${text}" is no range in CIDR notation.`, [field]);
  const [address, prefix] = family.parseCIDR(text);
  // Ganeti answers host bits with a 500 (5-ganeti, section 0).
  if (family.networkAddressFromCIDR(text).toString() !== address.toString()) {
    throw new InvalidInput(`${text} has host bits set.`, [field]);
  }
  return { prefix };
}

/** How many addresses an IPv4 range has, network and broadcast among them. */
export function rangeSize(subnet: string): number {
  return 2 ** (32 - ipaddr.IPv4.parseCIDR(subnet)[1]);
}

/** An address's place in a range, from 0; null when it is outside or no address. */
export function addressOffset(subnet: string, address: string): number | null {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return null;
  const [base] = ipaddr.IPv4.parseCIDR(subnet);
  const offset = toNumber(ipaddr.IPv4.parse(address)) - toNumber(base);
  return offset >= 0 && offset < rangeSize(subnet) ? offset : null;
}

function toNumber(address: ipaddr.IPv4): number {
  return address.octets.reduce((number, octet) => number * 256 + octet, 0);
}

/** The tags that a network bears in Ganeti (3-domain e2). */
export function networkTags(input: Pick<NetworkInput, 'dhcp' | 'isPublic'>): string[] {
  return [...(input.dhcp ? ['nfdhcpd'] : []), input.isPublic ? 'public' : 'private'];
}

/**
 * The MAC prefix of the next copy: the network's five hex digits and a sixth that no copy of it bears; sixteen copies
 * at most (decision 7). @returns null when all sixteen are taken
 */
export function nextMacPrefix(networkPrefix: string, taken: readonly string[]): string | null {
  for (let digit = 0; digit < 16; digit += 1) {
    const prefix = `${networkPrefix}${digit.toString(16)}`;
    if (!taken.includes(prefix)) return prefix;
  }
  return null;
}
