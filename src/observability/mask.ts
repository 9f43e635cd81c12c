/** What stands where a secret stood. */
export const MASK = '***';

/** Names whose value is a secret wherever they appear, compared in lower case and without `_` and `-`. */
const SECRET_NAMES = new Set([
  'apikey',
  'authorization',
  'configurl',
  'cookie',
  'credentials',
  'databaseurl',
  'osparamsprivate',
  'osparamssecret',
  'passphrase',
  'passwd',
  'password',
  'privatekey',
  'progressurl',
  'proxyauthorization',
  'pwd',
  'secret',
  'secretkey',
  'secretparameters',
  'setcookie',
  'token',
]);

/** Endings that make any longer name a secret one: `rapiPassword`, `client_secret`, `accessToken`. */
const SECRET_ENDINGS = ['password', 'secret', 'token', 'apikey', 'privatekey'];

/** Deeper than any object we log on purpose; what lies below is cut so that a cyclic or huge value stays cheap. */
const MAX_DEPTH = 8;

/** A secret shorter than this would blank out ordinary words of a log line ("on", "root"). */
export const SHORTEST_MASKED_VALUE = 6;

/** Whether the value under this name must never be written to a log. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, '');
  return SECRET_NAMES.has(plain) || SECRET_ENDINGS.some((ending) => plain.endsWith(ending));
}

/**
 * A copy of `value` in which everything under a secret name is `***`. Errors, dates and other class instances are kept
 * as they are: the logger has its own serialiser for errors, and the copy of a date is not a date.
 */
export function maskSecretNames(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => maskSecretNames(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    copy[name] = isSecretName(name) && item != null ? MASK : maskSecretNames(item, depth + 1);
  }
  return copy;
}

/** Replaces each of `secrets` in `text`; the longest first, so that a secret inside another leaves no remainder. */
export function maskValues(text: string, secrets: Iterable<string>): string {
  let masked = text;
  const longestFirst = [...secrets]
    .filter((secret) => secret.length >= SHORTEST_MASKED_VALUE)
    .sort((a, b) => b.length - a.length);
  for (const secret of longestFirst) masked = masked.replaceAll(secret, MASK);
  return masked;
}

/** The token of a callback URL is a capability: whoever reads it can report for that build. */
const CALLBACK_TOKEN = /\/(progress|config|signal)\/[A-Za-z0-9._~%-]+/g;
/** `scheme://user:password@host`; the user is kept, it tells which account was used. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*):[^\s/@"']+@/gi;
/** The credentials of an Authorization header that ended up inside a message. */
const AUTHORIZATION = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi;

/** Masks what is recognisable by its shape alone: callback tokens, passwords in URLs, Authorization credentials. */
export function maskPatterns(text: string): string {
  return text
    .replaceAll(CALLBACK_TOKEN, `/$1/${MASK}`)
    .replaceAll(URL_PASSWORD, `$1:${MASK}@`)
    .replaceAll(AUTHORIZATION, `$1 ${MASK}`);
}
