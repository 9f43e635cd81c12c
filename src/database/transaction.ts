import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Queryable } from './pool.ts';

/** A transaction under way: statements go through it, one after the other. */
export interface Tx extends Queryable {
  /**
   * Has `hook` run once, after the commit and before {@link inTransaction} resolves; never after a rollback.
   * For nudges that may be lost: its failure is reported to the pool's error listener and changes nothing.
   */
  afterCommit(hook: () => unknown): void;
}

export interface TransactionOptions {
  /** How long one statement may wait for a lock before it fails with 55P03. 0: for ever. */
  readonly lockTimeoutMs?: number;
  /** How long one statement may run before it fails with 57014; the pool's limit when undefined. */
  readonly statementTimeoutMs?: number;
  /** How often the whole transaction is tried again after a deadlock or a lock timeout; at most 3. */
  readonly retries?: number;
}

/** The connection broke while COMMIT was under way: the transaction may have been committed or not. */
export class CommitOutcomeUnknownError extends Error {
  override readonly name = 'CommitOutcomeUnknownError';
}

const DEADLOCK_DETECTED = '40P01';
const LOCK_NOT_AVAILABLE = '55P03';
const MAX_RETRIES = 3;

/**
 * Runs `fn` in one READ COMMITTED transaction (stated, since a server's default may be set to another level).
 * A deadlock or lock timeout rolls back and runs `fn` again, after 10–60 ms at first, so `fn` must do nothing
 * that a rollback does not undo. A client whose connection broke is thrown away.
 *
 * @throws whatever `fn` throws, after the rollback
 * @throws CommitOutcomeUnknownError when nobody can say whether the commit took place
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  fn: (tx: Tx) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  const retries = Math.min(options.retries ?? MAX_RETRIES, MAX_RETRIES);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await once(pool, fn, options);
    } catch (error) {
      if (attempt >= retries || !isLockFailure(error)) throw error;
      // Full jitter: two that deadlocked must not meet again.
      await sleep(10 + Math.random() * 50 * 2 ** attempt);
    }
  }
}

/** Whether `error` is a deadlock (40P01) or a lock that was not had in time (55P03). */
export function isLockFailure(error: unknown): boolean {
  const code = sqlState(error);
  return code === DEADLOCK_DETECTED || code === LOCK_NOT_AVAILABLE;
}

/** The five-character SQLSTATE of an error that the server reported; undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined;
  // Node's own codes (EPIPE is five long, too) come with a system call.
  return typeof code === 'string' && code.length === 5 && !('syscall' in (error as Error)) ? code : undefined;
}

async function once<Result>(
  pool: pg.Pool,
  fn: (tx: Tx) => Promise<Result>,
  options: TransactionOptions,
): Promise<Result> {
  const client = await pool.connect();
  const hooks: (() => unknown)[] = [];
  const tx = new ClientTransaction(client, hooks);
  let result: Result;
  let broken: Error | boolean = false;
  try {
    await client.query(beginning(options));
    result = await fn(tx);
    tx.isOpen = false;
    await commit(client);
  } catch (error) {
    tx.isOpen = false;
    broken = error instanceof CommitOutcomeUnknownError || (await rollBack(client));
    throw error;
  } finally {
    client.release(broken);
  }
  for (const hook of hooks) runHook(pool, hook);
  return result;
}

class ClientTransaction implements Tx {
  isOpen = true;
  readonly #client: pg.PoolClient;
  readonly #hooks: (() => unknown)[];

  constructor(client: pg.PoolClient, hooks: (() => unknown)[]) {
    this.#client = client;
    this.#hooks = hooks;
  }

  query<Row extends pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    // The client may serve another transaction by now; a statement that was not awaited must not land there.
    if (!this.isOpen) return Promise.reject(new Error('The transaction is over'));
    return this.#client.query<Row>(statement as string, values as unknown[]);
  }

  afterCommit(hook: () => unknown): void {
    this.#hooks.push(hook);
  }
}

/** One round trip for BEGIN and the limits. */
function beginning({ lockTimeoutMs = 2_000, statementTimeoutMs }: TransactionOptions): string {
  const limits = [`SET LOCAL lock_timeout = ${Math.round(lockTimeoutMs)}`];
  if (statementTimeoutMs !== undefined) limits.push(`SET LOCAL statement_timeout = ${Math.round(statementTimeoutMs)}`);
  return ['BEGIN ISOLATION LEVEL READ COMMITTED', ...limits].join('; ');
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error: unknown) => {
    // A deferred constraint's failure has a SQLSTATE and means a rollback. 57P01 (the server is told to stop) may
    // come after the commit, as a broken socket may.
    const code = sqlState(error);
    if (code !== undefined && !code.startsWith('57P') && !code.startsWith('08')) throw error;
    throw new CommitOutcomeUnknownError('The connection broke during COMMIT', { cause: error });
  });
  // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and no error.
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a failed statement in it was ignored');
}

/** Gives true when the client is of no more use. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => false,
    () => true,
  );
}

function runHook(pool: pg.Pool, hook: () => unknown): void {
  const report = (error: unknown): void => {
    pool.emit('error', error instanceof Error ? error : new Error(String(error)), undefined as never);
  };
  try {
    Promise.resolve(hook()).catch(report);
  } catch (error) {
    report(error);
  }
}
