import { isFingerprint } from './certificate.ts';
import { GanetiRequestError } from './errors.ts';
import type { TlsTrust } from './secure-socket.ts';

/** How to reach a cluster's RAPI. */
export interface GanetiConnection {
  /** https origins, tried in order, the last good one first: only the master node answers (5-ganeti.md, §9 #17). */
  readonly endpoints: readonly string[];
  readonly username: string;
  readonly password: string;
  /** SHA-256 pin of the server's certificate and / or authorities in PEM; with neither, the system's authorities. */
  readonly tls: TlsTrust;
  /** For one call, connection included; default 15 000. */
  readonly timeoutMs?: number;
  /** Connections open at once; default and hard cap 4. */
  readonly maxConnections?: number;
}

const MAX_CONNECTIONS = 4;
const DEFAULT_TIMEOUT_MS = 15_000;

/** The connection with its defaults filled in and its endpoints as bare origins. Throws {@link GanetiRequestError} for one that cannot work. */
export function checkedConnection(connection: GanetiConnection): Required<GanetiConnection> {
  if (connection.endpoints.length === 0) throw new GanetiRequestError('a connection needs at least one endpoint');
  const { fingerprint } = connection.tls;
  if (fingerprint !== undefined && !isFingerprint(fingerprint)) {
    throw new GanetiRequestError('the fingerprint is not a SHA-256 in hexadecimal');
  }
  return {
    endpoints: connection.endpoints.map(httpsOrigin),
    username: connection.username,
    password: connection.password,
    tls: connection.tls,
    timeoutMs: connection.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxConnections: Math.max(1, Math.min(connection.maxConnections ?? MAX_CONNECTIONS, MAX_CONNECTIONS)),
  };
}

function httpsOrigin(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  // The endpoint is not repeated in the message: a password in its user part would be.
  if (url?.protocol !== 'https:') throw new GanetiRequestError('an endpoint is not an https origin');
  return url.origin;
}
