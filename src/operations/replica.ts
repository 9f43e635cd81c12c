import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import pg from 'pg';
import type { Logger } from 'pino';

const HEARTBEAT_MS = 5_000;
const MAX_BACKOFF_MS = 5_000;

/**
 * This process's session at PostgreSQL: it holds an advisory lock on the boot id, so that whoever can take that lock
 * knows that the process is gone (no PID test, no clock), and the try-locks by which one replica watches a cluster.
 *
 * When the session is lost every lock is, so `onLost` must stop what the locks protected; the session is then opened
 * again by itself, under the same boot id.
 */
export class Replica {
  readonly bootId = randomUUID();
  readonly #databaseUrl: string;
  readonly #logger: Logger;
  #client: pg.Client | null = null;
  #epoch = 0;
  #isClosed = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #lost = new AbortController();

  constructor(databaseUrl: string, logger: Logger) {
    this.#databaseUrl = databaseUrl;
    this.#logger = logger;
  }

  /** Opens the session. @throws when PostgreSQL cannot be reached at the start */
  async start(): Promise<void> {
    await this.#open();
  }

  /** Aborted when the present session is lost; a new one comes with each session. */
  get session(): AbortSignal {
    return this.#lost.signal;
  }

  get isConnected(): boolean {
    return this.#client !== null;
  }

  /** Tries to become the one holder of a name among all replicas, until {@link unlock} or the session's end. */
  async tryLock(name: string): Promise<boolean> {
    if (!this.#client) return false;
    const { rows } = await this.#client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
      [name],
    );
    return rows[0]?.locked === true;
  }

  async unlock(name: string): Promise<void> {
    await this.#client?.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retry);
    this.#lost.abort();
    const client = this.#client;
    this.#client = null;
    if (client) {
      await client.query('DELETE FROM "Replica" WHERE "bootId" = $1', [this.bootId]).catch(() => undefined);
      await client.end().catch(() => undefined);
    }
  }

  async #open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#databaseUrl,
      keepAlive: true,
      application_name: 'ganeti-graphql replica',
      connectionTimeoutMillis: 10_000,
      // A half-open socket must not keep us believing that we hold our locks.
      query_timeout: 10_000,
    });
    client.on('error', () => undefined);
    client.once('end', () => this.#onEnd(client));
    try {
      await client.connect();
      await client.query(`SELECT pg_advisory_lock(hashtextextended('replica:' || $1::text, 0))`, [this.bootId]);
      await client.query(
        `INSERT INTO "Replica" ("bootId", "host") VALUES ($1, $2)
         ON CONFLICT ("bootId") DO UPDATE SET "heartbeatAt" = clock_timestamp()`,
        [this.bootId, hostname()],
      );
      if (this.#isClosed) throw new Error('The replica was closed.');
    } catch (error) {
      // It may hold the lock on the boot id, or get it later, and the next session would wait for it for ever.
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#epoch = 0;
    this.#lost = new AbortController();
    this.#client = client;
    clearInterval(this.#heartbeat);
    this.#heartbeat = setInterval(() => {
      client
        .query('UPDATE "Replica" SET "heartbeatAt" = clock_timestamp() WHERE "bootId" = $1', [this.bootId])
        .catch(() => client.end().catch(() => undefined));
    }, HEARTBEAT_MS);
  }

  #onEnd(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    clearInterval(this.#heartbeat);
    this.#lost.abort();
    if (this.#isClosed) return;
    this.#logger.warn('the session that holds this replica’s locks was lost; opening another');
    this.#reopen();
  }

  #reopen(): void {
    const delayMs = Math.min(MAX_BACKOFF_MS, 200 * 2 ** this.#epoch) * (0.5 + Math.random() / 2);
    this.#epoch += 1;
    this.#retry = setTimeout(() => {
      if (this.#isClosed) return;
      this.#open().catch((error: unknown) => {
        if (this.#isClosed) return;
        this.#logger.warn({ err: error }, 'the replica’s session could not be opened');
        this.#reopen();
      });
    }, delayMs);
  }
}

/** Removes the rows of replicas whose session is gone; their transient claims go when somebody wants the keys. */
export async function forgetDeadReplicas(pool: pg.Pool): Promise<void> {
  await pool.query(
    `DELETE FROM "Replica" r WHERE r."heartbeatAt" < clock_timestamp() - interval '1 minute'
       AND NOT EXISTS (SELECT 1 FROM "Claim" c WHERE c."holderReplicaId" = r."bootId")`,
  );
}
