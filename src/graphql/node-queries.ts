import { resolveNodes } from '@pothos/plugin-relay';
import { builder } from './builder.ts';
import { MAX_PAGE_SIZE } from './field-cost.ts';
import { parseGlobalId } from './global-id.ts';
import { invalidArgument } from './top-level-errors.ts';

builder.queryField('node', (t) =>
  t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'Any object by its id; null when there is none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the object.' }) },
    resolve: async (_root, { id }, context, info) => {
      const [node] = await resolveNodes(builder, context, info, [readId(id, ['id'])]);
      return node ?? null;
    },
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description: 'Several objects by their ids, in the order of the ids; null where there is none.',
    complexity: ({ ids }) => ({ field: 1, multiplier: Math.min(ids.length, MAX_PAGE_SIZE) }),
    args: { ids: t.arg.idList({ required: true, description: 'The ids of the objects, at most 100.' }) },
    resolve: async (_root, { ids }, context, info) => {
      if (ids.length > MAX_PAGE_SIZE) throw invalidArgument(`At most ${MAX_PAGE_SIZE} ids at once.`, ['ids']);
      const parsed = ids.map((id, index) => readId(id, ['ids', String(index)]));
      return Promise.all(await resolveNodes(builder, context, info, parsed));
    },
  }),
);

function readId(globalId: string, path: readonly string[]): { typename: string; id: string } {
  const parsed = parseGlobalId(globalId);
  if (!parsed) throw invalidArgument('Not an id of this API.', path);
  return parsed;
}
