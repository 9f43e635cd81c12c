import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { defineNodeType } from '../../graphql/global-id.ts';
import type { RowSource } from '../../graphql/row-loader.ts';
import { contains, equals, isNull, type SqlCondition } from '../../graphql/sql-condition.ts';

export const ImageNode = defineNodeType('Image', 'int4');
export const imageRows: RowSource = { model: 'image', node: ImageNode };

export const ImageType = builder.prismaNode('Image', {
  description: 'What a virtual machine is built from: an OS definition of Ganeti with its parameters.',
  id: { field: 'id', description: 'The opaque id of the image.' },
  nullable: true,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name here.' }),
    osType: t.exposeString('osType', { description: 'The OS definition in Ganeti, such as `debootstrap+default`.' }),
    osParameters: t.field({
      type: 'JSONObject',
      description: 'The parameters of the OS definition, the secret ones left out.',
      resolve: (image) => image.osParameters as Record<string, unknown>,
    }),
    secretParameters: t.exposeStringList('secretParameters', {
      description: 'The names of the parameters whose values are kept secret.',
    }),
    progressParameter: t.exposeString('progressParameter', {
      nullable: true,
      description: 'The parameter in which the deployer finds its progress URL; null: it reports none.',
    }),
    configUrlParameter: t.exposeString('configUrlParameter', {
      nullable: true,
      description: 'The parameter in which the deployer finds its configuration URL; null: it reads none.',
    }),
    backendImageId: t.exposeString('backendImageId', {
      nullable: true,
      description: 'What the deployer calls the image; null when it needs no name.',
    }),
    format: t.exposeString('format', {
      nullable: true,
      description: 'The format of the image file, for the deployer.',
    }),
    checksum: t.exposeString('checksum', { nullable: true, description: 'The checksum of the image file.' }),
    properties: t.field({
      type: 'JSONObject',
      description: 'Whatever else is worth knowing about it.',
      resolve: (image) => image.properties as Record<string, unknown>,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was withdrawn; null while new machines may be built from it.',
    }),
  }),
});

const ImageFilter = builder.inputType('ImageFilter', {
  description: 'Which images to list; all conditions must hold.',
  fields: (t) => ({
    nameContains: t.string({ description: 'The name has this in it, in any case.' }),
    osType: t.string({ description: 'They use this OS definition.' }),
    includeDeleted: t.boolean({ description: 'Also those that were withdrawn.', defaultValue: false }),
  }),
});

const LIVING = [isNull('deletedAt')];

const Images = defineConnection({
  type: ImageType,
  source: imageRows,
  table: 'Image',
  items: 'images',
  order: {
    fields: {
      CREATED: { column: 'id', kind: 'int4', description: 'When they were made.' },
      NAME: { column: 'name', kind: 'text', description: 'Their names.' },
    },
    default: { field: 'CREATED', direction: 'ASC' },
  },
  unfiltered: LIVING,
  filter: {
    type: ImageFilter,
    conditions: ({ nameContains, osType, includeDeleted }) => {
      const conditions: SqlCondition[] = includeDeleted ? [] : [...LIVING];
      if (nameContains != null) conditions.push(contains('name', nameContains));
      if (osType != null) conditions.push(equals({ name: 'osType', type: 'text' }, osType));
      return conditions;
    },
  },
});

builder.queryField('images', (t) =>
  t.field({
    ...Images.field,
    description: 'What virtual machines can be built from.',
    args: Images.args,
    resolve: (_root, args, context, info) => Images.open(args, context, info),
  }),
);
