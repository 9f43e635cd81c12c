import type { Network } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { argumentId } from '../../graphql/global-id.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import { contains, equals, isNull, isOneOf, type SqlCondition } from '../../graphql/sql-condition.ts';
import { Changes } from '../change/change.graphql.ts';
import { Operations } from '../operation/operations.graphql.ts';
import { NetworkFlavorEnum, NetworkNode, NetworkStateEnum, NetworkType, networkRows } from './network.graphql.ts';

const NetworkFilter = builder.inputType('NetworkFilter', {
  description: 'Which networks to list; all conditions must hold.',
  fields: (t) => ({
    nameContains: t.string({ description: 'The name has this in it, in any case.' }),
    flavor: t.field({ type: [NetworkFlavorEnum], description: 'They are of one of these flavors.' }),
    state: t.field({ type: [NetworkStateEnum], description: 'They stand at one of these.' }),
    isPublic: t.boolean({ description: 'Whether they are public.' }),
    isDrained: t.boolean({ description: 'Whether they are drained.' }),
    includeDeleted: t.boolean({ description: 'Also those that were deleted.', defaultValue: false }),
  }),
});

const LIVING = [isNull('deletedAt')];

const Networks = defineConnection({
  type: NetworkType,
  source: networkRows,
  table: 'Network',
  items: 'networks',
  order: {
    fields: {
      CREATED: { column: 'id', kind: 'int4', description: 'When they were made.' },
      NAME: { column: 'name', kind: 'text', description: 'Their names.' },
    },
    default: { field: 'CREATED', direction: 'ASC' },
  },
  unfiltered: LIVING,
  filter: {
    type: NetworkFilter,
    conditions: ({ nameContains, flavor, state, isPublic, isDrained, includeDeleted }) => {
      const conditions: SqlCondition[] = includeDeleted ? [] : [...LIVING];
      if (nameContains != null) conditions.push(contains('name', nameContains));
      if (flavor) conditions.push(isOneOf({ name: 'flavor', type: '"NetworkFlavor"' }, flavor));
      if (state) conditions.push(isOneOf({ name: 'state', type: '"NetworkState"' }, state));
      if (isPublic != null) conditions.push(equals({ name: 'isPublic', type: 'boolean' }, isPublic));
      if (isDrained != null) conditions.push(equals({ name: 'isDrained', type: 'boolean' }, isDrained));
      return conditions;
    },
  },
});

builder.queryField('network', (t) =>
  t.field({
    type: NetworkType,
    nullable: true,
    description: 'One network; null when there is none with that id.',
    args: { id: t.arg.id({ required: true, description: 'The id of the network.' }) },
    resolve: (_root, { id }, context, info) =>
      loadRow<Network>(networkRows, context, info, String(argumentId(NetworkNode, id, ['id']))),
  }),
);

builder.queryField('networks', (t) =>
  t.field({
    ...Networks.field,
    description: 'The networks that virtual machines can be on.',
    args: Networks.args,
    resolve: (_root, args, context, info) => Networks.open(args, context, info),
  }),
);

builder.prismaObjectField('Network', 'operations', (t) =>
  t.field({
    ...Operations.field,
    description: 'The operations about it, the newest first.',
    args: Operations.args,
    resolve: (network, args, context, info) =>
      Operations.open(args, context, info, { column: { name: 'networkId', type: 'int4' }, value: network.id }),
  }),
);

builder.prismaObjectField('Network', 'changes', (t) =>
  t.field({
    ...Changes.field,
    description: 'Its history, the newest first.',
    args: Changes.args,
    resolve: (network, args, context, info) =>
      Changes.open(args, context, info, {
        column: { name: 'entityId', type: 'text' },
        value: String(network.id),
        conditions: [equals({ name: 'entityType', type: '"EntityType"' }, 'NETWORK')],
      }),
  }),
);
