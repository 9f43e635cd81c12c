import type { StreamEvent } from './event.ts';

/** The feed was closed under a stream: the process shuts down. The client may go on elsewhere with its last cursor. */
export class FeedClosedError extends Error {
  override readonly name = 'FeedClosedError';

  constructor() {
    super('The server is shutting down');
  }
}

/** A subscription at work. */
export interface RunningStream {
  readonly events: AsyncIterator<StreamEvent, undefined>;
  /** Unsubscribes; `events` must come to an end by itself soon after. */
  stop(): void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

interface Waiting {
  resolve(result: IteratorResult<StreamEvent, undefined>): void;
  reject(error: unknown): void;
}

/**
 * The iterator that a subscription is given. A generator alone would not do: its `return()` waits until the generator wakes
 * from what it awaits, which may be never, and until then the client that went away would stay subscribed.
 * Nothing is subscribed before the first `next()`, so that an iterator nobody reads leaves nothing behind.
 */
export class EventStream implements AsyncIterableIterator<StreamEvent, undefined> {
  readonly #start: () => RunningStream;
  readonly #waiting = new Set<Waiting>();
  #running: RunningStream | undefined;
  #isDone = false;
  #failure: Error | undefined;

  constructor(start: () => RunningStream) {
    this.#start = start;
  }

  next(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (this.#isDone) return this.#afterEnd();
    try {
      this.#running ??= this.#start();
    } catch (error) {
      this.#end();
      return Promise.reject(error);
    }
    const { events } = this.#running;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { resolve, reject };
      this.#waiting.add(waiting);
      events.next().then(
        (result) => {
          this.#waiting.delete(waiting);
          if (result.done) this.#end();
          resolve(result);
        },
        (error: unknown) => {
          this.#waiting.delete(waiting);
          this.#end();
          reject(error);
        },
      );
    });
  }

  return(): Promise<IteratorResult<StreamEvent, undefined>> {
    this.#end();
    for (const { resolve } of this.#waiting) resolve(DONE);
    this.#waiting.clear();
    return Promise.resolve(DONE);
  }

  throw(error: unknown): Promise<IteratorResult<StreamEvent, undefined>> {
    void this.return();
    return Promise.reject(error);
  }

  /** Ends the stream from our side: whoever waits, or else asks next, is given the error. */
  fail(error: Error): void {
    if (this.#isDone) return;
    this.#end();
    if (this.#waiting.size === 0) this.#failure = error;
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #afterEnd(): Promise<IteratorResult<StreamEvent, undefined>> {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure ? Promise.reject(failure) : Promise.resolve(DONE);
  }

  #end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#running?.stop();
    this.#running = undefined;
  }
}
