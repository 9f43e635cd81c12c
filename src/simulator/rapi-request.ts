import { RapiError } from './rapi-error.ts';

/** A request after the transport's checks. */
export interface RapiRequest {
  readonly method: string;
  /** As sent: RAPI decodes nothing in a path. */
  readonly path: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** The parsed body, null without one. */
  readonly body: unknown;
}

/** Query arguments as Python's `parse_qs` reads them: without the empty ones. */
export function parseQuery(text: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (value === '') continue;
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

/** The first value of a query argument, or null. */
export function queryText(request: RapiRequest, name: string): string | null {
  return request.query.get(name)?.[0] ?? null;
}

/** A query argument as RAPI reads a flag: an integer, 0 when absent. Throws its 400 for anything else. */
export function queryFlag(request: RapiRequest, name: string): boolean {
  const text = queryText(request, name);
  if (text === null) return false;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new RapiError(400, `Invalid value for the '${name}' parameter`);
  return Number(text) !== 0;
}
