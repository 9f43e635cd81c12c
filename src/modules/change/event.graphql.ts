import type { ObjectRef } from '@pothos/core';
import { ForeignCursorError, type StreamEvent } from '../../changes/index.ts';
import type { Operation } from '../../database/generated/client.ts';
import { builder, type SchemaTypes } from '../../graphql/builder.ts';
import { loadRow, type RowSource } from '../../graphql/row-loader.ts';
import { invalidArgument } from '../../graphql/top-level-errors.ts';
import { OperationType, operationRows } from '../operation/operation.graphql.ts';
import { FieldChange } from './change.graphql.ts';

const EventKind = builder.enumType('EventKind', {
  description: 'What an event of a subscription is.',
  values: {
    SNAPSHOT: { description: 'How things stand at first.' },
    CHANGE: { description: 'One change, in order.' },
    RESYNC: {
      description: 'Changes are missing: the cursor was too old or the client too slow. Look at the whole again.',
    },
  } as const,
});

/**
 * Defines the event type of a `…Changed` subscription; `objectName` is the field with the object itself. Where that is an
 * operation, it takes the place of the operation behind the change, which is the same one.
 */
export function defineEventType<Row extends object>(options: {
  name: string;
  /** As it reads in "A change of …". */
  what: string;
  objectName: string;
  object: ObjectRef<SchemaTypes, Row>;
  rows: RowSource;
}) {
  return builder.objectRef<StreamEvent>(options.name).implement({
    description: `The state or a change of ${options.what}.`,
    fields: (t) => ({
      kind: t.expose('kind', { type: EventKind, description: 'What the event is.' }),
      version: t.exposeInt('version', {
        description: 'The version that the object has with it; rises strictly. 0 in the RESYNC of a list.',
      }),
      cursor: t.exposeString('cursor', {
        description: 'As `after` of the same subscription it continues behind this event.',
      }),
      at: t.expose('at', {
        type: 'DateTime',
        description: 'When the change was made, or when the state was looked at, by the database’s clock.',
      }),
      changes: t.field({
        type: [FieldChange],
        description: 'What became different; empty in SNAPSHOT and RESYNC.',
        resolve: (event) => event.changes,
      }),
      cause: t.exposeString('cause', { nullable: true, description: 'Why: the job, report or observation behind it.' }),
      operation: t.field({
        type: OperationType,
        nullable: true,
        description: 'The operation that brought the change about; null when none did.',
        resolve: ({ operationId }, _args, context, info) =>
          operationId === null ? null : loadRow<Operation>(operationRows, context, info, operationId),
      }),
      [options.objectName]: t.field({
        type: options.object,
        nullable: true,
        description:
          'The object as it is when the event is sent; null in the RESYNC of a list, which is about all of it.',
        resolve: ({ entityId }, _args, context, info) =>
          (entityId === '' ? null : loadRow<Row>(options.rows, context, info, entityId)) as never,
      }),
    }),
  });
}

/** The `after` argument of every `…Changed` subscription. */
export const AFTER =
  'The cursor of the last event that arrived: what was missed since comes first. Without it, the current state does.';

/**
 * Opens a stream that may be given a cursor.
 *
 * @throws GraphQLError INVALID_INPUT with path ["after"] for a cursor of something else.
 */
export function openStream<Stream>(open: () => Stream): Stream {
  try {
    return open();
  } catch (error) {
    if (error instanceof ForeignCursorError) throw invalidArgument('Not a cursor of this subscription.', ['after']);
    throw error;
  }
}
