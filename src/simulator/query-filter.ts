import { pythonJson, RapiError } from './rapi-error.ts';

/** An object of a query, as field name → value; a missing key is an unknown field. */
export type QueryItem = Readonly<Record<string, unknown>>;

const COMPARISONS: Readonly<Record<string, (one: number | string, other: number | string) => boolean>> = {
  '=': (one, other) => one === other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '<': (one, other) => one < other,
  '>': (one, other) => one > other,
  '<=': (one, other) => one <= other,
  '>=': (one, other) => one >= other,
};

/** A filter ready to judge items; `ids` are the only ones that can match, when the filter says so by `=` and `>` on `id` alone. */
export interface CompiledFilter {
  matches(item: QueryItem): boolean;
  /** Ids to look up directly, and the id above which to look; null: look at everything. */
  readonly pushedDown: { ids: number[]; above: number | null } | null;
}

/**
 * Compiles a `qfilter`. Throws the errors of the real one: 502 for what luxid cannot parse, 500 for what it cannot compare.
 * @param request what luxid was asked, for its complaint
 */
export function compileFilter(filter: unknown, request: unknown): CompiledFilter {
  if (filter === null || filter === undefined) return { matches: () => true, pushedDown: null };
  return { matches: compile(filter, request), pushedDown: pushDown(filter) };
}

function compile(filter: unknown, request: unknown): (item: QueryItem) => boolean {
  if (!Array.isArray(filter) || filter.length === 0) {
    throw unparsable(request, `Cannot deserialise filter: expected array [string, args], got ${pythonJson(filter)}`);
  }
  const [operator, ...operands] = filter as unknown[];
  switch (operator) {
    case '&':
    case '|': {
      const parts = operands.map((operand) => compile(operand, request));
      return operator === '&'
        ? (item) => parts.every((part) => part(item))
        : (item) => parts.some((part) => part(item));
    }
    case '!': {
      const inner = compile(operands[0], request);
      return (item) => !inner(item);
    }
    case '?':
      return (item) => Boolean(field(item, operands[0]));
    case '=[]':
      return (item) => asList(field(item, operands[0])).includes(value(operands[1], request));
    case '=~':
      return regularExpression(operands, request);
    default:
      return comparison(String(operator), operands, request);
  }
}

function comparison(operator: string, operands: readonly unknown[], request: unknown): (item: QueryItem) => boolean {
  const compare = COMPARISONS[operator];
  if (compare === undefined) throw unparsable(request, `Unknown filter operand '${operator}'`);
  const wanted = value(operands[1], request);
  return (item) => {
    const actual = comparable(field(item, operands[0]));
    if (actual === null) return false;
    if (operands[0] === 'id' && typeof wanted === 'string') {
      throw new RapiError(500, `parsing job id: cannot parse string '${wanted}'`);
    }
    if (typeof actual !== typeof wanted) throw new RapiError(500, 'a field compared with a value of another type');
    return compare(actual, wanted);
  };
}

function regularExpression(operands: readonly unknown[], request: unknown): (item: QueryItem) => boolean {
  const text = String(value(operands[1], request));
  let pattern: RegExp;
  try {
    pattern = new RegExp(text);
  } catch (error) {
    throw unparsable(request, (error as Error).message);
  }
  return (item) => {
    const actual = field(item, operands[0]);
    if (typeof actual !== 'string') {
      throw new RapiError(
        500,
        `Invalid field value used in regexp matching, expecting string but got '${JSON.stringify(actual)}'`,
      );
    }
    return pattern.test(actual);
  };
}

// Only strings and integers are values: null, booleans and lists cannot be parsed.
function value(operand: unknown, request: unknown): string | number {
  if (typeof operand === 'string' || Number.isInteger(operand)) return operand as string | number;
  throw unparsable(request, `Cannot deserialise filter value, expecting string or integer, got ${pythonJson(operand)}`);
}

function field(item: QueryItem, name: unknown): unknown {
  if (typeof name !== 'string' || !(name in item)) {
    throw new RapiError(500, `Can't find field named '${String(name)}'`);
  }
  return item[name];
}

// A timestamp pair is compared as a number of seconds.
function comparable(actual: unknown): string | number | null {
  if (typeof actual === 'string' || typeof actual === 'number') return actual;
  if (Array.isArray(actual) && actual.length === 2 && actual.every(Number.isInteger)) {
    return Number(actual[0]) + Number(actual[1]) / 1_000_000;
  }
  return null;
}

function asList(actual: unknown): unknown[] {
  return Array.isArray(actual) ? actual : [];
}

/** luxid's complaint about a query it cannot read: a 502. */
export function unparsable(request: unknown, complaint: string): RapiError {
  return new RapiError(
    502,
    `Failed to parse request: Cannot convert value '${pythonJson(request)}', error: ${complaint}`,
  );
}

function pushDown(filter: unknown): CompiledFilter['pushedDown'] {
  if (!Array.isArray(filter)) return null;
  if (filter[0] === '|') {
    const parts = filter.slice(1).map(pushDown);
    if (parts.length === 0 || parts.some((part) => part === null)) return null;
    const known = parts.filter((part) => part !== null);
    const bounds = known.map(({ above }) => above).filter((above) => above !== null);
    return { ids: known.flatMap(({ ids }) => ids), above: bounds.length === 0 ? null : Math.min(...bounds) };
  }
  const [operator, name, operand] = filter as unknown[];
  if (name !== 'id' || !Number.isInteger(operand)) return null;
  if (operator === '=') return { ids: [operand as number], above: null };
  return operator === '>' ? { ids: [], above: operand as number } : null;
}
