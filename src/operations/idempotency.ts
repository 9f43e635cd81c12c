import { createHash } from 'node:crypto';
import { InvalidInput } from './user-error.ts';

/** Raised when the meaning of an input changes, so that an old key is not answered with another meaning. */
const API_VERSION = 1;

/**
 * Canonical JSON: object keys sorted, undefined left out, so that equal inputs have one text. A Date is its ISO text, a
 * bigint its digits and an n.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((v) => canonicalJson(v === undefined ? null : v)).join(',')}]`;
  if (typeof value === 'bigint') return JSON.stringify(`${value}n`);
  if (value instanceof Date) return JSON.stringify(value);
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/**
 * SHA-256 over the mutation's name, the API's version and its validated input (6-claims, section 6); the key itself
 * is not part of it. Secrets are to be given as their HMAC.
 */
export function inputHash(kind: string, input: object): string {
  const { idempotencyKey: _, ...rest } = input as { idempotencyKey?: unknown };
  // A field that is null says the same as one that is left out.
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return createHash('sha256')
    .update(canonicalJson({ kind, version: API_VERSION, input: given }))
    .digest('hex');
}

/** 1–200 printable ASCII characters; absent means that none is assumed. */
export function validIdempotencyKey(key: string | undefined | null): string | null {
  if (key === undefined || key === null) return null;
  if (!/^[\x20-\x7e]{1,200}$/.test(key)) {
    throw new InvalidInput('An idempotency key has 1 to 200 printable ASCII characters.', ['idempotencyKey']);
  }
  return key;
}
