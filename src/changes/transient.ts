import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailbox } from './mailbox.ts';

/**
 * Failures of a restart or a broken connection, by SQLSTATE (the server stops, starts, or has no connection left), by
 * Node's code, and by Prisma's (cannot reach, timed out, closed, pool exhausted).
 */
const CODES = new Set(
  `57P01 57P02 57P03 53300 ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN
   P1001 P1002 P1008 P1017 P2024`.split(/\s+/),
);
/** `pg` gives these no code. */
const MESSAGES =
  /connection terminated|connection ended|client has encountered a connection error|not queryable|timeout/i;

/** A restart is meant to be over in 15 s. After four times that the stream fails, and its client tries again later. */
const GIVE_UP_AFTER_MS = 60_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

/** Whether the same statement may work in a moment, on a new connection. */
export function isTransient(error: unknown): boolean {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const { code } = cause as Error & { code?: unknown };
    if (typeof code === 'string' && (CODES.has(code) || /^08\w{3}$/.test(code))) return true;
    if (code === undefined && MESSAGES.test(cause.message)) return true;
  }
  return false;
}

/**
 * Has `read` tried again while the database is away, so that an open stream outlives its restart.
 *
 * @throws the last error, when it is of another kind, the stream was closed, or 60 s have passed
 */
export async function outlivingRestart<Result>(mailbox: Mailbox, read: () => Promise<Result>): Promise<Result> {
  const begunAt = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (mailbox.isClosed || !isTransient(error) || performance.now() - begunAt > GIVE_UP_AFTER_MS) throw error;
      const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
      await sleep(longest * (0.5 + Math.random() / 2));
    }
  }
}
