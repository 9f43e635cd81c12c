/**
 * Does what `prisma migrate deploy` does and prints the names of the migrations applied: `<url> <folder>`.
 * A process of its own, since the engine leaves a timer behind.
 */

import { openSchemaEngine, readMigrationList } from '../../../scripts/schema-engine.ts';
import { createPool } from '../../../src/database/pool.ts';

const [url = '', folder = ''] = process.argv.slice(2);
const engine = await openSchemaEngine(createPool(url, { max: 2 }));
const filters = { externalTables: [], externalEnums: [] };
const { appliedMigrationNames } = await engine.applyMigrations({
  migrationsList: await readMigrationList(folder),
  filters,
});
process.stdout.write(JSON.stringify(appliedMigrationNames), () => process.exit());
