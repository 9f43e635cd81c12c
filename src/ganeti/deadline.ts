/** A signal that ends with any of several others or after a time, and how to let go of them. */
export interface Deadline {
  readonly signal: AbortSignal;
  release(): void;
}

/**
 * Ends after `ms` (null: never) with a `TimeoutError`, or earlier with the reason of a given signal. Written out because
 * `AbortSignal.any([AbortSignal.timeout(…)])` holds its parts weakly: under Node 20 they were collected and never fired.
 */
export function deadline(ms: number | null, signals: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  const expire = (): void => controller.abort(new DOMException('the time is over', 'TimeoutError'));
  const timer = ms === null ? undefined : setTimeout(expire, ms);
  const forward = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', forward, { once: true });
  }
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', forward);
    },
  };
}
