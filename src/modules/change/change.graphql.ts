import type { Change, Operation } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { defineNodeType } from '../../graphql/global-id.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import { OperationType, operationRows } from '../operation/operation.graphql.ts';

/** One field's step, as it is kept. */
interface FieldStep {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

export const FieldChange = builder.objectRef<FieldStep>('FieldChange').implement({
  description: 'What one field was and became.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The name of the field.' }),
    from: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What it was; null when it was not there.',
      resolve: (step) => step.from ?? null,
    }),
    to: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What it became; null when it went away.',
      resolve: (step) => step.to ?? null,
    }),
  }),
});

const ChangeNode = defineNodeType('Change', 'int8');

const ChangeType = builder.prismaNode('Change', {
  description: 'One step in the life of an object, kept for a day at least.',
  id: { field: 'id', description: 'The opaque id of the change.' },
  nullable: true,
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'The version that the object had after it.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was made, by the database’s clock.' }),
    changes: t.field({
      type: [FieldChange],
      description: 'What became different.',
      resolve: (change) => change.changes as unknown as FieldStep[],
    }),
    cause: t.exposeString('cause', { nullable: true, description: 'Why: the job, report or observation behind it.' }),
    operation: t.field({
      type: OperationType,
      nullable: true,
      description: 'The operation that brought it about; null when none did.',
      resolve: ({ operationId }, _args, context, info) =>
        operationId === null ? null : loadRow<Operation>(operationRows, context, info, operationId),
    }),
  }),
});

/** The history of one object: spread below a parent with `changesOf`. */
export const Changes = defineConnection<Change>({
  type: ChangeType,
  source: { model: 'change', node: ChangeNode },
  table: 'Change',
  items: 'changes',
  order: {
    fields: { VERSION: { column: 'version', kind: 'int4', description: 'The versions that they led to.' } },
    default: { field: 'VERSION', direction: 'DESC' },
  },
});
