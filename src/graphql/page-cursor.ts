import { invalidArgument } from './top-level-errors.ts';

/** How a value of an ordering is written in a cursor and compared in SQL. */
export type OrderKind = 'int4' | 'int8' | 'uuid' | 'text' | 'timestamptz';

/** A list and one order of it: what a cursor is good for. */
export interface CursorScope {
  /** The type of the list's items. */
  readonly typename: string;
  readonly order: string;
  readonly direction: 'ASC' | 'DESC';
  /** The kinds of the ordering values, the last one being the unique key. */
  readonly kinds: readonly OrderKind[];
}

const within = (text: string, least: bigint, most: bigint) => BigInt(text) >= least && BigInt(text) <= most;

/** 31 December 9999 in microseconds: far beyond any row, within PostgreSQL's range. */
const LATEST_US = 253_402_300_799_000_000n;

const GRAMMARS: Readonly<Record<OrderKind, (text: string) => boolean>> = {
  int4: (text) => /^-?\d{1,10}$/.test(text) && within(text, -(2n ** 31n), 2n ** 31n - 1n),
  int8: (text) => /^-?\d{1,19}$/.test(text) && within(text, -(2n ** 63n), 2n ** 63n - 1n),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  text: (text) => !text.includes('\0'),
  // Microseconds since 1970: JavaScript's dates would round away what tells two rows apart.
  timestamptz: (text) => /^-?\d{1,18}$/.test(text) && within(text, -LATEST_US, LATEST_US),
};

/**
 * The cursor of one item: the list's type, its order and the item's values in that order, so that the next page is found
 * by comparing and not by counting, and a cursor of another list or order is noticed.
 */
export function encodePageCursor(scope: CursorScope, values: readonly string[]): string {
  return Buffer.from(JSON.stringify([scope.typename, scope.order, scope.direction, ...values])).toString('base64url');
}

/**
 * The values in a cursor that {@link encodePageCursor} made for the same list and order.
 *
 * @throws GraphQLError INVALID_INPUT with `path` for any other text.
 */
export function decodePageCursor(scope: CursorScope, cursor: string, path: readonly string[]): readonly string[] {
  const values = readValues(scope, cursor);
  if (values && encodePageCursor(scope, values) === cursor) return values;
  throw invalidArgument(`Not a cursor of this list in the order ${scope.order} ${scope.direction}.`, path);
}

function readValues(scope: CursorScope, cursor: string): readonly string[] | undefined {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(content)) return undefined;
  const [typename, order, direction, ...values] = content as unknown[];
  if (typename !== scope.typename || order !== scope.order || direction !== scope.direction) return undefined;
  const areValues =
    values.length === scope.kinds.length &&
    scope.kinds.every((kind, index) => typeof values[index] === 'string' && GRAMMARS[kind](values[index] as string));
  return areValues ? (values as string[]) : undefined;
}
