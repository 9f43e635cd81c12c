import type { Backend } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { argumentId, defineNodeType } from '../../graphql/global-id.ts';
import { loadRow, type RowSource } from '../../graphql/row-loader.ts';
import { contains, equals, isNull, type SqlCondition } from '../../graphql/sql-condition.ts';

export const BackendNode = defineNodeType('Backend', 'int4');
export const backendRows: RowSource = { model: 'backend', node: BackendNode };

const BackendHealth = builder.objectRef<Backend>('BackendHealth').implement({
  description: 'Whether a cluster answers.',
  fields: (t) => ({
    reachable: t.exposeBoolean('isReachable', { description: 'Whether it answered the last time it was asked.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it answered last; null when it never has.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why it did not answer the last time; null when it did.',
    }),
  }),
});

export const BackendType = builder.prismaNode('Backend', {
  description: 'One Ganeti cluster.',
  id: { field: 'id', description: 'The opaque id of the backend.' },
  nullable: true,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called here; unique in any case.' }),
    clusterName: t.exposeString('clusterName', { description: "The cluster's own name." }),
    endpoints: t.exposeStringList('endpoints', { description: 'The addresses of its remote API, tried in turn.' }),
    hypervisor: t.exposeString('hypervisor', { description: 'The hypervisor that new machines get.' }),
    diskTemplates: t.exposeStringList('diskTemplates', { description: 'The disk templates that it offers.' }),
    softwareVersion: t.exposeString('softwareVersion', { description: 'The version of Ganeti that it runs.' }),
    nodeGroups: t.exposeStringList('nodeGroups', { description: 'The names of its node groups.' }),
    isDrained: t.exposeBoolean('isDrained', { description: 'Whether new machines are kept off it.' }),
    isOffline: t.exposeBoolean('isOffline', { description: 'Whether it is left alone altogether.' }),
    isPublic: t.exposeBoolean('isPublic', { description: 'Whether everyone’s machines may go to it.' }),
    health: t.field({ type: BackendHealth, description: 'Whether it answers.', resolve: (backend) => backend }),
    memoryTotalMiB: t.exposeInt('memoryTotalMiB', {
      nullable: true,
      description: 'Memory of its nodes in MiB; null until it was observed.',
    }),
    memoryFreeMiB: t.exposeInt('memoryFreeMiB', {
      nullable: true,
      description: 'Free memory of its nodes in MiB; null until it was observed.',
    }),
    diskTotalMiB: t.exposeInt('diskTotalMiB', {
      nullable: true,
      description: 'Disk space of its nodes in MiB; null until it was observed.',
    }),
    diskFreeMiB: t.exposeInt('diskFreeMiB', {
      nullable: true,
      description: 'Free disk space of its nodes in MiB; null until it was observed.',
    }),
    cpuTotal: t.exposeInt('cpuTotal', {
      nullable: true,
      description: 'Processor cores of its nodes; null until it was observed.',
    }),
    instanceMemoryMiB: t.exposeInt('instanceMemoryMiB', {
      nullable: true,
      description: 'What its instances have been given, in MiB, the hosts’ own use left out; null until observed.',
    }),
    instanceCount: t.exposeInt('instanceCount', { description: 'How many instances it has, ours and others’.' }),
    createDefaults: t.field({
      type: 'JSONObject',
      description: 'Parameters that each new instance on it gets, by Ganeti’s names.',
      resolve: (backend) => backend.createDefaults as Record<string, unknown>,
    }),
    version: t.exposeInt('version', { description: 'Raised by each change.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was removed; null while it is here.',
    }),
  }),
});

const BackendFilter = builder.inputType('BackendFilter', {
  description: 'Which backends to list; all conditions must hold.',
  fields: (t) => ({
    nameContains: t.string({ description: 'The name has this in it, in any case.' }),
    isDrained: t.boolean({ description: 'Whether they are drained.' }),
    isOffline: t.boolean({ description: 'Whether they are offline.' }),
    includeDeleted: t.boolean({ description: 'Also those that were removed.', defaultValue: false }),
  }),
});

const LIVING = [isNull('deletedAt')];

const Backends = defineConnection({
  type: BackendType,
  source: backendRows,
  table: 'Backend',
  items: 'backends',
  order: {
    fields: {
      CREATED: { column: 'id', kind: 'int4', description: 'When they were added.' },
      NAME: { column: 'name', kind: 'text', description: 'Their names.' },
    },
    default: { field: 'CREATED', direction: 'ASC' },
  },
  unfiltered: LIVING,
  filter: {
    type: BackendFilter,
    conditions: ({ nameContains, isDrained, isOffline, includeDeleted }) => {
      const conditions: SqlCondition[] = includeDeleted ? [] : [...LIVING];
      if (nameContains != null) conditions.push(contains('name', nameContains));
      if (isDrained != null) conditions.push(equals({ name: 'isDrained', type: 'boolean' }, isDrained));
      if (isOffline != null) conditions.push(equals({ name: 'isOffline', type: 'boolean' }, isOffline));
      return conditions;
    },
  },
});

builder.queryField('backend', (t) =>
  t.field({
    type: BackendType,
    nullable: true,
    description: 'One backend; null when there is none with that id.',
    args: { id: t.arg.id({ required: true, description: 'The id of the backend.' }) },
    resolve: (_root, { id }, context, info) =>
      loadRow<Backend>(backendRows, context, info, String(argumentId(BackendNode, id, ['id']))),
  }),
);

builder.queryField('backends', (t) =>
  t.field({
    ...Backends.field,
    description: 'The clusters that this API drives.',
    args: Backends.args,
    resolve: (_root, args, context, info) => Backends.open(args, context, info),
  }),
);
