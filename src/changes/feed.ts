import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { decodeEntityCursor, decodeListCursor } from './cursor.ts';
import { type EntityStreamOptions, entityEvents, type StreamContext } from './entity-stream.ts';
import type { StreamEvent } from './event.ts';
import { Hub, type Topic } from './hub.ts';
import { type ListStreamOptions, listEvents } from './list-stream.ts';
import { ListenSession, NotListeningError } from './listen.ts';
import { CAPACITY, Mailbox } from './mailbox.ts';
import { CHANNEL, Nudger, registerNudger } from './nudge.ts';
import { pruneChanges, type RetentionOptions } from './retention.ts';
import { EventStream, FeedClosedError } from './stream.ts';

/** What the feed has to say; a pino logger fits. */
export interface FeedLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface ChangeFeedOptions {
  /** For replays, NOTIFY and pruning. */
  readonly pool: pg.Pool;
  /** The same database; the LISTEN session has a connection of its own. */
  readonly databaseUrl: string;
  readonly logger?: FeedLogger;
  /** The record is read at least this often while somebody listens: what a lost NOTIFY costs. Default 2 s. */
  readonly floorPollMs?: number;
  /** How long the LISTEN connection may be silent before it is asked for a sign of life. Default 2 s. */
  readonly heartbeatMs?: number;
  /** How long that may take. Default 4 s. */
  readonly answerTimeoutMs?: number;
  /** What is kept; false: this process does not prune. */
  readonly retention?: (RetentionOptions & { readonly everyMs?: number }) | false;
}

export interface FeedStats {
  /** Open streams. */
  readonly streams: number;
  readonly listening: boolean;
  /** Times that the LISTEN connection was made again. */
  readonly reconnects: number;
  /** RESYNC events since the start. */
  readonly resyncs: number;
  /** For how long there has been something new, or asked for, that was not read. */
  readonly lagMs: number;
}

/** The process's source of live changes. */
export interface ChangeFeed {
  start(): void;
  /** Fails every open stream with {@link FeedClosedError}; closes the connection; the pool stays open. */
  close(): Promise<void>;
  /**
   * First a SNAPSHOT, or with `after` what was missed (RESYNC when that is not kept); then each change once.
   *
   * @throws ForeignCursorError at once
   */
  streamEntity(options: EntityStreamOptions): AsyncIterableIterator<StreamEvent>;
  /**
   * First a SNAPSHOT of each member, or with `after` what was missed. A RESYNC (`entityId` empty) says: ask for the list
   * again, more follows from there; it comes when there are more than 1 000 members, `after` is not kept, or the reader
   * was too slow.
   *
   * @throws ForeignCursorError at once
   */
  streamList(options: ListStreamOptions): AsyncIterableIterator<StreamEvent>;
  stats(): FeedStats;
}

const SILENT: FeedLogger = { info: () => {}, warn: () => {} };

/** Makes the process's feed; see {@link ChangeFeed}. Whatever is appended in this process finds it by itself. */
export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  return new Feed(options);
}

class Feed implements ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #log: FeedLogger;
  readonly #session: ListenSession;
  readonly #hub: Hub;
  readonly #nudger: Nudger;
  readonly #streams = new Set<EventStream>();
  readonly #stopping = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  #pruning: Promise<void> | undefined;
  #unregister: (() => void) | undefined;
  #resyncs = 0;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    this.#log = options.logger ?? SILENT;
    this.#session = new ListenSession({
      databaseUrl: options.databaseUrl,
      channel: CHANNEL,
      heartbeatMs: options.heartbeatMs ?? 2_000,
      answerTimeoutMs: options.answerTimeoutMs ?? 4_000,
    });
    this.#hub = new Hub({
      db: this.#session,
      onError: (error) => {
        // The session says so itself, once, and reads on when it is back.
        if (!(error instanceof NotListeningError)) this.#log.warn({ err: error }, 'changes could not be read');
      },
    });
    const senderId = randomUUID();
    this.#nudger = new Nudger({
      pool: options.pool,
      senderId,
      local: () => this.#hub.nudge(),
      onError: (error) => this.#log.warn({ err: error }, 'NOTIFY failed; the floor poll covers it'),
    });
    this.#session.on('listening', () => {
      this.#log.info({ reconnects: this.#session.reconnects }, 'listening for changes');
      this.#hub.rewind();
    });
    this.#session.on('lost', (error) => this.#log.warn({ err: error }, 'the LISTEN connection is lost'));
    this.#session.on('notified', (payload) => {
      if (payload !== senderId) this.#hub.nudge();
    });
  }

  start(): void {
    if (this.#unregister) return;
    const { floorPollMs = 2_000, retention = {} } = this.#options;
    this.#unregister = registerNudger(this.#nudger);
    this.#session.start();
    this.#timers.push(setInterval(() => this.#hub.nudge(), floorPollMs));
    if (retention) this.#timers.push(setInterval(() => this.#prune(retention), retention.everyMs ?? 60_000));
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#unregister?.();
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of this.#streams) stream.fail(new FeedClosedError());
    this.#hub.close();
    await Promise.all([this.#session.close(), this.#nudger.settled(), this.#pruning]);
  }

  streamEntity(options: EntityStreamOptions): AsyncIterableIterator<StreamEvent> {
    const { entityType, entityId, after } = options;
    const version = after == null ? undefined : decodeEntityCursor(after, entityType, entityId).version;
    return this.#open({ entityType, entityId }, (context) => entityEvents(context, options, version));
  }

  streamList(options: ListStreamOptions): AsyncIterableIterator<StreamEvent> {
    const { entityType, after } = options;
    const cursor = after == null ? undefined : decodeListCursor(after, entityType);
    return this.#open({ entityType, entityId: null }, (context) => listEvents(context, options, cursor));
  }

  stats(): FeedStats {
    return {
      streams: this.#streams.size,
      listening: this.#session.isListening,
      reconnects: this.#session.reconnects,
      resyncs: this.#resyncs,
      lagMs: this.#hub.lagMs,
    };
  }

  #open(
    topic: Topic,
    events: (context: StreamContext) => AsyncIterator<StreamEvent, undefined>,
  ): AsyncIterableIterator<StreamEvent> {
    const stream = new EventStream(() => {
      if (this.#stopping.signal.aborted) throw new FeedClosedError();
      const mailbox = new Mailbox(topic.entityId === null ? CAPACITY.list : CAPACITY.entity);
      const unsubscribe = this.#hub.subscribe(topic, mailbox);
      this.#streams.add(stream);
      const onResync = (): void => {
        this.#resyncs += 1;
      };
      return {
        events: events({ pool: this.#options.pool, hub: this.#hub, mailbox, onResync }),
        stop: () => {
          unsubscribe();
          mailbox.close();
          this.#streams.delete(stream);
        },
      };
    });
    return stream;
  }

  #prune(retention: RetentionOptions): void {
    this.#pruning ??= pruneChanges(this.#options.pool, retention, this.#stopping.signal)
      .then((pruned) => {
        if (pruned > 0) this.#log.info({ pruned }, 'old changes removed');
      })
      .catch((error: unknown) => this.#log.warn({ err: error }, 'old changes could not be removed'))
      .finally(() => {
        this.#pruning = undefined;
      });
  }
}
