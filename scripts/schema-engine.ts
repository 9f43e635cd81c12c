import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import type pg from 'pg';

/** What we use of the generated glue around the WebAssembly module. */
interface Glue {
  SchemaEngine: { new: (options: object, log: (line: string) => void, factory: object) => Promise<SchemaEngine> };
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
}

/** The glue keeps one WebAssembly instance per process. */
let loaded: Promise<Glue> | undefined;

async function load(): Promise<Glue> {
  const glueFile = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const glue = (await import(glueFile)) as Glue;
  // Node 20 imports no .wasm by itself, so this does what the package's own entry would.
  const wasm = await readFile(path.join(path.dirname(glueFile), 'schema_engine_bg.wasm'));
  const imports = { './schema_engine_bg.js': glue as unknown as WebAssembly.ModuleImports };
  const { instance } = await WebAssembly.instantiate(wasm, imports);
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return glue;
}

/**
 * Prisma's schema engine as WebAssembly: the native one has to be downloaded, which a closed network does not allow.
 * For developers and tests; it is Prisma's internal package, pinned in package.json.
 *
 * @param pool - a database; the engine connects at once, also when it is only to compare two schemas. End the pool
 *   when done with the engine: that also gives back the advisory lock that it takes and keeps.
 */
export async function openSchemaEngine(pool: pg.Pool): Promise<SchemaEngine> {
  loaded ??= load();
  const factory = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  return (await loaded).SchemaEngine.new({ datamodels: undefined }, () => {}, factory);
}

/** The migrations folder in the shape that the engine takes. */
export async function readMigrationList(folder: string): Promise<MigrationList> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const lockfile = path.join(folder, 'migration_lock.toml');
  return {
    baseDir: folder,
    lockfile: { path: 'migration_lock.toml', content: await readFile(lockfile, 'utf8').catch(() => null) },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(path.join(folder, name, 'migration.sql'), 'utf8') },
        },
      })),
    ),
  };
}
