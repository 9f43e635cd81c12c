import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressOffset,
  checkNetworkInput,
  deriveNetworkState,
  type NetworkInput,
  type NetworkState,
  networkTags,
  nextMacPrefix,
  rangeSize,
} from '../../../../src/modules/network/network.rules.ts';
import { failure } from '../failure.ts';

const INPUT: NetworkInput = { name: 'lan', flavor: 'CUSTOM', subnet: '10.0.0.0/24', dhcp: false, isPublic: false };

describe('the ranges of a new network', () => {
  it.each<[rule: string, input: Partial<NetworkInput>]>([
    ['IPv4 alone', { subnet: '10.0.0.0/24' }],
    ['IPv4 with a gateway', { subnet: '10.0.0.0/24', gateway: '10.0.0.1' }],
    ['the last host as gateway', { subnet: '10.0.0.0/24', gateway: '10.0.0.254' }],
    ['the widest', { subnet: '10.0.4.0/22', gateway: '10.0.7.254' }],
    ['the narrowest', { subnet: '10.0.0.248/29', gateway: '10.0.0.254' }],
    ['IPv6 alone', { subnet: null, subnet6: '2001:db8::/64' }],
    ['IPv6 with a gateway', { subnet: null, subnet6: '2001:db8::/64', gateway6: '2001:db8::1' }],
    ['both, with DHCP', { subnet6: '2001:db8::/64', dhcp: true }],
    ['the very top of IPv4', { subnet: '255.255.252.0/22', gateway: '255.255.255.254' }],
  ])('%s', (_rule, input) => {
    const none = { subnet: null, gateway: null, subnet6: null, gateway6: null };
    const { subnet = null, gateway = null, subnet6 = null, gateway6 = null } = { ...INPUT, ...input };
    expect(checkNetworkInput({ ...INPUT, ...input })).toEqual({ ...none, subnet, gateway, subnet6, gateway6 });
  });

  it.each<[rule: string, input: Partial<NetworkInput>, path: string]>([
    ['no range at all', { subnet: null }, 'subnet'],
    ['DHCP without IPv4', { subnet: null, subnet6: '2001:db8::/64', dhcp: true }, 'dhcp'],
    ['host bits', { subnet: '10.0.0.5/28' }, 'subnet'],
    ['a /21', { subnet: '10.0.0.0/21' }, 'subnet'],
    ['a /30', { subnet: '10.0.0.0/30' }, 'subnet'],
    ['a /32', { subnet: '10.0.0.0/32' }, 'subnet'],
    ['the whole of IPv4', { subnet: '0.0.0.0/0' }, 'subnet'],
    ['no prefix length', { subnet: '10.0.0.0' }, 'subnet'],
    ['a prefix length out of bounds', { subnet: '10.0.0.0/33' }, 'subnet'],
    ['IPv6 in the place of IPv4', { subnet: '2001:db8::/64' }, 'subnet'],
    ['a gateway outside', { gateway: '10.0.1.1' }, 'gateway'],
    ['the network’s own address as gateway', { gateway: '10.0.0.0' }, 'gateway'],
    ['the broadcast address as gateway', { gateway: '10.0.0.255' }, 'gateway'],
    ['a gateway that is no address', { gateway: '10.0.0' }, 'gateway'],
    ['a gateway without a range', { subnet: null, subnet6: '2001:db8::/64', gateway: '10.0.0.1' }, 'gateway'],
    ['IPv6 host bits', { subnet6: '2001:db8::1/64' }, 'subnet6'],
    ['a /63', { subnet6: '2001:db8::/63' }, 'subnet6'],
    ['a /65', { subnet6: '2001:db8::/65' }, 'subnet6'],
    ['IPv4 in the place of IPv6', { subnet6: '10.0.0.0/24' }, 'subnet6'],
    ['an IPv6 gateway outside', { subnet6: '2001:db8::/64', gateway6: '2001:db8:0:1::1' }, 'gateway6'],
    ['an IPv6 gateway that is no address', { subnet6: '2001:db8::/64', gateway6: 'gateway' }, 'gateway6'],
    ['an IPv6 gateway without a range', { gateway6: '2001:db8::1' }, 'gateway6'],
  ])('%s is refused', (_rule, input, path) => {
    expect(failure(() => checkNetworkInput({ ...INPUT, ...input }))).toEqual({ code: 'INVALID_INPUT', path: [path] });
  });

  it.each(['IP_LESS_ROUTED', 'MAC_FILTERED', 'PHYSICAL_VLAN'] as const)('flavor %s is not offered yet', (flavor) => {
    const input = { ...INPUT, flavor, subnet: 'nonsense' };
    expect(failure(() => checkNetworkInput(input))).toEqual({ code: 'UNSUPPORTED', path: ['flavor'] });
  });
});

describe('places in a range', () => {
  it.each<[subnet: string, size: number]>([
    ['10.0.0.0/22', 1024],
    ['10.0.0.0/24', 256],
    ['10.0.0.0/29', 8],
    ['10.0.0.0/32', 1],
    ['0.0.0.0/0', 4_294_967_296],
  ])('%s has %i addresses', (subnet, size) => {
    expect(rangeSize(subnet)).toBe(size);
  });

  it.each<[subnet: string, address: string, offset: number | null]>([
    ['10.0.0.0/24', '10.0.0.0', 0],
    ['10.0.0.0/24', '10.0.0.255', 255],
    ['10.0.0.0/24', '10.0.1.0', null],
    ['10.0.0.0/24', '9.255.255.255', null],
    ['10.0.0.248/29', '10.0.0.255', 7],
    // Numbers beyond 2^31, which 32-bit operators take for negative ones.
    ['255.255.252.0/22', '255.255.255.255', 1023],
    ['127.255.252.0/22', '128.0.0.0', null],
    ['10.0.0.0/24', '10.0.0.07', null],
    ['10.0.0.0/24', '0xa.0.0.1', null],
    ['10.0.0.0/24', '167772161', null],
    ['10.0.0.0/24', '', null],
    ['10.0.0.0/24', '::ffff:10.0.0.1', null],
  ])('in %s, %s is at %s', (subnet, address, offset) => {
    expect(addressOffset(subnet, address)).toBe(offset);
  });

  it('every place of a range is one address, and no other is in it', () => {
    const octet = fc.nat(255);
    fc.assert(
      fc.property(octet, octet, octet, octet, fc.integer({ min: 22, max: 29 }), (a, b, c, d, prefix) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const base = number - (number % 2 ** (32 - prefix));
        const text = [24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256).join('.');
        expect(addressOffset(`${text}/${prefix}`, `${a}.${b}.${c}.${d}`)).toBe(number - base);
      }),
    );
  });
});

describe('a network’s state (decision 7)', () => {
  const CREATE = { action: 'CREATE', isDeleted: false } as const;
  const DESTROY = { action: 'DESTROY', isDeleted: false } as const;
  it.each<
    [rule: string, network: Parameters<typeof deriveNetworkState>[0], copies: NetworkState[], state: NetworkState]
  >([
    ['ACTIVE without any copy: they are made at first use', CREATE, [], 'ACTIVE'],
    ['trap 30: ACTIVE when its only copy was removed by nobody of ours', CREATE, ['DELETED'], 'ACTIVE'],
    ['ACTIVE while a copy is on its way', CREATE, ['PENDING'], 'ACTIVE'],
    ['ACTIVE with a copy that works', CREATE, ['ACTIVE'], 'ACTIVE'],
    ['ACTIVE with one copy of two', CREATE, ['ERROR', 'ACTIVE'], 'ACTIVE'],
    ['ACTIVE with a second copy under way', CREATE, ['ERROR', 'PENDING'], 'ACTIVE'],
    ['ERROR when all copies failed', CREATE, ['ERROR', 'ERROR'], 'ERROR'],
    ['ERROR when all that are left failed', CREATE, ['DELETED', 'ERROR'], 'ERROR'],
    ['PENDING while its deletion is open', DESTROY, ['ACTIVE', 'DELETED'], 'PENDING'],
    ['PENDING while a failed copy is left', DESTROY, ['ERROR'], 'PENDING'],
    ['DELETED with the last copy', DESTROY, ['DELETED', 'DELETED'], 'DELETED'],
    ['DELETED at once without a copy', DESTROY, [], 'DELETED'],
    ['DELETED for good', { action: 'CREATE', isDeleted: true }, ['ACTIVE'], 'DELETED'],
  ])('%s', (_rule, network, copies, state) => {
    expect(deriveNetworkState(network, copies)).toBe(state);
    expect(deriveNetworkState(network, [...copies].reverse())).toBe(state);
  });
});

describe('MAC prefixes of copies', () => {
  it('sixteen copies get sixteen prefixes of three octets, and the seventeenth none', () => {
    const taken: string[] = [];
    for (let copy = 0; copy < 16; copy += 1) {
      const prefix = nextMacPrefix('aa:00:0', taken);
      expect(prefix).toMatch(/^aa:00:0[0-9a-f]$/);
      taken.push(prefix as string);
    }
    expect(new Set(taken).size).toBe(16);
    expect(nextMacPrefix('aa:00:0', taken)).toBeNull();
  });

  it('the lowest that is free is taken, whatever others have', () => {
    expect(nextMacPrefix('aa:00:0', [])).toBe('aa:00:00');
    expect(nextMacPrefix('aa:00:0', ['aa:00:00', 'aa:00:02', 'bb:00:01'])).toBe('aa:00:01');
  });
});

describe('tags in Ganeti', () => {
  it.each<[dhcp: boolean, isPublic: boolean, tags: string[]]>([
    [false, false, ['private']],
    [true, false, ['nfdhcpd', 'private']],
    [false, true, ['public']],
    [true, true, ['nfdhcpd', 'public']],
  ])('dhcp %s, public %s: %j', (dhcp, isPublic, tags) => {
    expect(networkTags({ dhcp, isPublic })).toEqual(tags);
  });
});
