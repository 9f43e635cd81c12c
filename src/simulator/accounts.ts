import { RapiError } from './rapi-error.ts';

/** A line of RAPI's users file. */
export interface Account {
  readonly username: string;
  readonly password: string;
  readonly access: readonly ('read' | 'write')[];
}

/** What a client claims to be. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * The credentials of a request, unverified. Throws 401 without any (or of another scheme) and 400 for a scheme alone. The real
 * one does this before it looks at the path, and verifies after: unknown paths are 401 to the anonymous, 404 to the wrong.
 */
export function readCredentials(authorization: string | undefined): Credentials {
  const [scheme = '', token] = (authorization ?? '').trim().split(/\s+/);
  if (scheme.toLowerCase() !== 'basic') throw new RapiError(401);
  if (token === undefined) throw new RapiError(400, 'Basic authentication requires credentials');
  const credentials = Buffer.from(token, 'base64').toString('utf8');
  const colon = credentials.indexOf(':');
  if (colon < 0) throw new RapiError(401);
  return { username: credentials.slice(0, colon), password: credentials.slice(colon + 1) };
}

/** Lets a user pass. Throws 401 (unknown, wrong password) or 403 (without the option the resource asks for). */
export function authenticate(
  accounts: readonly Account[],
  given: Credentials,
  needed: readonly ('read' | 'write')[],
): void {
  const account = accounts.find(({ username, password }) => given.username === username && given.password === password);
  if (account === undefined) throw new RapiError(401);
  if (needed.length > 0 && !needed.some((option) => account.access.includes(option))) throw new RapiError(403);
}
