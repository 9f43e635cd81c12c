import type { Operation } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { defineErrorType } from '../../graphql/error-types.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import * as errors from '../../operations/user-error.ts';
import { ClaimModeEnum } from './claim.graphql.ts';
import { OperationType, operationRows } from './operation.graphql.ts';

const BLOCKER = 'The operation that holds it; null when a short request without an operation does.';

const ClaimConflict = builder.objectRef<errors.ClaimConflict>('ClaimConflict').implement({
  description: 'One claim that stands in the way.',
  fields: (t) => ({
    resource: t.exposeString('resource', { description: 'What is held, such as `vm:7`.' }),
    mode: t.expose('mode', { type: ClaimModeEnum, description: 'How it is held.' }),
    blockingOperation: t.field({
      type: OperationType,
      nullable: true,
      description: BLOCKER,
      resolve: ({ operationId }, _args, context, info) =>
        operationId === null ? null : loadRow<Operation>(operationRows, context, info, operationId),
    }),
  }),
});

/** Too many requests at once: nobody in particular is in the way. */
const CONTENDED: errors.ClaimConflict = { resource: 'contended', mode: 'EXCLUSIVE', operationId: null };

const firstOf = (busy: errors.ResourceBusy) => busy.conflicts[0] ?? CONTENDED;

export const ResourceBusy = defineErrorType(
  errors.ResourceBusy,
  'Another operation is at work on something that this one needs. Refused at once, never waited for; the first conflict is repeated at the top.',
  (t) => ({
    resource: t.string({
      description: 'What is held, such as `vm:7`; `contended` when there were too many requests at once.',
      resolve: ({ error }) => firstOf(error).resource,
    }),
    mode: t.field({
      type: ClaimModeEnum,
      description: 'How it is held.',
      resolve: ({ error }) => firstOf(error).mode,
    }),
    blockingOperation: t.field({
      type: OperationType,
      nullable: true,
      description: BLOCKER,
      resolve: ({ error }, _args, context, info) => {
        const { operationId } = firstOf(error);
        return operationId === null ? null : loadRow<Operation>(operationRows, context, info, operationId);
      },
    }),
    conflicts: t.field({
      type: [ClaimConflict],
      description: 'Everything that stands in the way.',
      resolve: ({ error }) => error.conflicts,
    }),
  }),
);
