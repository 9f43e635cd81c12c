/** Ours: the whole product as `npm start` runs it, on a database that it is given. */
import { answerCalls } from '../channel.ts';
import { compiled } from '../compiled.ts';
import { commitChanges } from './machine-change.ts';
import type { ServerOptions } from './server-options.ts';

async function start({ databaseUrl }: ServerOptions): Promise<string> {
  const { parseConfig } = await compiled<typeof import('../../src/config.ts')>('config');
  const { startProduct } = await compiled<typeof import('../../src/product.ts')>('product');
  const secretKey = 'a-secret-key-of-the-benchmark';
  const config = parseConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    SIMULATED_CLUSTERS: '0',
    LOG_LEVEL: 'warn',
  });
  const product = await startProduct({ ...config, secretKey });
  pool = product.environment.pool;
  return `${product.url}/graphql`;
}

let pool: import('pg').Pool;

answerCalls({
  start,
  // The product hears of its own commits, and tells its subscribers by itself.
  change: (options: { machineId: number; count: number; perSecond: number }) => commitChanges(pool, options),
});
