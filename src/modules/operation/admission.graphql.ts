import type { Operation } from '../../database/generated/client.ts';
import type { SchemaTypes } from '../../graphql/builder.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import type { Admitted } from '../../operations/admit.ts';
import { OperationType, operationRows } from './operation.graphql.ts';

/** What every job-submitting mutation's success has besides its object. */
export function admissionFields(t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Admitted>) {
  return {
    operation: t.field({
      type: OperationType,
      description: 'The admitted operation, which goes on by itself; follow it with operationChanged.',
      resolve: async ({ operationId }, _args, context, info) =>
        (await loadRow<Operation>(operationRows, context, info, operationId)) as Operation,
    }),
    isReplayed: t.exposeBoolean('isReplayed', {
      description: 'Whether the idempotency key named an operation that was admitted before.',
    }),
  };
}

/** The `idempotencyKey` of every job-submitting input. */
export const IDEMPOTENCY_KEY =
  'Any text, up to 255 characters: the same key with the same input gives the same operation again, so that a request whose answer was lost can be repeated.';
