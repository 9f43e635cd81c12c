import type { InputObjectRef, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { builder, type SchemaTypes } from './builder.ts';
import type { GraphQLContext } from './context.ts';
import { connectionCost, NO_COST, ONCE_PER_PAGE, ONE_OBJECT } from './field-cost.ts';
import type { Keyset } from './keyset.store.ts';
import { defineListOrder, type ListOrder, type ListOrderOptions } from './list-order.ts';
import { type Connection, type Edge, openPage, pageLoaders, ROOT } from './page.ts';
import { type PageArguments, readPageRequest } from './page-arguments.ts';
import { type RowSource, rowLoader } from './row-loader.ts';
import type { Column, SqlCondition } from './sql-condition.ts';
import { invalidArgument } from './top-level-errors.ts';
import { findUnstorableText, UNSTORABLE_TEXT } from './unstorable-text.ts';

export interface ConnectionArguments<Filter> extends PageArguments {
  readonly filter?: Filter | null | undefined;
  readonly orderBy?: { field: string; direction: 'ASC' | 'DESC' } | null | undefined;
}

export interface ConnectionOptions<Row, Filter> {
  /** The items' object type. */
  readonly type: ObjectRef<SchemaTypes, Row>;
  readonly source: RowSource;
  readonly table: string;
  /** What the items are called in descriptions: "virtual machines". */
  readonly items: string;
  readonly order: ListOrderOptions;
  /** The `filter` argument's type and what it means; a list without one has no such argument. */
  readonly filter?: {
    readonly type: InputObjectRef<SchemaTypes, Filter>;
    readonly conditions: (filter: Filter) => readonly SqlCondition[];
  };
  /** Conditions that hold when there is no filter, such as hiding deleted rows. */
  readonly unfiltered?: readonly SqlCondition[];
}

/** The row of another table beneath which the list stands. */
export interface ListParent {
  readonly column: Column;
  readonly value: unknown;
  /** Narrows the list further, the same way for every parent. */
  readonly conditions?: readonly SqlCondition[];
}

/** A list type: spread `field` into a field's options and resolve with `open`. */
export interface ConnectionType<Row, Filter> {
  readonly field: {
    readonly type: ObjectRef<SchemaTypes, Connection<Row>>;
    readonly complexity: typeof connectionCost;
  };
  readonly args: ReturnType<typeof connectionArguments<Filter>>;
  /** @throws GraphQLError INVALID_INPUT for paging arguments outside their domain. */
  open(
    args: ConnectionArguments<Filter>,
    context: GraphQLContext,
    info: GraphQLResolveInfo,
    parent?: ListParent,
  ): Connection<Row>;
}

/** Defines `XConnection`, `XEdge` and `XOrder` for lists of one type. */
export function defineConnection<Row extends object, Filter = never>(
  options: ConnectionOptions<Row, Filter>,
): ConnectionType<Row, Filter> {
  const typename = options.source.node.name;
  const order = defineListOrder(options.source.node, options.items, options.order);
  const edge = builder.objectRef<Edge<Row>>(`${typename}Edge`).implement({
    description: `One place in a list of ${options.items}.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'The place itself, for `after` and `before` in the same order.',
      }),
      node: t.field({
        type: options.type,
        description: 'What stands there.',
        complexity: ONE_OBJECT,
        resolve: (place) => place.node as never,
      }),
    }),
  });
  const type = builder.objectRef<Connection<Row>>(`${typename}Connection`).implement({
    description: `A page of ${options.items}.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'The items with their cursors.',
        complexity: NO_COST,
        resolve: (page) => page.edges(),
      }),
      nodes: t.field({
        type: [options.type],
        description: 'The items alone.',
        complexity: ONE_OBJECT,
        resolve: async (page) => (await page.edges()).map(({ node }) => node) as never,
      }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        description: 'Where the page lies in the list.',
        complexity: ONCE_PER_PAGE,
        resolve: (page) => page.pageInfo(),
      }),
      totalCount: t.int({
        description: `How many ${options.items} the whole list has. Counted only when it is asked for.`,
        resolve: (page) => page.totalCount(),
      }),
    }),
  });

  return {
    field: { type, complexity: connectionCost },
    args: connectionArguments(options.items, options.filter?.type, order),
    open(args, context, info, parent) {
      const sorting = order.read(args.orderBy);
      const request = readPageRequest(args, sorting.scope);
      const unstorable = findUnstorableText(args.filter, ['filter']);
      if (unstorable) throw invalidArgument(UNSTORABLE_TEXT, unstorable);
      const filtered = args.filter && options.filter ? options.filter.conditions(args.filter) : options.unfiltered;
      const keyset: Keyset = {
        table: options.table,
        ...sorting,
        conditions: [...(filtered ?? []), ...(parent?.conditions ?? [])],
        parent: parent?.column ?? null,
      };
      const rows = rowLoader(options.source, context, info, [['nodes'], ['edges', 'node']]);
      const pages = pageLoaders(context, info, keyset, request);
      return openPage<Row>(keyset, request, pages, rows, parent ? parent.value : ROOT);
    },
  };
}

function connectionArguments<Filter>(
  items: string,
  filter: InputObjectRef<SchemaTypes, Filter> | undefined,
  order: ListOrder,
) {
  return builder.args((t) => ({
    first: t.int({ description: 'How many items from the start, 0 to 100. Without `first` and `last`: 20.' }),
    after: t.string({ description: 'Only items behind this cursor of the same list and order.' }),
    last: t.int({ description: 'How many items from the end, 0 to 100.' }),
    before: t.string({ description: 'Only items before this cursor of the same list and order.' }),
    orderBy: t.field({ type: order.type, description: `The order of the ${items}.` }),
    ...(filter ? { filter: t.field({ type: filter, description: `Which ${items} are listed.` }) } : {}),
  }));
}
