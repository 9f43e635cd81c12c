import type { Pool } from 'pg';
import type { PageRequest } from './page-arguments.ts';
import type { CursorScope, OrderKind } from './page-cursor.ts';
import type { Column, Parameter, SqlCondition } from './sql-condition.ts';

/** A table in one order, narrowed by conditions and, below a parent, to the rows that point to it. */
export interface Keyset {
  readonly table: string;
  readonly scope: CursorScope;
  /** The ordering columns, ending with the unique key; parallel to `scope.kinds`. */
  readonly columns: readonly string[];
  readonly conditions: readonly SqlCondition[];
  readonly parent: Column | null;
}

/** One row's place in its list. `key` is its unique key as text. */
export interface KeysetEntry {
  readonly key: string;
  readonly values: readonly string[];
}

export interface KeysetPage {
  readonly entries: readonly KeysetEntry[];
  /** Whether rows were left out at the end away from which the page was counted. */
  readonly hasMore: boolean;
}

/**
 * The keys of one page per parent (of one page, when there is none), all in one statement.
 *
 * Pages are found by comparing row values with the cursor's, which an index on the ordering columns answers in the same
 * time for page 50 as for page 1. Beneath a parent, LATERAL gives each its own limit. Microseconds are compared as they
 * are stored: Prisma's own cursors would do, but skip a row when the cursor's row has left the filter meanwhile, and
 * read all children of all parents to cut them in memory.
 */
export async function readKeysetPages(
  pool: Pool,
  keyset: Keyset,
  page: PageRequest,
  parents: readonly unknown[],
): Promise<KeysetPage[]> {
  const values: unknown[] = [];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  // The page is read from the end that it is counted from.
  const isAscending = (keyset.scope.direction === 'ASC') !== page.fromEnd;
  const selected = keyset.columns.map(
    (column, index) => `${asText(`t."${column}"`, keyset.scope.kinds[index])} AS v${index}`,
  );
  const order = keyset.columns.map((column) => `t."${column}" ${isAscending ? 'ASC' : 'DESC'}`).join(', ');
  const bounds = [
    page.after && bound(keyset, keyset.scope.direction === 'ASC' ? '>' : '<', page.after, parameter),
    page.before && bound(keyset, keyset.scope.direction === 'ASC' ? '<' : '>', page.before, parameter),
  ].filter((text) => text !== null);
  const rows = (extra: readonly string[]) =>
    `SELECT ${selected.join(', ')} FROM "${keyset.table}" t ${where([...extra, ...bounds, ...keyset.conditions.map((condition) => condition(parameter))])}
     ORDER BY ${order} LIMIT ${parameter(page.size + 1)}::int4`;
  const statement = keyset.parent
    ? `SELECT p.position::int4 AS position, c.* FROM unnest(${parameter(parents)}::${keyset.parent.type}[])
         WITH ORDINALITY AS p(id, position) CROSS JOIN LATERAL (${rows([`t."${keyset.parent.name}" = p.id`])}) c`
    : `SELECT 1 AS position, c.* FROM (${rows([])}) c`;
  const result = await pool.query<Record<string, string> & { position: number }>(statement, values);

  const found = parents.map((): KeysetEntry[] => []);
  for (const row of result.rows) {
    const entry = keyset.columns.map((_, index) => row[`v${index}`] as string);
    found[row.position - 1]?.push({ key: entry.at(-1) as string, values: entry });
  }
  return found.map((entries) => {
    const kept = entries.slice(0, page.size);
    return { entries: page.fromEnd ? kept.reverse() : kept, hasMore: entries.length > page.size };
  });
}

/** How many rows the whole list has per parent, paging aside. */
export async function countKeyset(pool: Pool, keyset: Keyset, parents: readonly unknown[]): Promise<number[]> {
  const values: unknown[] = [];
  const parameter: Parameter = (value) => `$${values.push(value)}`;
  const conditions = () => keyset.conditions.map((condition) => condition(parameter));
  const statement = keyset.parent
    ? `SELECT p.position::int4 AS position, c.count FROM unnest(${parameter(parents)}::${keyset.parent.type}[])
         WITH ORDINALITY AS p(id, position) CROSS JOIN LATERAL (
           SELECT count(*)::int4 AS count FROM "${keyset.table}" t ${where([`t."${keyset.parent.name}" = p.id`, ...conditions()])}) c`
    : `SELECT 1 AS position, count(*)::int4 AS count FROM "${keyset.table}" t ${where(conditions())}`;
  const result = await pool.query<{ position: number; count: number }>(statement, values);
  const counts = parents.map(() => 0);
  for (const row of result.rows) counts[row.position - 1] = row.count;
  return counts;
}

function where(conditions: readonly string[]): string {
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
}

function bound(keyset: Keyset, operator: '<' | '>', values: readonly string[], parameter: Parameter): string {
  const columns = keyset.columns.map((column) => `t."${column}"`).join(', ');
  const bounds = values.map((value, index) => fromText(parameter(value), keyset.scope.kinds[index])).join(', ');
  return `(${columns}) ${operator} (${bounds})`;
}

function asText(expression: string, kind: OrderKind | undefined): string {
  return kind === 'timestamptz' ? `(extract(epoch FROM ${expression}) * 1000000)::int8::text` : `${expression}::text`;
}

function fromText(placeholder: string, kind: OrderKind | undefined): string {
  return kind === 'timestamptz'
    ? `(timestamptz 'epoch' + ${placeholder}::int8 * interval '1 microsecond')`
    : `${placeholder}::${kind}`;
}
