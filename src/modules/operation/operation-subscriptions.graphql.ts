import { builder } from '../../graphql/builder.ts';
import { argumentId } from '../../graphql/global-id.ts';
import { invalidArgument, unknownArgument } from '../../graphql/top-level-errors.ts';
import type { Environment } from '../../operations/environment.ts';
import { AFTER, defineEventType, openStream } from '../change/event.graphql.ts';
import { LogLineType } from './ganeti-job.graphql.ts';
import { OperationNode, OperationType, operationRows } from './operation.graphql.ts';
import { streamLogLines } from './operation-log.ts';
import { readOperationProgress } from './operation-version.store.ts';

const OperationEvent = defineEventType({
  name: 'OperationEvent',
  what: 'an operation',
  objectName: 'operation',
  object: OperationType,
  rows: operationRows,
});

/** @throws GraphQLError NOT_FOUND when there is no such operation. */
async function streamOperation({ pool, feed }: Environment, entityId: string, after?: string | null) {
  const version = async () => (await readOperationProgress(pool, entityId))?.version ?? null;
  if ((await version()) === null) throw unknownArgument('There is no such operation.', ['id']);
  return openStream(() => feed.streamEntity({ entityType: 'OPERATION', entityId, after, currentVersion: version }));
}

builder.subscriptionField('operationChanged', (t) =>
  t.field({
    type: OperationEvent,
    description: 'An operation and every change of it or of one of its jobs.',
    args: {
      id: t.arg.id({ required: true, description: 'The operation.' }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { id, after }, { environment }) =>
      streamOperation(environment, argumentId(OperationNode, id, ['id']), after),
    resolve: (event) => event,
  }),
);

builder.subscriptionField('operationLog', (t) =>
  t.field({
    type: LogLineType,
    description: 'What the Ganeti jobs of an operation write into their logs; ends when it is final and all is said.',
    args: {
      id: t.arg.id({ required: true, description: 'The operation.' }),
      afterSerial: t.arg.int({ description: 'Only lines behind this one. Without it: all.', defaultValue: 0 }),
    },
    subscribe: async (_root, { id, afterSerial }, { environment }) => {
      if (afterSerial != null && afterSerial < 0) {
        throw invalidArgument('afterSerial must not be negative.', ['afterSerial']);
      }
      const operationId = argumentId(OperationNode, id, ['id']);
      const events = await streamOperation(environment, operationId);
      return streamLogLines(environment.pool, operationId, afterSerial ?? 0, events);
    },
    resolve: (line) => line,
  }),
);
