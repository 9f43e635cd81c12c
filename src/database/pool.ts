import pg from 'pg';

/** What a statement can be sent to: the pool, or a transaction on one of its clients. */
export interface Queryable {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
}

export interface PoolOptions {
  /** Most connections at once. PostgreSQL's own default limit is 100 for all replicas together. */
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** A statement that runs longer is ended by the server. 0: no limit. */
  readonly statementTimeoutMs?: number;
  /** Told about lost idle connections and failing after-commit hooks; they are repaired, not fatal. */
  readonly onError?: (error: Error) => void;
}

/** OIDs of types whose default parsing by `pg` would lose something. */
const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMP = 1114;
const TEXT_ARRAY = 1009;

type Oid = Parameters<typeof pg.types.getTypeParser>[0];

const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY as Oid, 'text') as (text: string) => (string | null)[];

/**
 * int8 becomes a bigint (versions, Ganeti times in µs: a number would round beyond 2^53), so `count(*)` is `1n`:
 * cast to `::int` where a number is wanted. timestamptz becomes a Date, timestamp one too, read as UTC as Prisma
 * writes it (pg alone would take the machine's zone). xid8 and numeric stay text, json and jsonb are parsed.
 */
const parsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary') {
      if (oid === INT8) return BigInt;
      if (oid === INT8_ARRAY) {
        return (text: string) => parseTextArray(text).map((item) => (item === null ? null : BigInt(item)));
      }
      if (oid === TIMESTAMP) return (text: string) => new Date(`${text.replace(' ', 'T')}Z`);
    }
    return pg.types.getTypeParser(oid, format as 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * Makes the process's one connection pool, which Prisma shares. No connection is opened yet.
 * A restart of PostgreSQL fails the statements under way, never the process.
 */
export function createPool(url: string, options: PoolOptions = {}): pg.Pool {
  const onError = options.onError ?? (() => {});
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 20,
    application_name: options.applicationName ?? 'ganeti-graphql',
    types: parsers,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    // A transaction whose owner hangs must not keep its row locks: rule 3 allows no waiting inside one anyhow.
    idle_in_transaction_session_timeout: 15_000,
  });
  pool.on('error', onError);
  // The pool listens to idle clients only; one that breaks between two statements of a transaction would
  // otherwise raise an unhandled 'error' event. Its next statement fails, which is where it is dealt with.
  pool.on('connect', (client) => {
    client.on('error', () => {});
  });
  return pool;
}
