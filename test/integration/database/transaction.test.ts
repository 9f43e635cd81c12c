import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPool } from '../../../src/database/pool.ts';
import { CommitOutcomeUnknownError, inTransaction, sqlState, type Tx } from '../../../src/database/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let db: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  db = await createTestDatabase({ empty: true });
  pool = db.pool;
  await pool.query('CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)');
});
afterAll(() => db.drop());
beforeEach(() => pool.query('TRUNCATE account; INSERT INTO account VALUES (1, 0), (2, 0)'));

const balances = async () =>
  (await pool.query('SELECT balance FROM account ORDER BY id')).rows.map((row) => row.balance);
const add = (tx: Tx, id: number) => tx.query('UPDATE account SET balance = balance + 1 WHERE id = $1', [id]);

describe('a transaction', () => {
  test('commits and gives back the result', async () => {
    expect(await inTransaction(pool, async (tx) => (await add(tx, 1)).rowCount)).toBe(1);
    expect(await balances()).toEqual([1, 0]);
  });

  test('rolls back when its function throws, and throws the same', async () => {
    const failure = new Error('no');
    const failing = inTransaction(pool, async (tx) => {
      await add(tx, 1);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect(await balances()).toEqual([0, 0]);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  test('states isolation level and limits, for itself only', async () => {
    await pool.query(
      `ALTER DATABASE ${new URL(db.url).pathname.slice(1)} SET default_transaction_isolation = 'serializable'`,
    );
    const fresh = createPool(db.url, { max: 1 });
    const settings = `SELECT current_setting('transaction_isolation') AS level, current_setting('lock_timeout') AS lock,
      current_setting('statement_timeout') AS statement`;
    const inside = await inTransaction(fresh, (tx) => tx.query(settings), {
      lockTimeoutMs: 250,
      statementTimeoutMs: 500,
    });
    expect(inside.rows).toEqual([{ level: 'read committed', lock: '250ms', statement: '500ms' }]);
    const byDefault = await inTransaction(fresh, (tx) => tx.query(settings));
    expect(byDefault.rows).toEqual([{ level: 'read committed', lock: '2s', statement: '30s' }]);
    expect((await fresh.query(settings)).rows).toEqual([{ level: 'serializable', lock: '0', statement: '30s' }]);
    await fresh.end();
  });

  test('is an error when a failed statement in it was ignored', async () => {
    const ignoring = inTransaction(pool, async (tx) => {
      await add(tx, 1);
      await tx.query('SELECT 1/0').catch(() => {});
    });
    await expect(ignoring).rejects.toThrow(/rolled back/);
    expect(await balances()).toEqual([0, 0]);
  });

  test('takes no statement after its end', async () => {
    let kept: Tx | undefined;
    await inTransaction(pool, async (tx) => {
      kept = tx;
    });
    await expect(add(kept as Tx, 1)).rejects.toThrow('The transaction is over');
  });
});

describe('what is to happen after the commit', () => {
  test('happens once, in order, when the rows can be seen', async () => {
    const seen: unknown[] = [];
    const done = new Promise<void>((resolve) => {
      void inTransaction(pool, async (tx) => {
        tx.afterCommit(async () => {
          seen.push('first');
          seen.push(await balances());
          resolve();
        });
        tx.afterCommit(() => seen.push('second'));
        await add(tx, 1);
        expect(seen).toEqual([]);
      });
    });
    await done;
    expect(seen).toEqual(['first', 'second', [1, 0]]);
  });

  test('does not happen after a rollback, nor for an attempt that was repeated', async () => {
    const seen: number[] = [];
    let attempt = 0;
    await inTransaction(pool, async (tx) => {
      attempt += 1;
      const mine = attempt;
      tx.afterCommit(() => seen.push(mine));
      if (mine < 3) throw Object.assign(new Error('deadlock'), { code: '40P01' });
    });
    expect(seen).toEqual([3]);
    const failing = inTransaction(pool, async (tx) => {
      tx.afterCommit(() => seen.push(-1));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(seen).toEqual([3]);
  });

  test('may fail: the transaction stands and the error is reported', async () => {
    const errors: string[] = [];
    const own = createPool(db.url, { max: 1, onError: (error) => errors.push(error.message) });
    await inTransaction(own, async (tx) => {
      tx.afterCommit(() => {
        throw new Error('thrown');
      });
      tx.afterCommit(() => Promise.reject(new Error('rejected')));
      await add(tx, 2);
    });
    await expect.poll(() => errors).toEqual(['thrown', 'rejected']);
    expect(await balances()).toEqual([0, 1]);
    await own.end();
  });
});

describe('locks', () => {
  test('two that deadlock both get through', async () => {
    let arrived = 0;
    let bothHere: () => void = () => {};
    const meeting = new Promise<void>((resolve) => {
      bothHere = resolve;
    });
    const attempts = { first: 0, second: 0 };
    const cross = (who: 'first' | 'second', ids: [number, number]) =>
      inTransaction(pool, async (tx) => {
        attempts[who] += 1;
        await add(tx, ids[0]);
        arrived += 1;
        if (arrived === 2) bothHere();
        await meeting;
        await add(tx, ids[1]);
      });
    await Promise.all([cross('first', [1, 2]), cross('second', [2, 1])]);
    expect(await balances()).toEqual([2, 2]);
    expect(attempts.first + attempts.second).toBeGreaterThan(2);
  });

  test.each([
    [0, 1],
    [2, 3],
    [99, 4],
  ])('a lock that is not had: %i retries make %i attempts', async (retries, attempts) => {
    const holder = await pool.connect();
    await holder.query('BEGIN; UPDATE account SET balance = 9 WHERE id = 1');
    let made = 0;
    const waiting = inTransaction(
      pool,
      async (tx) => {
        made += 1;
        await add(tx, 1);
      },
      { lockTimeoutMs: 20, retries },
    );
    await expect(waiting).rejects.toSatisfy((error) => sqlState(error) === '55P03');
    expect(made).toBe(attempts);
    await holder.query('ROLLBACK');
    holder.release();
  });

  test('no other error is retried', async () => {
    let made = 0;
    const failing = inTransaction(pool, async (tx) => {
      made += 1;
      await tx.query('INSERT INTO account VALUES (1, 0)');
    });
    await expect(failing).rejects.toSatisfy((error) => sqlState(error) === '23505');
    expect(made).toBe(1);
  });
});

describe('a broken connection', () => {
  const cut = async (tx: Tx) => {
    const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    // Until the server has really ended it.
    await expect
      .poll(async () => (await pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [rows[0]?.pid])).rowCount)
      .toBe(0);
  };

  test('is thrown away', async () => {
    const own = createPool(db.url, { max: 1 });
    const failing = inTransaction(own, async (tx) => {
      await cut(tx);
      await add(tx, 1);
    });
    await expect(failing).rejects.toThrow();
    expect(own.totalCount).toBe(0);
    expect(await inTransaction(own, async (tx) => (await add(tx, 1)).rowCount)).toBe(1);
    await own.end();
  });

  test('during COMMIT leaves the outcome unknown, and no hook runs', async () => {
    const own = createPool(db.url, { max: 1 });
    let ran = false;
    const failing = inTransaction(own, async (tx) => {
      tx.afterCommit(() => {
        ran = true;
      });
      await cut(tx);
    });
    await expect(failing).rejects.toThrow(CommitOutcomeUnknownError);
    expect(ran).toBe(false);
    expect(own.totalCount).toBe(0);
    await own.end();
  });
});
