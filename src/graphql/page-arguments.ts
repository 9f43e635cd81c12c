import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './field-cost.ts';
import { type CursorScope, decodePageCursor } from './page-cursor.ts';
import { invalidArgument } from './top-level-errors.ts';

/** Relay's paging arguments as they come in. */
export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly last?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly before?: string | null | undefined;
}

/** What a page is to hold. */
export interface PageRequest {
  readonly size: number;
  /** Whether the page is counted from the end of the list. */
  readonly fromEnd: boolean;
  /** Values of the items between which the page lies; null for the list's own ends. */
  readonly after: readonly string[] | null;
  readonly before: readonly string[] | null;
}

/**
 * Checks paging arguments: 0 to 100 items, counted from one end, between cursors of this list and order.
 *
 * @throws GraphQLError INVALID_INPUT with the argument's name as path.
 */
export function readPageRequest(args: PageArguments, scope: CursorScope): PageRequest {
  const { first, last, after, before } = args;
  if (first != null && last != null) {
    throw invalidArgument('Give first or last, not both.', ['first']);
  }
  return {
    size: readSize(first, 'first') ?? readSize(last, 'last') ?? DEFAULT_PAGE_SIZE,
    fromEnd: last != null,
    after: after == null ? null : decodePageCursor(scope, after, ['after']),
    before: before == null ? null : decodePageCursor(scope, before, ['before']),
  };
}

/**
 * A page size within its domain; undefined when none is given.
 *
 * @throws GraphQLError INVALID_INPUT with the argument's name as path.
 */
export function readSize(size: number | null | undefined, argument: string): number | undefined {
  if (size == null) return undefined;
  if (size < 0 || size > MAX_PAGE_SIZE) {
    throw invalidArgument(`${argument} must be between 0 and ${MAX_PAGE_SIZE}.`, [argument]);
  }
  return size;
}
