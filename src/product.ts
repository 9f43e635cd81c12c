import { LOCAL_ADMIN } from './auth/viewer.ts';
import { createChangeFeed } from './changes/index.ts';
import type { LoadedConfig } from './config.ts';
import { startEmbeddedPostgres } from './database/embedded.ts';
import { migrate } from './database/migrate.ts';
import { createPool } from './database/pool.ts';
import { createPrisma } from './database/prisma.ts';
import { type Checkpoint, noCheckpoint } from './dispatcher/checkpoint.ts';
import { Dispatcher } from './dispatcher/dispatcher.ts';
import { takeReport } from './dispatcher/progress.ts';
import { executeOperation, subscribeOperation } from './graphql/execute.ts';
import { storyTabs } from './graphql/story-tabs.ts';
import { createLogger, type Logger, registerSecret } from './observability/logger.ts';
import { ClusterClients } from './operations/cluster-clients.ts';
import type { Environment } from './operations/environment.ts';
import { Replica } from './operations/replica.ts';
import { SecretBox } from './operations/secret-box.ts';
import { schema } from './schema.ts';
import { startServer } from './server/server.ts';
import { seedSimulatedClusters, startSimulatedClusters } from './simulated-clusters.ts';

/** The drain's whole time; a supervisor kills after 30 s or more. */
const GRACE_MS = 15_000;
const OBSERVE_MS = 30_000;

export interface ProductOptions {
  readonly logger?: Logger;
  /** For crash tests: see {@link Checkpoint}. */
  readonly checkpoint?: Checkpoint;
}

/** A running instance of the whole product. */
export interface Product {
  readonly url: string;
  readonly environment: Environment;
  /** Drains: readiness 503, no new work, streams closed with 1012; then everything in reverse. */
  close(): Promise<void>;
}

/** Starts the product, bottom to top; what had been started is closed again when a later part fails. */
export async function startProduct(config: LoadedConfig, options: ProductOptions = {}): Promise<Product> {
  const logger = options.logger ?? createLogger({ level: config.logLevel });
  if (config.ganetiDryRun) throw new Error('GANETI_DRY_RUN is not offered yet; unset it.');
  registerSecret(config.secretKey);
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) {
      await Promise.resolve(close()).catch((error: unknown) => logger.error({ err: error }, 'closing failed'));
    }
  };
  try {
    const embedded = config.databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir: config.dataDir }) : null;
    if (embedded) closers.push(() => embedded.stop());
    const databaseUrl = embedded?.url ?? (config.databaseUrl as string);
    const pool = createPool(databaseUrl, {
      onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
    });
    closers.push(() => pool.end());
    await migrate(pool);
    const prisma = createPrisma(pool);
    closers.push(() => prisma.$disconnect());

    const replica = new Replica(databaseUrl, logger);
    await replica.start();
    closers.push(() => replica.close());
    const feed = createChangeFeed({
      pool,
      databaseUrl,
      logger,
      retention: { maxAgeMs: config.changesKeepHours * 3_600_000, maxRows: config.changesKeepRows },
    });
    feed.start();
    closers.push(() => feed.close());
    const secrets = new SecretBox(config.secretKey);
    const clusters = new ClusterClients(pool, secrets, config.rapiTimeoutMs);
    closers.push(() => clusters.close());

    let dispatcher: Dispatcher | null = null;
    let callbackUrl = config.callbackUrl;
    const environment: Environment = {
      pool,
      prisma,
      feed,
      clusters,
      secrets,
      logger,
      wake: (backendId) => dispatcher?.wake(backendId),
      settings: {
        ganetiPrefix: config.ganetiPrefix,
        ganetiCreateDefaults: config.ganetiCreateDefaults,
        ganetiDryRun: config.ganetiDryRun,
        defaultBridge: config.defaultBridge,
        defaultMacPrefix: config.defaultMacPrefix,
        get callbackUrl() {
          return callbackUrl;
        },
        settleMs: config.settleMs,
        rapiTimeoutMs: config.rapiTimeoutMs,
      },
    };

    const server = await startServer({
      schema,
      host: config.host,
      port: config.port,
      createContext: async ({ requestId }) => ({ viewer: LOCAL_ADMIN, requestId, environment }),
      callbacks: {
        progress: (token, body) => takeReport(environment, token, body),
        config: async () => ({ status: 404 }),
      },
      ...(config.callbackListen ? { callbackListen: config.callbackListen } : {}),
      tabs: storyTabs(),
      health: async () => {
        const isStored = await pool.query('SELECT 1').then(
          () => true,
          () => false,
        );
        return {
          live: true,
          ready: isStored,
          details: { database: isStored, watched: dispatcher?.watched() ?? [], feed: feed.stats() },
        };
      },
      execute: executeOperation,
      subscribe: subscribeOperation,
      logger,
      title: 'ganeti-graphql',
    });
    closers.push(() => server.close(GRACE_MS));
    if (config.isCallbackUrlDerived) callbackUrl = server.callbackUrl;

    const simulators = await startSimulatedClusters(config);
    closers.push(() => Promise.all(simulators.map((simulator) => simulator.close())));
    await seedSimulatedClusters(environment, simulators);

    dispatcher = new Dispatcher(
      environment,
      replica,
      { busyMs: config.pollBusyMs, idleMs: config.pollIdleMs, observeMs: OBSERVE_MS },
      options.checkpoint ?? noCheckpoint,
    );
    await dispatcher.start();
    closers.push(() => dispatcher?.close());
    closers.push(() => server.drain());
    return { url: server.url, environment, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
