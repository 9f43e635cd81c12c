import type { Subscriber } from './hub.ts';
import type { PublishedChange } from './published.ts';

/**
 * How many changes wait for a stream, as references to events that are shared. 64 of one entity are 16 s of progress at
 * 4/s. A list is changed in bursts: one reconciliation may touch hundreds of its members in a moment.
 */
export const CAPACITY = { entity: 64, list: 1_024 } as const;

/**
 * What has been published and not yet been taken by one stream; one reader. When it is full it drops everything and is
 * `isBroken` until {@link reset}, so that a slow reader cannot grow the server.
 */
export class Mailbox implements Subscriber {
  readonly #capacity: number;
  readonly #changes: PublishedChange[] = [];
  #isBroken = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Something was dropped: the reader must look at the present state. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  deliver(change: PublishedChange): void {
    if (this.#isClosed || this.#isBroken) return;
    if (this.#changes.length === this.#capacity) {
      this.discontinue();
      return;
    }
    this.#changes.push(change);
    this.#signal();
  }

  discontinue(): void {
    this.#changes.length = 0;
    this.#isBroken = true;
    this.#signal();
  }

  /** The next change; undefined when there is none, or none that can be relied on. */
  take(): PublishedChange | undefined {
    return this.#changes.shift();
  }

  /** Resolves when there is a change to take, or the mailbox is broken or closed. */
  filled(): Promise<void> {
    if (this.#changes.length > 0 || this.#isBroken || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Empties it. What is read from the database after this call and what is delivered from now on have no gap between. */
  reset(): void {
    this.#changes.length = 0;
    this.#isBroken = false;
  }

  close(): void {
    this.#isClosed = true;
    this.#changes.length = 0;
    this.#signal();
  }

  #signal(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
