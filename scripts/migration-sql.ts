/**
 * Prints the SQL of a change of prisma/schema.prisma, to be put into prisma/migrations/<timestamp>_<name>/migration.sql
 * together with what Prisma cannot express (partial indexes, exclusion constraints, checks, triggers).
 *
 *   npm run --silent db:diff                     from the last commit's schema
 *   npm run --silent db:diff -- --from <file>    from another schema file
 *   npm run --silent db:diff -- --from-empty     everything
 *
 * It compares schema files and no database: the engine cannot read back a database with a "char" column.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { DiffTarget } from '@prisma/schema-engine-wasm';
import { startEmbeddedPostgres } from '../src/database/embedded.ts';
import { createPool } from '../src/database/pool.ts';
import { openSchemaEngine } from './schema-engine.ts';

const PATH = 'prisma/schema.prisma';
const root = fileURLToPath(new URL('..', import.meta.url));

const { values } = parseArgs({ options: { from: { type: 'string' }, 'from-empty': { type: 'boolean' } } });

function schema(content: string): DiffTarget {
  return { tag: 'schemaDatamodel', files: [{ path: PATH, content }] };
}

async function startingPoint(): Promise<DiffTarget> {
  if (values['from-empty']) return { tag: 'empty' };
  if (values.from !== undefined) return schema(await readFile(values.from, 'utf8'));
  return schema(execFileSync('git', ['show', `HEAD:${PATH}`], { cwd: root, encoding: 'utf8' }));
}

const from = await startingPoint();
const dataDir = await mkdtemp(path.join(tmpdir(), 'ganeti-graphql-diff-'));
const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
const pool = createPool(postgres.url, { max: 2 });
try {
  const engine = await openSchemaEngine(pool);
  const { stdout } = await engine.diff({
    from,
    to: schema(await readFile(path.join(root, PATH), 'utf8')),
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  process.stdout.write(stdout ?? '');
} finally {
  await pool.end();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
