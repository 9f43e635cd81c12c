import { builder } from '../../graphql/builder.ts';
import { defineNodeType } from '../../graphql/global-id.ts';
import type { RowSource } from '../../graphql/row-loader.ts';
import { equals } from '../../graphql/sql-condition.ts';
import { Changes } from '../change/change.graphql.ts';
import { LastJob, lastJobOf } from '../operation/last-job.graphql.ts';
import { OperationType } from '../operation/operation.graphql.ts';
import { Operations } from '../operation/operations.graphql.ts';
import { BuildProgress, shownPercentage } from './build-progress.graphql.ts';
import { Diagnostics } from './diagnostic.graphql.ts';

export const VirtualMachineNode = defineNodeType('VirtualMachine', 'int4');
export const virtualMachineRows: RowSource = { model: 'virtualMachine', node: VirtualMachineNode };

export const OperStateEnum = builder.enumType('OperState', {
  description: 'What a virtual machine is, as far as the cluster is concerned.',
  values: {
    BUILD: { description: 'It is being built.' },
    ERROR: { description: 'Its build failed, or it is not what it should be.' },
    STOPPED: { description: 'It is there and does not run.' },
    STARTED: { description: 'It runs.' },
    DESTROYED: { description: 'It is gone.' },
  } as const,
});

const TaskEnum = builder.enumType('VirtualMachineTask', {
  description: 'What is being done to a virtual machine now.',
  values: {
    BUILDING: { description: 'It is being built.' },
    STARTING: { description: 'It is being started.' },
    STOPPING: { description: 'It is being shut down.' },
    REBOOTING: { description: 'It is being rebooted.' },
    DESTROYING: { description: 'It is being deleted.' },
  } as const,
});

export const VirtualMachineType = builder.prismaNode('VirtualMachine', {
  description: 'A virtual machine: an instance of Ganeti that this API keeps.',
  id: { field: 'id', description: 'The opaque id of the virtual machine.' },
  nullable: true,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What its owner calls it.' }),
    ganetiName: t.exposeString('ganetiName', { description: 'What Ganeti calls it.' }),
    ganetiUuid: t.exposeString('ganetiUuid', {
      nullable: true,
      description: 'Its UUID in Ganeti; null until it has one.',
    }),
    owner: t.exposeString('ownerId', { description: 'The id of the user whom it belongs to.' }),
    backend: t.relation('backend', {
      nullable: true,
      description: 'The cluster that it is on; null while none has been chosen.',
    }),
    flavor: t.relation('flavor', { description: 'Its size.' }),
    image: t.relation('image', { description: 'What it was built from.' }),
    operState: t.expose('operState', {
      type: OperStateEnum,
      description: 'What it is, by the newest event of the cluster.',
    }),
    task: t.expose('task', { type: TaskEnum, nullable: true, description: 'What is being done to it; null: nothing.' }),
    buildPercentage: t.int({
      description: '0 to 100; never falls during one build, and 100 once it is STARTED or STOPPED.',
      resolve: shownPercentage,
    }),
    buildProgress: t.field({
      type: BuildProgress,
      description: 'How far its build is, with what it is busy with.',
      resolve: (virtualMachine) => virtualMachine,
    }),
    nics: t.relation('nics', {
      query: { where: { deletedAt: null }, orderBy: [{ index: 'asc' }, { id: 'asc' }] },
      description: 'Its network interfaces, in order.',
    }),
    diagnostics: t.field({
      ...Diagnostics.field,
      description: 'What was reported about it, the newest first.',
      args: Diagnostics.args,
      resolve: ({ id }, args, context, info) =>
        Diagnostics.open(args, context, info, { column: { name: 'virtualMachineId', type: 'int4' }, value: id }),
    }),
    lastJob: t.field({
      type: LastJob,
      nullable: true,
      description: 'The newest job about it; null when there was none.',
      resolve: lastJobOf,
    }),
    currentOperation: t.field({
      type: OperationType,
      nullable: true,
      description: 'The operation that is at work on it; null: none.',
      select: (_args, _context, nestedSelection) => ({
        operations: nestedSelection({ where: { finalizedAt: null }, orderBy: { createdAt: 'desc' }, take: 1 }),
      }),
      resolve: ({ operations }) => operations[0] ?? null,
    }),
    operations: t.field({
      ...Operations.field,
      description: 'What was done to it, the newest first.',
      args: Operations.args,
      resolve: ({ id }, args, context, info) =>
        Operations.open(args, context, info, { column: { name: 'virtualMachineId', type: 'int4' }, value: id }),
    }),
    changes: t.field({
      ...Changes.field,
      description: 'Its history, the newest first.',
      args: Changes.args,
      resolve: ({ id }, args, context, info) =>
        Changes.open(args, context, info, {
          column: { name: 'entityId', type: 'text' },
          value: String(id),
          conditions: [equals({ name: 'entityType', type: '"EntityType"' }, 'VIRTUAL_MACHINE')],
        }),
    }),
    isSuspended: t.exposeBoolean('isSuspended', { description: 'Whether it may not be started.' }),
    version: t.exposeInt('version', {
      description: 'Raised by each change of the machine, its interfaces or its diagnostics.',
    }),
    observedAt: t.expose('observedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the cluster last told something about it; null before.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was destroyed; null while it lives.',
    }),
  }),
});
