import { GraphQLError, type GraphQLOutputType, getNamedType, isLeafType } from 'graphql';

/** What one operation may cost: 1 per object it may load, 0.1 per value. */
export const COST_LIMIT = 10_000;

/** Items of a page when neither `first` nor `last` is given, and the most there may be. */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** What lists without paging (NICs of a machine, jobs of an operation) are taken to hold. */
const PLAIN_LIST_SIZE = 4;

interface Cost {
  field: number;
  multiplier: number;
}

/** The cost of a field that does not state its own. */
export function fieldCost(_args: unknown, _context: unknown, field: { type: GraphQLOutputType }): Cost {
  const isLeaf = isLeafType(getNamedType(field.type));
  const isList = String(field.type).startsWith('[');
  return { field: isLeaf ? 0.1 : 1, multiplier: isList ? PLAIN_LIST_SIZE : 1 };
}

/** The cost of a connection: what is asked of each item, as often as the page is long. Bad sizes are refused later. */
export function connectionCost(args: { first?: number | null | undefined; last?: number | null | undefined }): Cost {
  const size = args.first ?? args.last ?? DEFAULT_PAGE_SIZE;
  return { field: 1, multiplier: Math.min(Math.max(size, 1), MAX_PAGE_SIZE) };
}

/** For the wrapper between a connection and its items, which loads nothing itself. */
export const NO_COST = { field: 0, multiplier: 1 } as const;
/** For an item, which its connection has multiplied by the length of the page. */
export const ONE_OBJECT = { field: 1, multiplier: 1 } as const;
/** For what a page says about itself, once. */
export const ONCE_PER_PAGE = { field: 0, multiplier: 0 } as const;

/** The refusal of an operation, with what it would cost. */
export function tooExpensive(cost: number): GraphQLError {
  const rounded = Math.ceil(cost);
  return new GraphQLError(
    `The operation may cost ${rounded}, at most ${COST_LIMIT} is allowed: ask for shorter pages or fewer nested lists.`,
    { extensions: { code: 'QUERY_TOO_EXPENSIVE', cost: rounded, limit: COST_LIMIT } },
  );
}
