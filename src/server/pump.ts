import type { ExecutionResult } from 'graphql';

/** One stream of results on its way to one client. */
export interface Pump {
  /** Resolves when the source ended or {@link Pump.stop} was called; rejects with what the source threw. */
  done: Promise<void>;
  /** Ends the stream from the client's side. Needs no answer of the source, which may be asleep until its next event. */
  stop(): void;
}

/**
 * Carries results from `source` to `write`, one at a time: while `write` has not resolved, the source is not asked for
 * more. That is all the back-pressure there is, and it is what lets a source coalesce the changes a slow client missed
 * into one RESYNC in place of a queue.
 */
export function startPump(
  source: AsyncIterable<ExecutionResult>,
  write: (result: ExecutionResult) => void | Promise<void>,
  onReturnFailed: (error: unknown) => void,
): Pump {
  const iterator = source[Symbol.asyncIterator]();
  let stopped = false;
  let settle: () => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const done = new Promise<void>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });

  function release(): void {
    stopped = true;
    // Not awaited: a source written as an async generator answers return() only after its pending next().
    (async () => iterator.return?.())().catch(onReturnFailed);
  }

  async function run(): Promise<void> {
    while (!stopped) {
      const { done: ended, value } = await iterator.next();
      if (ended || stopped) return;
      const room = write(value);
      // Awaiting only a real wait saves one turn of the microtask queue per delivery.
      if (room) await room;
    }
  }

  run().then(settle, (error: unknown) => {
    if (stopped) return;
    release();
    fail(error);
  });

  return {
    done,
    stop() {
      if (stopped) return;
      release();
      settle();
    },
  };
}
