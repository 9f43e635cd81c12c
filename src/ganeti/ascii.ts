/**
 * Whether a string holds 7-bit characters only. Ganeti's luxid runs with LC_ALL=C: one other character in a job answers 500
 * and burns a job id (measured on 3.0.2), so nothing else may be sent.
 */
export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) return false;
  }
  return true;
}

/** Where the first non-ASCII string (or key) of a JSON value sits, as a dotted path; `null` when there is none. */
export function findNonAscii(value: unknown, path = ''): string | null {
  if (typeof value === 'string') return isAscii(value) ? null : path;
  if (value === null || typeof value !== 'object') return null;
  for (const [key, inner] of Object.entries(value)) {
    const here = path === '' ? key : `${path}.${key}`;
    if (!isAscii(key)) return here;
    const found = findNonAscii(inner, here);
    if (found !== null) return found;
  }
  return null;
}
