import { describe, expect, it } from 'vitest';
import type { NetworkRecord } from '../../../../src/modules/network/network.rules.ts';
import {
  type CreateVirtualMachineInput,
  checkAddress,
  checkCreateInput,
  checkUsable,
} from '../../../../src/modules/virtual-machine/create-input.rules.ts';
import { failure } from '../failure.ts';

const INPUT: CreateVirtualMachineInput = {
  name: 'web',
  flavorId: 1,
  imageId: 1,
  start: true,
  networks: [{ networkId: 1 }],
};

const NETWORK: NetworkRecord = {
  id: 1,
  name: 'lan',
  ownerId: 'me',
  flavor: 'CUSTOM',
  mode: 'bridged',
  link: 'br0',
  macPrefix: 'aa:00:0',
  subnet: '10.0.0.0/24',
  gateway: '10.0.0.1',
  subnet6: null,
  gateway6: null,
  isPublic: false,
  isDrained: false,
  state: 'ACTIVE',
  action: 'CREATE',
  tags: [],
  version: 1,
  deletedAt: null,
};

describe('what a new machine is asked for', () => {
  it('passes on its name in one spelling and its networks', () => {
    expect(checkCreateInput({ ...INPUT, name: 'cafe\u0301' })).toEqual({ name: 'café', networks: [{ networkId: 1 }] });
    expect(checkCreateInput({ ...INPUT, networks: Array(8).fill({ networkId: 1 }) }).networks).toHaveLength(8);
    expect(
      checkCreateInput({ ...INPUT, networks: [{ networkId: 1, firewallProfile: null, ipv4: null }] }),
    ).toBeDefined();
  });

  it.each<[rule: string, change: Partial<CreateVirtualMachineInput>, code: string, path: string[]]>([
    ['an empty name', { name: '' }, 'INVALID_INPUT', ['name']],
    ['a name of 300 characters', { name: 'x'.repeat(300) }, 'INVALID_INPUT', ['name']],
    ['no network: Ganeti would invent a NIC', { networks: [] }, 'INVALID_INPUT', ['networks']],
    ['null for networks', { networks: null }, 'INVALID_INPUT', ['networks']],
    ['networks left out', { networks: undefined }, 'INVALID_INPUT', ['networks']],
    ['nine NICs', { networks: Array(9).fill({ networkId: 1 }) }, 'INVALID_INPUT', ['networks']],
    [
      'a firewall profile, which is not offered yet',
      { networks: [{ networkId: 1 }, { networkId: 2, firewallProfile: 'ENABLED' }] },
      'UNSUPPORTED',
      ['networks', '1', 'firewallProfile'],
    ],
  ])('%s is refused', (_rule, change, code, path) => {
    expect(failure(() => checkCreateInput({ ...INPUT, ...change }))).toEqual({ code, path });
  });
});

describe('a network for a NIC', () => {
  it.each<[rule: string, change: Partial<NetworkRecord>]>([
    ['that is ACTIVE', {}],
    ['whose copies failed: they are added again', { state: 'ERROR' }],
    ['without IPv4', { subnet: null }],
  ])('%s can be used', (_rule, change) => {
    const network = { ...NETWORK, ...change };
    expect(checkUsable(network, 0)).toBe(network);
  });

  it.each<[rule: string, change: Partial<NetworkRecord> | null, code: string]>([
    ['that does not exist', null, 'NOT_FOUND'],
    ['that was deleted', { deletedAt: new Date(0) }, 'NOT_FOUND'],
    ['that is being deleted (trap 31)', { action: 'DESTROY' }, 'INVALID_STATE'],
    ['that is drained', { isDrained: true }, 'INVALID_STATE'],
  ])('%s cannot', (_rule, change, code) => {
    const network = change === null ? undefined : { ...NETWORK, ...change };
    expect(failure(() => checkUsable(network, 2))).toEqual({ code, path: ['networks', '2', 'networkId'] });
  });
});

describe('an address that was asked for', () => {
  it.each(['10.0.0.2', '10.0.0.77', '10.0.0.254'])('%s can be a NIC’s', (ipv4) => {
    expect(() => checkAddress(NETWORK, ipv4, 0)).not.toThrow();
  });

  it.each<[rule: string, ipv4: string, code: string]>([
    ['the network’s own', '10.0.0.0', 'INVALID_INPUT'],
    ['the broadcast address', '10.0.0.255', 'INVALID_INPUT'],
    ['the gateway’s', '10.0.0.1', 'ADDRESS_IN_USE'],
    ['one outside', '10.0.1.2', 'INVALID_INPUT'],
    ['one below', '9.255.255.255', 'INVALID_INPUT'],
    ['no address', 'pool', 'INVALID_INPUT'],
    ['an IPv6 address', '::1', 'INVALID_INPUT'],
    ['an address with a leading zero', '10.0.0.077', 'INVALID_INPUT'],
  ])('%s cannot: %s', (_rule, ipv4, code) => {
    expect(failure(() => checkAddress(NETWORK, ipv4, 1))).toEqual({ code, path: ['networks', '1', 'ipv4'] });
  });

  it('cannot be one on a network without IPv4', () => {
    expect(failure(() => checkAddress({ ...NETWORK, subnet: null }, '10.0.0.2', 0))).toEqual({
      code: 'INVALID_INPUT',
      path: ['networks', '0', 'ipv4'],
    });
  });
});
