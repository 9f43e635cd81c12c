import type { Pool } from 'pg';
import { GanetiClient, type GanetiConnection } from '../ganeti/index.ts';
import { canonicalJson } from './idempotency.ts';
import type { SecretBox } from './secret-box.ts';

/** The purpose under which RAPI passwords are encrypted. */
export const RAPI_PASSWORD = 'rapi-password';

/** How a cluster is reached, as stored. */
export interface StoredConnection {
  readonly id: number;
  readonly endpoints: readonly string[];
  readonly username: string;
  readonly passwordCipher: string;
  readonly caPem: string | null;
  readonly certificateFingerprint: string | null;
}

/** Hands out one RAPI client per cluster, so that its limit of connections holds for the whole process. */
export class ClusterClients {
  readonly #pool: Pool;
  readonly #secrets: SecretBox;
  readonly #timeoutMs: number;
  readonly #clients = new Map<number, { readonly signature: string; readonly client: GanetiClient }>();

  constructor(pool: Pool, secrets: SecretBox, timeoutMs: number) {
    this.#pool = pool;
    this.#secrets = secrets;
    this.#timeoutMs = timeoutMs;
  }

  /** The client of a cluster by its present row: a changed address, password or pin makes a new one. */
  async get(backendId: number): Promise<GanetiClient> {
    const { rows } = await this.#pool.query<StoredConnection>(
      `SELECT "id", "endpoints", "username", "passwordCipher", "caPem", "certificateFingerprint"
         FROM "Backend" WHERE "id" = $1 AND "deletedAt" IS NULL`,
      [backendId],
    );
    if (!rows[0]) throw new Error(`Backend ${backendId} does not exist.`);
    return this.of(rows[0]);
  }

  of(stored: StoredConnection): GanetiClient {
    const { id, endpoints, username, passwordCipher, caPem, certificateFingerprint } = stored;
    const signature = canonicalJson({ endpoints, username, passwordCipher, caPem, certificateFingerprint });
    const known = this.#clients.get(id);
    if (known?.signature === signature) return known.client;
    void known?.client.close();
    const client = new GanetiClient(this.connection(stored));
    this.#clients.set(id, { signature, client });
    return client;
  }

  /** A connection with its password in the clear: for a client's constructor only, never to be kept or logged. */
  connection(stored: Omit<StoredConnection, 'id'>): GanetiConnection {
    return {
      endpoints: stored.endpoints,
      username: stored.username,
      password: this.#secrets.decrypt(RAPI_PASSWORD, stored.passwordCipher),
      tls: {
        ...(stored.certificateFingerprint === null ? {} : { fingerprint: stored.certificateFingerprint }),
        ...(stored.caPem === null ? {} : { caPem: stored.caPem }),
      },
      timeoutMs: this.#timeoutMs,
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ client }) => client.close()));
    this.#clients.clear();
  }
}
