import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LoadedConfig, parseConfig } from '../../src/config.ts';
import type { Checkpoint } from '../../src/dispatcher/checkpoint.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { type Product, startProduct } from '../../src/product.ts';

/** A product under test: its own folder, its own port, log lines kept for reading. */
export interface TestProduct extends Product {
  readonly log: readonly string[];
  readonly dataDir: string;
}

/** The configuration of a product on a given database, polling fast; `overrides` are environment variables. */
export function testConfig(databaseUrl: string, dataDir: string, overrides: Record<string, string> = {}): LoadedConfig {
  const config = parseConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEY: 'a-secret-key-of-the-test-suite',
    POLL_BUSY_MS: '100',
    POLL_IDLE_MS: '300',
    RAPI_TIMEOUT_MS: '3000',
    SETTLE_MS: '3500',
    SIMULATED_CLUSTERS: '1',
    SIMULATOR_SPEED: '10',
    LOG_LEVEL: 'debug',
    ...overrides,
  });
  return { ...config, secretKey: config.secretKey as string };
}

/** Starts the whole product in this process, against a database of the test's own. */
export async function startTestProduct(
  databaseUrl: string,
  overrides: Record<string, string> = {},
  checkpoint?: Checkpoint,
): Promise<TestProduct> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'ganeti-graphql-'));
  const log: string[] = [];
  const logger = createLogger({ level: 'debug', destination: { write: (line: string) => void log.push(line) } });
  const product = await startProduct(testConfig(databaseUrl, dataDir, overrides), {
    logger,
    ...(checkpoint ? { checkpoint } : {}),
  });
  return {
    ...product,
    log,
    dataDir,
    async close() {
      await product.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
