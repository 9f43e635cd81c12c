import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createPool } from '../../src/database/pool.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the test server's maintenance database. */
    databaseServerUrl: string;
  }
}

/** The migrated, empty database that every test database is a copy of. */
export const TEMPLATE = 'template_ganeti_graphql';

/** Starts the one PostgreSQL of a test run and migrates the template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'ganeti-graphql-test-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    durable: false,
    // Test files run side by side, each with pools of its own.
    settings: { max_connections: '400', shared_buffers: '128MB', log_checkpoints: 'off' },
  });
  const teardown = async (): Promise<void> => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const server = new URL(postgres.url);
    server.pathname = '/postgres';
    const admin = new pg.Client({ connectionString: server.href });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${TEMPLATE}`);
    await admin.end();
    const template = new URL(server);
    template.pathname = `/${TEMPLATE}`;
    const pool = createPool(template.href, { max: 1 });
    await migrate(pool);
    await pool.end();
    project.provide('databaseServerUrl', server.href);
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}
