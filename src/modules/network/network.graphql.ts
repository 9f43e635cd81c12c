import type { Network } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { defineNodeType } from '../../graphql/global-id.ts';
import type { RowSource } from '../../graphql/row-loader.ts';
import { type AddressCounts, addressCountsOf } from './address-counts.ts';

export const NetworkNode = defineNodeType('Network', 'int4');
export const networkRows: RowSource = { model: 'network', node: NetworkNode };

export const NetworkStateEnum = builder.enumType('NetworkState', {
  description: 'Where a network, or its copy in a cluster, stands.',
  values: {
    PENDING: { description: 'It is being made.' },
    ACTIVE: { description: 'It can be used.' },
    DELETED: { description: 'It is gone.' },
    ERROR: { description: 'Making or removing it failed.' },
  } as const,
});

export const NetworkFlavorEnum = builder.enumType('NetworkFlavor', {
  description: 'How a network keeps its traffic apart from others.',
  values: {
    CUSTOM: { description: 'On a bridge that the hosts already have.' },
    IP_LESS_ROUTED: { description: 'Routed by the hosts; machines see no neighbours.' },
    MAC_FILTERED: { description: 'On a shared bridge, told apart by the first half of the MAC addresses.' },
    PHYSICAL_VLAN: { description: 'On a bridge of its own, which is a VLAN of the hosts.' },
  } as const,
});

export const NetworkType = builder.prismaNode('Network', {
  description: 'A network that virtual machines can be on. Each cluster that needs it has a copy.',
  id: { field: 'id', description: 'The opaque id of the network.' },
  nullable: true,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name here.' }),
    owner: t.exposeString('ownerId', {
      nullable: true,
      description: 'The id of the user whom it belongs to; null when it belongs to all.',
    }),
    flavor: t.expose('flavor', { type: NetworkFlavorEnum, description: 'How its traffic is kept apart.' }),
    mode: t.exposeString('mode', { description: 'How its interfaces are connected in Ganeti: bridged, routed, ….' }),
    link: t.exposeString('link', { description: 'What its interfaces are connected to in Ganeti, such as a bridge.' }),
    macPrefix: t.exposeString('macPrefix', { description: 'How the MAC addresses of its interfaces begin.' }),
    subnet: t.expose('subnet', { type: 'CIDRv4', nullable: true, description: 'Its IPv4 network; null without IPv4.' }),
    gateway: t.expose('gateway', { type: 'IPv4', nullable: true, description: 'Its IPv4 gateway; null without one.' }),
    subnet6: t.expose('subnet6', {
      type: 'CIDRv6',
      nullable: true,
      description: 'Its IPv6 network; null without IPv6.',
    }),
    gateway6: t.expose('gateway6', {
      type: 'IPv6',
      nullable: true,
      description: 'Its IPv6 gateway; null without one.',
    }),
    dhcp: t.exposeBoolean('dhcp', { description: 'Whether machines on it get their addresses by DHCP.' }),
    isPublic: t.exposeBoolean('isPublic', { description: 'Whether everyone’s machines may be on it.' }),
    isDrained: t.exposeBoolean('isDrained', { description: 'Whether new interfaces are kept off it.' }),
    state: t.expose('state', { type: NetworkStateEnum, description: 'Where it stands.' }),
    tags: t.exposeStringList('tags', { description: 'Tags that its copies bear in Ganeti.' }),
    backendNetworks: t.relation('backendNetworks', {
      query: { where: { deletedAt: null }, orderBy: { id: 'asc' } },
      description: 'Its copies in the clusters.',
    }),
    totalAddresses: t.int({
      nullable: true,
      description: 'All addresses of its IPv4 network; null without IPv4.',
      resolve: async (network, _args, context) => (await countsOf(network, context))?.total ?? null,
    }),
    freeAddresses: t.int({
      nullable: true,
      complexity: 1,
      description: 'IPv4 addresses that are neither reserved nor in use; null without IPv4.',
      resolve: async (network, _args, context) => (await countsOf(network, context))?.free ?? null,
    }),
    reservedAddresses: t.int({
      nullable: true,
      complexity: 1,
      description:
        'IPv4 addresses that no machine can have: the network’s own, its broadcast address, its gateway and those set aside; null without IPv4.',
      resolve: async (network, _args, context) => (await countsOf(network, context))?.reserved ?? null,
    }),
    version: t.exposeInt('version', { description: 'Raised by each change of the network or one of its copies.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was deleted; null while it lives.',
    }),
  }),
});

function countsOf(network: Network, context: Parameters<typeof addressCountsOf>[0]): Promise<AddressCounts | null> {
  return addressCountsOf(context, network);
}
