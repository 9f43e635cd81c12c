import type { Operation } from '../../database/generated/client.ts';
import { InvalidState, NotFound } from '../../graphql/error-types.ts';
import { inputId } from '../../graphql/global-id.ts';
import { defineMutation } from '../../graphql/mutation.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import { OperationNode, OperationType, operationRows } from './operation.graphql.ts';
import { cancelOperation } from './operation.service.ts';

defineMutation({
  name: 'CancelOperation',
  description:
    'Asks an operation to stop: what was not sent stays unsent, and Ganeti is asked to stop what waits. What has begun may still end well. Never refused for being busy.',
  input: (t) => ({ id: t.id({ required: true, description: 'The operation.' }) }),
  errors: [NotFound, InvalidState],
  resolve: async ({ id }, { environment, viewer }) => {
    const operationId = inputId(OperationNode, id, ['id']);
    await cancelOperation(environment, viewer, operationId);
    return { operationId };
  },
  success: (t) => ({
    operation: t.field({
      type: OperationType,
      description: 'The operation, asked to stop.',
      resolve: async ({ operationId }, _args, context, info) =>
        (await loadRow<Operation>(operationRows, context, info, operationId)) as Operation,
    }),
  }),
});
