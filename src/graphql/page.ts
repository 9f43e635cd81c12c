import { createContextCache } from '@pothos/core';
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from './context.ts';
import { countKeyset, type Keyset, type KeysetPage, readKeysetPages } from './keyset.store.ts';
import type { PageRequest } from './page-arguments.ts';
import { encodePageCursor } from './page-cursor.ts';
import { responsePath } from './row-loader.ts';

/** One page, read as far as the operation selects it. */
export interface Connection<Row> {
  edges(): Promise<Edge<Row>[]>;
  pageInfo(): Promise<PageInfo>;
  totalCount(): Promise<number>;
}

export interface Edge<Row> {
  cursor: string;
  node: Row;
}

interface PageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor: string | null;
  endCursor: string | null;
}

/**
 * A page of the list beneath `parent`; nothing is read before it is asked for.
 *
 * @param parent the value of the keyset's parent column; {@link ROOT} when it has none
 */
export function openPage<Row>(
  keyset: Keyset,
  request: PageRequest,
  pages: PageLoaders,
  rows: DataLoader<string, object | null>,
  parent: unknown,
): Connection<Row> {
  const cursorOf = (values: readonly string[]) => encodePageCursor(keyset.scope, values);
  return {
    async edges() {
      const { entries } = await pages.page.load(parent);
      const nodes = await Promise.all(entries.map(({ key }) => rows.load(key)));
      // A row can only be missing when it was removed for good since its key was read.
      return entries.flatMap(({ values }, index) => {
        const node = nodes[index] as Row | null;
        return node === null ? [] : [{ cursor: cursorOf(values), node }];
      });
    },
    async pageInfo() {
      const { entries, hasMore } = await pages.page.load(parent);
      const [first, last] = [entries[0], entries.at(-1)];
      return {
        // On the other side of a cursor lies at least the cursor's own row.
        hasNextPage: request.fromEnd ? request.before !== null : hasMore,
        hasPreviousPage: request.fromEnd ? hasMore : request.after !== null,
        startCursor: first ? cursorOf(first.values) : null,
        endCursor: last ? cursorOf(last.values) : null,
      };
    },
    totalCount: () => pages.count.load(parent),
  };
}

/** Stands for the parent of a list that has none. */
export const ROOT = 'root';

export interface PageLoaders {
  readonly page: DataLoader<unknown, KeysetPage>;
  readonly count: DataLoader<unknown, number>;
}

const loadersOf = createContextCache((_context: object) => new Map<string, PageLoaders>());

/** The pages of one field under all its parents are read together: the arguments are the same for each. */
export function pageLoaders(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  keyset: Keyset,
  request: PageRequest,
): PageLoaders {
  const loaders = loadersOf(context);
  const name = `${info.parentType.name}.${responsePath(info)}`;
  let found = loaders.get(name);
  if (!found) {
    const { pool } = context.environment;
    found = {
      page: new DataLoader((parents) => readKeysetPages(pool, keyset, request, parents)),
      count: new DataLoader((parents) => countKeyset(pool, keyset, parents)),
    };
    loaders.set(name, found);
  }
  return found;
}
