import { brandWithType } from '@pothos/core';
import { builder } from '../../graphql/builder.ts';
import { BackendType } from '../backend/backend.graphql.ts';
import { NetworkType } from '../network/network.graphql.ts';
import { VirtualMachineType } from '../virtual-machine/virtual-machine.graphql.ts';

const OperationTarget = builder.unionType('OperationTarget', {
  description: 'What an operation can be about.',
  types: [VirtualMachineType, NetworkType, BackendType],
});

builder.prismaObjectField('Operation', 'target', (t) =>
  t.field({
    type: OperationTarget,
    nullable: true,
    description: 'What it is about: a virtual machine, else a network, else a whole cluster.',
    select: (_args, _context, nestedSelection) => ({
      virtualMachine: nestedSelection(true, [], 'VirtualMachine'),
      network: nestedSelection(true, [], 'Network'),
      backend: nestedSelection(true, [], 'Backend'),
    }),
    resolve: ({ virtualMachine, network, backend }) => {
      const [row, type] = virtualMachine
        ? [virtualMachine, VirtualMachineType]
        : network
          ? [network, NetworkType]
          : [backend, BackendType];
      // A row does not say which of the union's types it is.
      if (row) brandWithType(row, type);
      return row as never;
    },
  }),
);
