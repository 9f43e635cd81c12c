/** NUL, and half of a pair that UTF-16 uses for characters beyond U+FFFF: PostgreSQL keeps neither as text nor as JSON. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Why an argument with such a text is refused. */
export const UNSTORABLE_TEXT = 'A text has no NUL and no unpaired surrogates.';

/**
 * The path to the first text (or key) in an argument that cannot be stored; undefined when there is none. Every argument
 * passes here, so that no field has to think of it.
 */
export function findUnstorableText(value: unknown, path: readonly string[]): readonly string[] | undefined {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? path : undefined;
  if (typeof value !== 'object' || value === null || value instanceof Date) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = UNSTORABLE.test(key) ? path : findUnstorableText(item, [...path, key]);
    if (found) return found;
  }
  return undefined;
}
