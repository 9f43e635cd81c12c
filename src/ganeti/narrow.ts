/** Thrown when a reply does not have the shape Ganeti documents; the client turns it into a `garbage` failure. */
export class GanetiShapeError extends Error {
  override readonly name = 'GanetiShapeError';
}

/** A JSON object as a record; throws {@link GanetiShapeError} for anything else. */
export function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GanetiShapeError(`${what}: an object was expected`);
  }
  return value as Record<string, unknown>;
}

/** A JSON array; throws {@link GanetiShapeError} for anything else. */
export function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new GanetiShapeError(`${what}: a list was expected`);
  return value;
}

/** A string; throws {@link GanetiShapeError} for anything else. */
export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new GanetiShapeError(`${what}: a string was expected`);
  return value;
}

/** A safe integer; throws {@link GanetiShapeError} for anything else. */
export function integer(value: unknown, what: string): number {
  if (!Number.isSafeInteger(value)) throw new GanetiShapeError(`${what}: an integer was expected`);
  return value as number;
}

// Any field may be null: an offline node, an unanswered node RPC, a template without that notion. What is not of the
// expected type is treated as "not known", as null is.

/** The string, or null when the value is anything else. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The finite number, or null when the value is anything else. */
export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The boolean, or null when the value is anything else. */
export function booleanOrNull(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** The strings of a list; an empty list for anything else. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** The list, or an empty one for anything else. */
export function listOrEmpty(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The object, or an empty one for anything else. */
export function recordOrEmpty(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
