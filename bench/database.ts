import pg from 'pg';
import { startEmbeddedPostgres } from '../src/database/embedded.ts';
import { migrate } from '../src/database/migrate.ts';
import { createPool } from '../src/database/pool.ts';
import { seedStatements } from './seed.ts';

/** One PostgreSQL for a whole run, with a seeded database to copy. */
export interface BenchDatabase {
  /** Makes a database of the scenario's own, seeded; @returns its connection string */
  copy(name: string): Promise<string>;
  stop(): Promise<void>;
}

const TEMPLATE = 'bench_template';

/** Starts the embedded PostgreSQL with its data below `folder`, migrates and seeds. */
export async function startBenchDatabase(folder: string): Promise<BenchDatabase> {
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    durable: false,
    settings: { max_connections: '400', shared_buffers: '256MB', log_checkpoints: 'off' },
  });
  const urlOf = (database: string): string => {
    const url = new URL(postgres.url);
    url.pathname = `/${database}`;
    return url.href;
  };
  const onServer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  try {
    await onServer(`CREATE DATABASE ${TEMPLATE}`);
    const pool = createPool(urlOf(TEMPLATE), { max: 1 });
    await migrate(pool);
    for (const statement of seedStatements()) await pool.query(statement);
    await pool.end();
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  return {
    async copy(name) {
      await onServer(`CREATE DATABASE bench_${name} TEMPLATE ${TEMPLATE}`);
      return urlOf(`bench_${name}`);
    },
    stop: () => postgres.stop(),
  };
}
