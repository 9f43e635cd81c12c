import { createContextCache } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from './context.ts';
import type { LocalIds, NodeType } from './global-id.ts';

/** A Prisma model that is read by id: its delegate's name on the client, and the GraphQL type of its rows. */
export interface RowSource {
  readonly model: string;
  readonly node: NodeType;
}

/** The part of a Prisma delegate used here, without its model's types. */
interface Delegate {
  findMany(args: object): Promise<{ id: string | number | bigint }[]>;
}

type Loader = DataLoader<string, object | null>;

const loadersOf = createContextCache((_context: object) => new Map<string, Loader>());

/**
 * Loads the row with that key and whatever the operation selects beneath it, together with the rows that the same field
 * asks for elsewhere in the operation: one Prisma query for a whole list.
 *
 * @param paths where the row stands beneath the field that `info` is about; empty: it is the field's own value.
 * @param key the row's key as text.
 */
export function loadRow<Row extends object>(
  source: RowSource,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  key: string,
  paths: string[][] = [],
): Promise<Row | null> {
  return rowLoader(source, context, info, paths).load(key) as Promise<Row | null>;
}

/** The loader behind {@link loadRow}, for fields that load many rows each. */
export function rowLoader(
  { model, node }: RowSource,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  paths: string[][] = [],
): Loader {
  // Asked for by each parent, although the rows are read once: Pothos records by field execution what it has planned,
  // and an execution without a plan would load its relations row by row.
  const query = queryFromInfo({ context, info, typeName: node.name, paths });
  const loaders = loadersOf(context);
  const name = `${node.name}@${info.parentType.name}.${responsePath(info)}`;
  let loader = loaders.get(name);
  if (!loader) {
    const delegate = (context.environment.prisma as unknown as Record<string, Delegate>)[model] as Delegate;
    loader = new DataLoader(async (keys) => {
      const rows = await delegate.findMany({ ...query, where: { id: { in: keys.map((key) => toId(node, key)) } } });
      const byKey = new Map(rows.map((row) => [String(row.id), row]));
      return keys.map((key) => byKey.get(key) ?? null);
    });
    loaders.set(name, loader);
  }
  return loader;
}

/** The response path of a field without list indices: the same for all executions of one field. */
export function responsePath(info: GraphQLResolveInfo): string {
  const keys: string[] = [];
  for (let path: GraphQLResolveInfo['path'] | undefined = info.path; path; path = path.prev) {
    if (typeof path.key === 'string') keys.push(path.key);
  }
  return keys.reverse().join('.');
}

function toId({ kind }: NodeType, key: string): LocalIds[keyof LocalIds] {
  if (kind === 'int4') return Number(key);
  return kind === 'int8' ? BigInt(key) : key;
}
