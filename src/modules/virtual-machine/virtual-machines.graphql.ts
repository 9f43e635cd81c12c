import type { VirtualMachine } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { argumentId } from '../../graphql/global-id.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import { isNull } from '../../graphql/sql-condition.ts';
import { VirtualMachineNode, VirtualMachineType, virtualMachineRows } from './virtual-machine.graphql.ts';
import { conditionsOf, readCriteria, VirtualMachineFilter } from './virtual-machine-filter.graphql.ts';

const VirtualMachines = defineConnection({
  type: VirtualMachineType,
  source: virtualMachineRows,
  table: 'VirtualMachine',
  items: 'virtual machines',
  order: {
    fields: {
      CREATED: { column: 'id', kind: 'int4', description: 'When they were asked for.' },
      NAME: { column: 'name', kind: 'text', description: 'Their names.' },
    },
    default: { field: 'CREATED', direction: 'DESC' },
  },
  unfiltered: [isNull('deletedAt')],
  filter: { type: VirtualMachineFilter, conditions: (filter) => conditionsOf(readCriteria(filter)) },
});

builder.queryField('virtualMachine', (t) =>
  t.field({
    type: VirtualMachineType,
    nullable: true,
    description: 'One virtual machine, destroyed ones included; null when there is none with that id.',
    args: { id: t.arg.id({ required: true, description: 'The id of the virtual machine.' }) },
    resolve: (_root, { id }, context, info) =>
      loadRow<VirtualMachine>(virtualMachineRows, context, info, String(argumentId(VirtualMachineNode, id, ['id']))),
  }),
);

builder.queryField('virtualMachines', (t) =>
  t.field({
    ...VirtualMachines.field,
    description: 'The virtual machines, the newest first.',
    args: VirtualMachines.args,
    resolve: (_root, args, context, info) => VirtualMachines.open(args, context, info),
  }),
);

builder.prismaObjectField('Backend', 'virtualMachines', (t) =>
  t.field({
    ...VirtualMachines.field,
    description: 'The virtual machines on it, the newest first.',
    args: VirtualMachines.args,
    resolve: (backend, args, context, info) =>
      VirtualMachines.open(args, context, info, { column: { name: 'backendId', type: 'int4' }, value: backend.id }),
  }),
);
