import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../database/pool.ts';
import type { EntityType } from './append.ts';
import { ProgressCoalescer } from './coalesce.ts';
import { coveredSoFar, isDiscontinuous, type Position, positionAt, rewind, settle } from './position.ts';
import { PublishedChange } from './published.ts';
import { type Page, readNew, readSnapshot } from './reader.ts';
import { type ChangeRecord, entityKey } from './record.ts';
import type { Snapshot } from './snapshot.ts';

/** A stream, as the hub sees it. Both must return at once. */
export interface Subscriber {
  deliver(change: PublishedChange): void;
  /** Changes may be missing from here on: the database went back in time, or pruned what had not been read. */
  discontinue(): void;
}

/** A topic: one entity's changes, or with `entityId` null those of all of a type. */
export interface Topic {
  readonly entityType: EntityType;
  readonly entityId: string | null;
}

interface HubOptions {
  /** The session whose loss calls {@link Hub.rewind}. */
  readonly db: Queryable;
  readonly onError: (error: unknown) => void;
}

/** A busy system is read at most about 200 times a second, rather than once for each commit. */
const GAP_MS = 5;

/** Then the streams get their turn, so that only a reader that is slow overflows, not one that was not asked. */
const TURN_ROWS = 32;

/**
 * The process's one reader of the record. Nudged, it reads what is new and hands each change to the streams of its entity
 * and of its list. While nobody listens it reads nothing; the first subscriber makes it take a position.
 */
export class Hub {
  readonly #options: HubOptions;
  readonly #topics = new Map<string, Set<Subscriber>>();
  readonly #coalescer = new ProgressCoalescer((record) => this.#publish(record));
  #position: Position | undefined;
  #whenReady: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #isDirty = false;
  #isReading = false;
  #isClosed = false;
  #clockAheadMs = 0;
  #nudgedAt: number | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  /** What has been committed since the last read is read now, or as soon as the read under way is done. */
  nudge(): void {
    if (this.#isClosed || this.#topics.size === 0) return;
    this.#isDirty = true;
    this.#nudgedAt ??= performance.now();
    if (!this.#isReading) void this.#readAll();
  }

  /** After a lost connection: read again what a crash of PostgreSQL may have put behind our position, and go on. */
  rewind(): void {
    if (this.#position) rewind(this.#position);
    this.nudge();
  }

  /**
   * From now on the subscriber is told of changes. Once {@link ready} has resolved, of every change that is not visible to
   * a statement begun before.
   *
   * @returns ends it; may be called again
   */
  subscribe(topic: Topic, subscriber: Subscriber): () => void {
    const key = topicKey(topic);
    const subscribers = this.#topics.get(key) ?? new Set();
    this.#topics.set(key, subscribers.add(subscriber));
    if (!this.#position) this.nudge();
    return () => {
      if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
      if (this.#topics.get(key) === subscribers) this.#topics.delete(key);
      if (this.#topics.size === 0) this.#rest();
    };
  }

  /** Resolves when the hub has a position; waits for the database when that is away. */
  ready(): Promise<void> {
    if (this.#position) return Promise.resolve();
    if (!this.#whenReady) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#whenReady = { promise, resolve };
    }
    return this.#whenReady.promise;
  }

  /** The database's clock, as far as it was heard of. */
  now(): Date {
    return new Date(Date.now() + this.#clockAheadMs);
  }

  /** For how long the hub has known of something new without having read it; 0 when it is current. */
  get lagMs(): number {
    return this.#nudgedAt === undefined ? 0 : Math.ceil(performance.now() - this.#nudgedAt);
  }

  close(): void {
    this.#isClosed = true;
    this.#topics.clear();
    this.#rest();
    this.#whenReady?.resolve();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      // Those who commit and nudge in the same turn of the event loop share the read.
      await Promise.resolve();
      while (this.#isDirty && !this.#isClosed && this.#topics.size > 0) {
        const nudgedAt = performance.now();
        this.#isDirty = false;
        await this.#read();
        this.#nudgedAt = this.#isDirty ? nudgedAt : undefined;
        if (this.#isDirty) await sleep(GAP_MS);
      }
    } catch (error) {
      // The floor poll or the new connection will try again.
      this.#options.onError(error);
    } finally {
      this.#isReading = false;
      if (this.#topics.size === 0) this.#rest();
    }
  }

  async #read(): Promise<void> {
    const position = this.#position;
    if (!position) return this.#begin();
    do {
      const { batch } = position;
      const page = await readNew(this.#options.db, position.since, batch);
      // Rewound or given up while the answer was on its way: what is read next has it, too.
      if (position !== this.#position || position.batch !== batch) return;
      this.#clockAheadMs = page.now.getTime() - Date.now();
      if (!batch && isDiscontinuous(position, page)) return this.#discontinue(page.snapshot);
      await this.#takeIn(position, page);
    } while (position.batch);
    position.recent.advance(position.since);
  }

  async #begin(): Promise<void> {
    const { snapshot, now } = await readSnapshot(this.#options.db);
    this.#clockAheadMs = now.getTime() - Date.now();
    this.#position = positionAt(snapshot);
    this.#whenReady?.resolve();
    this.#whenReady = undefined;
  }

  async #takeIn(position: Position, page: Page): Promise<void> {
    const batch = position.batch ?? { upTo: page.snapshot, afterId: 0n };
    position.batch = batch;
    position.latest = batch.upTo;
    const last = page.isLast ? page.records.at(-1) : undefined;
    for (const [index, record] of page.records.entries()) {
      if (index % TURN_ROWS === TURN_ROWS - 1) {
        await immediate();
        if (position !== this.#position || position.batch !== batch) return;
      }
      // Held progress goes first, still with the cursor of what came before.
      const held = record.isProgress ? undefined : this.#coalescer.take(record.entityType, record.entityId);
      if (held) this.#publish(held);
      batch.afterId = record.id;
      if (record === last) settle(position, batch.upTo);
      if (!this.#isWanted(record) || position.recent.has(record)) continue;
      position.recent.add(record);
      if (!record.isProgress || this.#coalescer.admit(record)) this.#publish(record);
    }
    if (page.isLast) settle(position, batch.upTo);
  }

  #isWanted({ entityType, entityId }: ChangeRecord): boolean {
    return this.#topics.has(entityKey(entityType, entityId)) || this.#topics.has(entityType);
  }

  #publish(record: ChangeRecord): void {
    const ofEntity = this.#topics.get(entityKey(record.entityType, record.entityId));
    const ofList = this.#topics.get(record.entityType);
    const change = new PublishedChange(
      record,
      coveredSoFar(this.#position!),
      this.#coalescer.heldOf(record.entityType),
    );
    for (const subscriber of ofEntity ?? []) subscriber.deliver(change);
    for (const subscriber of ofList ?? []) subscriber.deliver(change);
  }

  #discontinue(snapshot: Snapshot): void {
    this.#coalescer.clear();
    this.#position = positionAt(snapshot);
    for (const subscribers of this.#topics.values()) for (const subscriber of subscribers) subscriber.discontinue();
  }

  #rest(): void {
    this.#coalescer.clear();
    this.#isDirty = false;
    this.#nudgedAt = undefined;
    this.#position = undefined;
  }
}

function topicKey({ entityType, entityId }: Topic): string {
  return entityId === null ? entityType : entityKey(entityType, entityId);
}
