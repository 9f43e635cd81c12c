/**
 * A semaphore in first-come order. RAPI forks one child for each connection and serves nobody at all with 21 of them open
 * (measured: 8 s of silence), and other tools share the 20: a client keeps to 4.
 */
export class ConnectionSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Runs a task in a slot of its own; rejects with the signal's reason when that comes first. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#take(signal);
    try {
      return await task();
    } finally {
      this.#give();
    }
  }

  async #take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const proceed = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
        reject(signal?.reason);
      };
      this.#waiting.push(proceed);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  // A slot goes straight to the next in line, so a newcomer cannot overtake it.
  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
