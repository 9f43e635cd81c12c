import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Queryable } from '../database/pool.ts';
import { sqlState } from '../database/transaction.ts';

/** There is no connection at the moment; one is being made. */
export class NotListeningError extends Error {
  override readonly name = 'NotListeningError';
}

interface ListenOptions {
  readonly databaseUrl: string;
  readonly channel: string;
  /** A connection that has been silent for this long is asked whether it is still there. */
  readonly heartbeatMs: number;
  /** An answer that takes longer means a half-open socket: the connection is given up. */
  readonly answerTimeoutMs: number;
}

interface ListenEvents {
  /** Somebody sent a NOTIFY with this payload. */
  notified: [payload: string];
  /** Listening (again): what was notified in between is unknown. */
  listening: [];
  /** The connection could not be made, or broke. */
  lost: [error: Error];
}

const FIRST_WAIT_MS = 100;
/** With 4 s to notice a half-open socket and 2 s between polls, well within the 15 s in which streams are current again. */
const LONGEST_WAIT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** A connection that lived for less does not start the back-off anew. */
const STABLE_MS = 5_000;
const GOODBYE_MS = 1_000;

interface Connection {
  readonly client: pg.Client;
  readonly socket: Socket;
  readonly lost: Promise<Error>;
}

/**
 * The process's one LISTEN session, on a connection of its own that is made again for ever. The hub reads on it as well, so
 * that one broken connection has one time-out, and not one for each idle connection of the pool.
 */
export class ListenSession extends EventEmitter<ListenEvents> implements Queryable {
  readonly #options: ListenOptions;
  readonly #stopping = new AbortController();
  #connection: Connection | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #lastAnswerAt = 0;
  #connects = 0;
  /** `pg` is to be given one statement at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ListenOptions) {
    super();
    this.#options = options;
  }

  get isListening(): boolean {
    return this.#connection !== undefined;
  }

  get reconnects(): number {
    return Math.max(0, this.#connects - 1);
  }

  start(): void {
    this.#running ??= this.#run();
    this.#heartbeat ??= setInterval(() => this.#beat(), this.#options.heartbeatMs);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#heartbeat);
    const connection = this.#connection;
    if (connection) {
      const forced = setTimeout(() => connection.socket.destroy(), GOODBYE_MS);
      await connection.client.end().catch(() => {});
      clearTimeout(forced);
    }
    await this.#running;
  }

  /** @throws NotListeningError at once when there is no connection, rather than waiting for one */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const answer = this.#queue.then(() => this.#query<Row>(statement, values));
    this.#queue = answer.catch(() => {});
    return answer;
  }

  async #query<Row extends pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const connection = this.#connection;
    if (!connection) throw new NotListeningError('Not connected to the database');
    try {
      const result = await connection.client.query<Row>(statement as string, values as unknown[]);
      this.#lastAnswerAt = performance.now();
      return result;
    } catch (error) {
      // Not the server's answer but a time-out or a broken socket.
      if (sqlState(error) === undefined) connection.socket.destroy();
      throw error;
    }
  }

  #beat(): void {
    if (!this.#connection || performance.now() - this.#lastAnswerAt < this.#options.heartbeatMs / 2) return;
    this.query('SELECT 1').catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const begunAt = performance.now();
      try {
        const connection = await this.#connect();
        this.#lastAnswerAt = performance.now();
        this.#connection = connection;
        this.#connects += 1;
        if (!signal.aborted) this.emit('listening');
        else connection.socket.destroy();
        const error = await connection.lost;
        this.#connection = undefined;
        if (!signal.aborted) this.emit('lost', error);
      } catch (error) {
        if (!signal.aborted) this.emit('lost', error as Error);
      }
      if (performance.now() - begunAt > STABLE_MS + CONNECT_TIMEOUT_MS) attempt = 0;
      // Jittered, so that the replicas do not return in step.
      const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
      await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  async #connect(): Promise<Connection> {
    const { databaseUrl, channel, answerTimeoutMs } = this.#options;
    // Ours, since the end of a half-open connection is not to be waited for: only its socket can be closed.
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'ganeti-graphql changes',
      stream: () => socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: answerTimeoutMs,
    });
    const lost = new Promise<Error>((resolve) => {
      client.on('error', resolve);
      client.on('end', () => resolve(new Error('The connection was closed')));
    });
    client.on('notification', ({ payload }) => this.emit('notified', payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    // An error leaves the socket open when it was one of the protocol.
    void lost.then(() => socket.destroy());
    return { client, socket, lost };
  }
}
