import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { defineNodeType } from '../../graphql/global-id.ts';
import { isNull } from '../../graphql/sql-condition.ts';
import { LastJob, lastJobOf } from '../operation/last-job.graphql.ts';
import { NetworkStateEnum } from './network.graphql.ts';

const BackendNetworkNode = defineNodeType('BackendNetwork', 'int4');

const BackendNetworkType = builder.prismaNode('BackendNetwork', {
  description: 'The copy of a network in one cluster.',
  id: { field: 'id', description: 'The opaque id of the copy.' },
  nullable: true,
  fields: (t) => ({
    network: t.relation('network', { description: 'What it is a copy of.' }),
    backend: t.relation('backend', { description: 'The cluster that has it.' }),
    operState: t.expose('operState', { type: NetworkStateEnum, description: 'Where it stands.' }),
    macPrefix: t.exposeString('macPrefix', { description: 'How MAC addresses begin on it there.' }),
    lastJob: t.field({
      type: LastJob,
      nullable: true,
      description: 'The newest job about it; null when there was none.',
      resolve: lastJobOf,
    }),
    connectedGroups: t.exposeStringList('connectedGroups', { description: 'The node groups that it is connected to.' }),
    missingGroups: t.exposeStringList('missingGroups', {
      description: 'The node groups that it is not connected to yet.',
    }),
    version: t.exposeInt('version', { description: 'Raised by each change.' }),
  }),
});

const BackendNetworks = defineConnection({
  type: BackendNetworkType,
  source: { model: 'backendNetwork', node: BackendNetworkNode },
  table: 'BackendNetwork',
  items: 'copies of networks',
  order: {
    fields: { CREATED: { column: 'id', kind: 'int4', description: 'When they were made.' } },
    default: { field: 'CREATED', direction: 'ASC' },
  },
  unfiltered: [isNull('deletedAt')],
});

builder.prismaObjectField('Backend', 'networks', (t) =>
  t.field({
    ...BackendNetworks.field,
    description: 'The networks that it has a copy of.',
    args: BackendNetworks.args,
    resolve: (backend, args, context, info) =>
      BackendNetworks.open(args, context, info, { column: { name: 'backendId', type: 'int4' }, value: backend.id }),
  }),
);
