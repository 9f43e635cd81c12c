/** `[seconds, microseconds]`, as Ganeti writes times. */
export type GanetiTime = [seconds: number, microseconds: number];

/**
 * The simulator's time: real timestamps, and pauses that last as long as on a real cluster divided by `speed`. Timestamps
 * strictly increase, so that the order of log lines can be told.
 */
export class Clock {
  speed: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #lastUs = 0;
  #stopped = false;

  constructor(speed: number) {
    this.speed = speed;
  }

  /** Now. */
  now(): GanetiTime {
    const us = Math.max(Math.floor((performance.timeOrigin + performance.now()) * 1000), this.#lastUs + 1);
    this.#lastUs = us;
    return [Math.floor(us / 1_000_000), us % 1_000_000];
  }

  /** Now, as seconds with a fraction: Ganeti's `ctime` and `mtime`. */
  seconds(): number {
    const [seconds, micros] = this.now();
    return seconds + micros / 1_000_000;
  }

  /** Now in nanoseconds, beyond 2^53 as in Ganeti's reason trails. */
  nanoseconds(): number {
    const [seconds, micros] = this.now();
    return seconds * 1e9 + micros * 1e3;
  }

  /** Lasts `ms` of a real cluster's time. Never ends once the clock stopped: what was running then is lost, as by a crash. */
  async pause(ms: number): Promise<void> {
    await this.wait(ms / this.speed);
  }

  /** Lasts `ms` of wall clock, for what does not scale (a long-poll). */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stopped) return;
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.add(timer);
    });
  }

  /** Ends time. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
