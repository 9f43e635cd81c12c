import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { defineNodeType } from '../../graphql/global-id.ts';
import type { RowSource } from '../../graphql/row-loader.ts';
import { contains, equals, isNull, type SqlCondition } from '../../graphql/sql-condition.ts';

export const FlavorNode = defineNodeType('Flavor', 'int4');
export const flavorRows: RowSource = { model: 'flavor', node: FlavorNode };

export const FlavorType = builder.prismaNode('Flavor', {
  description: 'A size of virtual machine.',
  id: { field: 'id', description: 'The opaque id of the flavor.' },
  nullable: true,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, made of its numbers.' }),
    cpu: t.exposeInt('cpu', { description: 'Virtual processors.' }),
    memoryMiB: t.exposeInt('memoryMiB', { description: 'Memory in MiB.' }),
    diskGiB: t.exposeInt('diskGiB', { description: 'Disk size in GiB.' }),
    diskTemplate: t.exposeString('diskTemplate', {
      description: 'How Ganeti keeps the disk: plain, drbd, file, rbd, … A cluster must offer it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was withdrawn; null while new machines may have it.',
    }),
  }),
});

const FlavorFilter = builder.inputType('FlavorFilter', {
  description: 'Which flavors to list; all conditions must hold.',
  fields: (t) => ({
    nameContains: t.string({ description: 'The name has this in it, in any case.' }),
    diskTemplate: t.string({ description: 'They have this disk template.' }),
    includeDeleted: t.boolean({ description: 'Also those that were withdrawn.', defaultValue: false }),
  }),
});

const LIVING = [isNull('deletedAt')];

const Flavors = defineConnection({
  type: FlavorType,
  source: flavorRows,
  table: 'Flavor',
  items: 'flavors',
  order: {
    fields: {
      CREATED: { column: 'id', kind: 'int4', description: 'When they were made.' },
      NAME: { column: 'name', kind: 'text', description: 'Their names.' },
      CPU: { column: 'cpu', kind: 'int4', description: 'Their virtual processors.' },
      MEMORY: { column: 'memoryMiB', kind: 'int4', description: 'Their memory.' },
    },
    default: { field: 'CREATED', direction: 'ASC' },
  },
  unfiltered: LIVING,
  filter: {
    type: FlavorFilter,
    conditions: ({ nameContains, diskTemplate, includeDeleted }) => {
      const conditions: SqlCondition[] = includeDeleted ? [] : [...LIVING];
      if (nameContains != null) conditions.push(contains('name', nameContains));
      if (diskTemplate != null) conditions.push(equals({ name: 'diskTemplate', type: 'text' }, diskTemplate));
      return conditions;
    },
  },
});

builder.queryField('flavors', (t) =>
  t.field({
    ...Flavors.field,
    description: 'The sizes that virtual machines can have.',
    args: Flavors.args,
    resolve: (_root, args, context, info) => Flavors.open(args, context, info),
  }),
);
