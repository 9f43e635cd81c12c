import type { NetworkInterface } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { argumentId, defineNodeType } from '../../graphql/global-id.ts';
import { loadRow, type RowSource } from '../../graphql/row-loader.ts';
import { isNull } from '../../graphql/sql-condition.ts';

export const NetworkInterfaceNode = defineNodeType('NetworkInterface', 'int4');
const networkInterfaceRows: RowSource = { model: 'networkInterface', node: NetworkInterfaceNode };

const NicStateEnum = builder.enumType('NicState', {
  description: 'Where a network interface stands.',
  values: {
    BUILD: { description: 'It is being made.' },
    ACTIVE: { description: 'It works.' },
    ERROR: { description: 'Making it failed.' },
    DOWN: { description: 'It is not connected.' },
  } as const,
});

export const FirewallProfileEnum = builder.enumType('FirewallProfile', {
  description: 'How a network interface is guarded.',
  values: {
    ENABLED: { description: 'Nothing gets in but answers.' },
    DISABLED: { description: 'Everything gets in.' },
    PROTECTED: { description: 'Only a few well-known services get in.' },
  } as const,
});

const NetworkInterfaceType = builder.prismaNode('NetworkInterface', {
  description: 'What connects a virtual machine to a network.',
  id: { field: 'id', description: 'The opaque id of the interface.' },
  nullable: true,
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place among the interfaces of the machine, from 0.' }),
    name: t.exposeString('name', { description: 'Its name in Ganeti.' }),
    mac: t.expose('mac', {
      type: 'MAC',
      nullable: true,
      description: 'Its MAC address; null until Ganeti has made one.',
    }),
    ipv4: t.expose('ipv4', { type: 'IPv4', nullable: true, description: 'Its IPv4 address; null without one.' }),
    ipv6: t.expose('ipv6', { type: 'IPv6', nullable: true, description: 'Its IPv6 address; null without one.' }),
    firewallProfile: t.expose('firewallProfile', {
      type: FirewallProfileEnum,
      nullable: true,
      description: 'How it is guarded; null: by no rules of ours.',
    }),
    state: t.expose('state', { type: NicStateEnum, description: 'Where it stands.' }),
    network: t.relation('network', { description: 'The network that it is on.' }),
    virtualMachine: t.relation('virtualMachine', { description: 'The machine that has it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was removed; null while it is there.',
    }),
  }),
});

const NetworkInterfaces = defineConnection({
  type: NetworkInterfaceType,
  source: networkInterfaceRows,
  table: 'NetworkInterface',
  items: 'network interfaces',
  order: {
    fields: { CREATED: { column: 'id', kind: 'int4', description: 'When they were made.' } },
    default: { field: 'CREATED', direction: 'ASC' },
  },
  unfiltered: [isNull('deletedAt')],
});

builder.queryField('networkInterface', (t) =>
  t.field({
    type: NetworkInterfaceType,
    nullable: true,
    description: 'One network interface; null when there is none with that id.',
    args: { id: t.arg.id({ required: true, description: 'The id of the interface.' }) },
    resolve: (_root, { id }, context, info) =>
      loadRow<NetworkInterface>(
        networkInterfaceRows,
        context,
        info,
        String(argumentId(NetworkInterfaceNode, id, ['id'])),
      ),
  }),
);

builder.prismaObjectField('Network', 'nics', (t) =>
  t.field({
    ...NetworkInterfaces.field,
    description: 'The interfaces on it.',
    args: NetworkInterfaces.args,
    resolve: (network, args, context, info) =>
      NetworkInterfaces.open(args, context, info, { column: { name: 'networkId', type: 'int4' }, value: network.id }),
  }),
);
