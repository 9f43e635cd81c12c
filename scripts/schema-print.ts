/**
 * `npm run schema:print`: writes the schema as SDL, sorted, to schema/schema.graphql, the contract that clients see.
 * With `--check` it writes nothing and fails when that file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../src/schema.ts';

const file = fileURLToPath(new URL('../schema/schema.graphql', import.meta.url));
const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`;

if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== sdl) {
    process.stderr.write('schema/schema.graphql is stale: npm run schema:print\n');
    process.exitCode = 1;
  }
} else {
  await writeFile(file, sdl);
}
