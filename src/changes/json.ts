/** Any value that JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What jsonb refuses (22P05, 22P02) although JSON can spell it: NUL and half a surrogate pair, as escapes. */
const REFUSED = /\\u(?:0000|d[89a-f])/i;

/**
 * The text of a jsonb parameter. A Date becomes ISO 8601; a bigint a number while that is exact (2^53), then a string;
 * what has no JSON form (undefined, NaN) null. Ganeti's messages may carry any byte: what jsonb cannot hold becomes U+FFFD.
 */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value, plain) ?? 'null';
  return REFUSED.test(text) ? (JSON.stringify(value, (key, inner) => storable(plain(key, inner))) ?? 'null') : text;
}

/** Freezes a value made by JSON.parse, all the way down: it is shared by every stream. */
export function freezeJson<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) freezeJson(inner);
    Object.freeze(value);
  }
  return value;
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [wellFormed(key), inner]));
}

/** UTF-8 has no half pairs, so the way there and back replaces them. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD');
}
