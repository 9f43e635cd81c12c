import { createContextCache } from '@pothos/core';
import DataLoader from 'dataloader';
import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { defineNodeType } from '../../graphql/global-id.ts';
import { readSize } from '../../graphql/page-arguments.ts';
import { isNotNull } from '../../graphql/sql-condition.ts';
import { type LogLine, type LogOwner, readFirstLogLines } from './job-log.store.ts';
import { JobStatusEnum } from './last-job.graphql.ts';

export const GanetiJobNode = defineNodeType('GanetiJob', 'uuid');

const DEFAULT_LOG_LINES = 20;

const toDate = (us: bigint) => new Date(Number(us / 1_000n));

export const LogLineType = builder.objectRef<LogLine>('LogLine').implement({
  description: 'A line of a Ganeti job’s log.',
  fields: (t) => ({
    serial: t.exposeInt('serial', { description: 'Its number among the lines of the operation, from 1.' }),
    step: t.exposeInt('step', { description: 'The number of the step whose job wrote it.' }),
    at: t.field({
      type: 'DateTime',
      description: 'When the job wrote it, by the cluster’s clock.',
      resolve: (line) => toDate(line.atUs),
    }),
    message: t.exposeString('message', { description: 'What it says.' }),
  }),
});

const logLoaders = createContextCache(
  (_context: object) => new Map<number, DataLoader<LogOwner, readonly LogLine[], string>>(),
);

function logLoader(context: GraphQLContext, limit: number) {
  const loaders = logLoaders(context);
  let loader = loaders.get(limit);
  if (!loader) {
    loader = new DataLoader((owners) => readFirstLogLines(context.environment.pool, owners, limit), {
      cacheKeyFn: ({ operationId, step }) => `${operationId}.${step}`,
    });
    loaders.set(limit, loader);
  }
  return loader;
}

const optionalDate = (us: bigint | null) => (us === null ? null : toDate(us));

export const GanetiJobType = builder.prismaNode('OperationJob', {
  name: 'GanetiJob',
  description: 'One step of an operation and the Ganeti job that carries it.',
  id: { field: 'id', description: 'The opaque id of the step.' },
  nullable: true,
  fields: (t) => ({
    jobId: t.expose('jobId', {
      type: 'BigInt',
      nullable: true,
      description: 'Its number in the cluster; null until Ganeti has it.',
    }),
    operation: t.relation('operation', { description: 'The operation that it is a step of.' }),
    backend: t.relation('backend', { description: 'The cluster that it runs on.' }),
    step: t.exposeInt('step', { description: 'The number of the step within its operation.' }),
    role: t.exposeString('role', { description: 'What the step is for, such as `create` or `connect:7:default`.' }),
    opcode: t.exposeString('opcode', { description: 'What it does, in Ganeti’s words: OP_INSTANCE_CREATE, ….' }),
    status: t.expose('jobStatus', {
      type: JobStatusEnum,
      nullable: true,
      description: 'Where it stands; null until Ganeti has it.',
    }),
    log: t.field({
      type: [LogLineType],
      description: 'The first lines of its log. `operationLog` follows all of them.',
      complexity: ({ first }) => ({ field: 1, multiplier: Math.max(first ?? DEFAULT_LOG_LINES, 1) }),
      args: { first: t.arg.int({ description: 'How many lines, 0 to 100. Without it: 20.' }) },
      resolve: ({ operationId, step }, { first }, context) =>
        logLoader(context, readSize(first, 'first') ?? DEFAULT_LOG_LINES).load({ operationId, step }),
    }),
    receivedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the cluster took it in, by its clock.',
      resolve: (job) => optionalDate(job.receivedUs),
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it began, by the cluster’s clock.',
      resolve: (job) => optionalDate(job.startUs),
    }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended, by the cluster’s clock.',
      resolve: (job) => optionalDate(job.endUs),
    }),
    errorCode: t.exposeString('errorCode', { nullable: true, description: 'Why it failed, for programs.' }),
    errorMessage: t.exposeString('errorMessage', { nullable: true, description: 'Why it failed, for people.' }),
  }),
});

const GanetiJobs = defineConnection({
  type: GanetiJobType,
  source: { model: 'operationJob', node: GanetiJobNode },
  table: 'OperationJob',
  items: 'Ganeti jobs',
  order: {
    fields: { JOB_ID: { column: 'jobId', kind: 'int8', description: 'Their numbers in the cluster.' } },
    default: { field: 'JOB_ID', direction: 'DESC' },
  },
});

builder.prismaObjectField('Backend', 'jobs', (t) =>
  t.field({
    ...GanetiJobs.field,
    description: 'The jobs that we submitted to it, the newest first.',
    args: GanetiJobs.args,
    resolve: (backend, args, context, info) =>
      GanetiJobs.open(args, context, info, {
        column: { name: 'backendId', type: 'int4' },
        value: backend.id,
        conditions: [isNotNull('jobId')],
      }),
  }),
);
