/** A question from the main process to one of its children. */
export interface Call {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

/** The child's answer to the call with that id. */
export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/**
 * In a child process: answers the main process's calls, and ends when the main process is gone, however that went.
 * Every child answers `cpuMicros` with the processor time, user and system, that it has used so far.
 */
export function answerCalls(handlers: Readonly<Record<string, (argument: never) => unknown>>): void {
  const all: Readonly<Record<string, (argument: never) => unknown>> = { cpuMicros, ...handlers };
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole process group; the main process ends its children in its own time.
  process.on('SIGINT', () => {});
  process.on('message', ({ id, name, argument }: Call) => {
    const answer = (rest: Omit<Answer, 'id'>): void => void process.send?.({ id, ...rest } satisfies Answer);
    Promise.resolve(argument)
      .then(all[name] as (argument: unknown) => unknown)
      .then(
        (value) => answer({ value }),
        (error: unknown) => answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
}

/** Milliseconds of the one clock that all processes of a machine share and nobody adjusts. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
