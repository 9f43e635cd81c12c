/** Named exclusive locks in first-come order, all of a holder's taken in one fixed order so that nobody waits in a circle. */
export class Locks {
  readonly #held = new Map<string, (() => void)[]>();

  /** Resolves with the release when all are held. Rejects with the signal's reason when that comes first. */
  async acquire(names: readonly string[], signal: AbortSignal): Promise<() => void> {
    const taken: string[] = [];
    const release = (): void => {
      for (const name of taken.splice(0)) this.#release(name);
    };
    try {
      for (const name of [...new Set(names)].sort()) {
        await this.#take(name, signal);
        taken.push(name);
      }
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  #take(name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const queue = this.#held.get(name);
    if (queue === undefined) {
      this.#held.set(name, []);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        queue.splice(queue.indexOf(proceed), 1);
        reject(signal.reason);
      };
      queue.push(proceed);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #release(name: string): void {
    const next = this.#held.get(name)?.shift();
    if (next === undefined) this.#held.delete(name);
    else next();
  }
}
