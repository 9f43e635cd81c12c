import type { OperationStatus } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { equals, isNotNull, isNull, isOneOf, type SqlCondition } from '../../graphql/sql-condition.ts';
import { OperationStatusEnum, OperationType, operationRows } from './operation.graphql.ts';

const OperationFilter = builder.inputType('OperationFilter', {
  description: 'Which operations to list; all conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: [OperationStatusEnum], description: 'They stand at one of these.' }),
    kind: t.stringList({ description: 'They are of one of these kinds, such as createVirtualMachine.' }),
    actor: t.string({ description: 'This user asked for them.' }),
    isOpen: t.boolean({ description: 'Whether they are still open.' }),
  }),
});

/** All operations, or those about one object. */
export const Operations = defineConnection({
  type: OperationType,
  source: operationRows,
  table: 'Operation',
  items: 'operations',
  order: {
    fields: { CREATED: { column: 'createdAt', kind: 'timestamptz', description: 'When they were admitted.' } },
    default: { field: 'CREATED', direction: 'DESC' },
  },
  filter: {
    type: OperationFilter,
    conditions: ({ status, kind, actor, isOpen }) => {
      const conditions: SqlCondition[] = [];
      if (status) conditions.push(isOneOf({ name: 'status', type: '"OperationStatus"' }, status as OperationStatus[]));
      if (kind) conditions.push(isOneOf({ name: 'kind', type: 'text' }, kind));
      if (actor != null) conditions.push(equals({ name: 'actor', type: 'text' }, actor));
      if (isOpen != null) conditions.push(isOpen ? isNull('finalizedAt') : isNotNull('finalizedAt'));
      return conditions;
    },
  },
});

builder.queryField('operations', (t) =>
  t.field({
    ...Operations.field,
    description: 'What was asked for, the newest first.',
    args: Operations.args,
    resolve: (_root, args, context, info) => Operations.open(args, context, info),
  }),
);

builder.prismaObjectField('Backend', 'operations', (t) =>
  t.field({
    ...Operations.field,
    description: 'The operations that run or ran on it, the newest first.',
    args: Operations.args,
    resolve: (backend, args, context, info) =>
      Operations.open(args, context, info, { column: { name: 'backendId', type: 'int4' }, value: backend.id }),
  }),
);
