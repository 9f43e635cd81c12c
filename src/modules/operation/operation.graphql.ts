import type { Operation } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { argumentId, defineNodeType } from '../../graphql/global-id.ts';
import { loadRow, type RowSource } from '../../graphql/row-loader.ts';

export const OperationNode = defineNodeType('Operation', 'uuid');
export const operationRows: RowSource = { model: 'operation', node: OperationNode };

export const OperationStatusEnum = builder.enumType('OperationStatus', {
  description: 'Where an operation stands.',
  values: {
    ADMITTED: { description: 'Accepted and kept; nothing was sent yet.' },
    SUBMITTING: { description: 'Its jobs are being handed to Ganeti.' },
    SUBMITTED: { description: 'Ganeti has its jobs; none has begun.' },
    RUNNING: { description: 'Ganeti is at work on it.' },
    SUCCESS: { description: 'Done.' },
    ERROR: { description: 'Failed; `error` says why.' },
    CANCELED: { description: 'Stopped before it could do anything.' },
    INDETERMINATE: { description: 'Whether Ganeti got a job is not known; an administrator must look.' },
  } as const,
});

const OperationError = builder.objectRef<Operation>('OperationError').implement({
  description: 'Why an operation failed.',
  fields: (t) => ({
    code: t.string({ description: 'For programs.', resolve: (operation) => operation.errorCode as string }),
    message: t.string({ description: 'For people.', resolve: (operation) => operation.errorMessage ?? '' }),
  }),
});

export const OperationType = builder.prismaNode('Operation', {
  description: 'One admitted request: what was asked, by whom, the jobs that carry it out, and how it ended.',
  id: { field: 'id', description: 'The opaque id of the operation.' },
  nullable: true,
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: 'What is done: the name of the mutation, such as createVirtualMachine.',
    }),
    status: t.expose('status', { type: OperationStatusEnum, description: 'Where it stands.' }),
    version: t.exposeInt('version', { description: 'Raised by each change of the operation or one of its jobs.' }),
    actor: t.exposeString('actor', { description: 'The id of who asked for it.' }),
    idempotencyKey: t.exposeString('idempotencyKey', {
      nullable: true,
      description: 'The key under which the same request gives this operation again.',
    }),
    virtualMachine: t.relation('virtualMachine', {
      nullable: true,
      description: 'The virtual machine that it is about; null when it is about none.',
    }),
    network: t.relation('network', {
      nullable: true,
      description: 'The network that it is about; null when it is about none.',
    }),
    backend: t.relation('backend', {
      nullable: true,
      description: 'The cluster that it runs on; null when it needs none.',
    }),
    jobs: t.relation('jobs', {
      query: { orderBy: { step: 'asc' } },
      description: 'Its planned steps and the Ganeti jobs that carry them, in order.',
    }),
    claims: t.relation('claims', {
      query: { orderBy: { resource: 'asc' } },
      description: 'What it holds, so that nothing else changes it meanwhile; empty once it is final.',
    }),
    isCancelRequested: t.exposeBoolean('isCancelRequested', { description: 'Whether it was asked to stop.' }),
    error: t.field({
      type: OperationError,
      nullable: true,
      description: 'Why it failed; null unless it did.',
      resolve: (operation) => (operation.errorCode === null ? null : operation),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was admitted.' }),
    submittedAt: t.expose('submittedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When Ganeti had its first job; null before, or when it needs none.',
    }),
    finalizedAt: t.expose('finalizedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it is open.',
    }),
  }),
});

builder.queryField('operation', (t) =>
  t.field({
    type: OperationType,
    nullable: true,
    description: 'One operation; null when there is none with that id.',
    args: { id: t.arg.id({ required: true, description: 'The id of the operation.' }) },
    resolve: (_root, { id }, context, info) =>
      loadRow<Operation>(operationRows, context, info, argumentId(OperationNode, id, ['id'])),
  }),
);
