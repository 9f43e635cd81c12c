import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LOCAL_ADMIN } from '../../src/auth/viewer.ts';
import { createChangeFeed } from '../../src/changes/index.ts';
import { type Checkpoint, noCheckpoint } from '../../src/dispatcher/checkpoint.ts';
import { Dispatcher } from '../../src/dispatcher/dispatcher.ts';
import { takeReport } from '../../src/dispatcher/progress.ts';
import { addBackend } from '../../src/modules/backend/backend.service.ts';
import { createFlavor, createImage } from '../../src/modules/catalog/catalog.service.ts';
import { createNetwork } from '../../src/modules/network/network.service.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { ClusterClients } from '../../src/operations/cluster-clients.ts';
import type { Environment } from '../../src/operations/environment.ts';
import { Replica } from '../../src/operations/replica.ts';
import { SecretBox } from '../../src/operations/secret-box.ts';
import { type Simulator, startSimulator } from '../../src/simulator/index.ts';
import type { TestDatabase } from './database.ts';

/** The product without its GraphQL server: services and dispatcher on a real database and a simulated cluster. */
export interface TestEnvironment extends Environment {
  readonly simulator: Simulator;
  readonly replica: Replica;
  readonly log: readonly string[];
  readonly ids: {
    readonly backendId: number;
    readonly flavorId: number;
    readonly imageId: number;
    readonly networkId: number;
  };
  /** Starts following the cluster; until then operations stay ADMITTED. */
  startDispatcher(checkpoint?: Checkpoint): Promise<Dispatcher>;
  close(): Promise<void>;
}

export async function createTestEnvironment(
  db: TestDatabase,
  options: { subnet?: string; speed?: number; settleMs?: number; groups?: string[] } = {},
): Promise<TestEnvironment> {
  const log: string[] = [];
  const logger = createLogger({ level: 'debug', destination: { write: (line: string) => void log.push(line) } });
  const simulator = await startSimulator({
    speed: options.speed ?? 40,
    ...(options.groups ? { groups: options.groups } : {}),
  });
  const replica = new Replica(db.url, logger);
  await replica.start();
  const feed = createChangeFeed({ pool: db.pool, databaseUrl: db.url, logger, retention: false });
  feed.start();
  const secrets = new SecretBox('a-secret-key-of-the-test-suite');
  const clusters = new ClusterClients(db.pool, secrets, 2_000);
  const dispatchers: Dispatcher[] = [];
  const callbacks = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const token = decodeURIComponent(request.url?.replace('/progress/', '') ?? '');
      takeReport(env, token, JSON.parse(Buffer.concat(chunks).toString() || 'null')).then(
        (answer) => response.writeHead(answer.status).end(),
        () => response.writeHead(500).end(),
      );
    });
  });
  await new Promise<void>((resolve) => callbacks.listen(0, '127.0.0.1', resolve));
  const env: Environment = {
    pool: db.pool,
    prisma: db.prisma,
    feed,
    clusters,
    secrets,
    logger,
    wake: (backendId) => {
      for (const dispatcher of dispatchers) dispatcher.wake(backendId);
    },
    settings: {
      ganetiPrefix: 'snf-',
      ganetiCreateDefaults: {},
      ganetiDryRun: false,
      defaultBridge: 'br0',
      defaultMacPrefix: 'aa:00:0',
      callbackUrl: `http://127.0.0.1:${(callbacks.address() as AddressInfo).port}`,
      settleMs: options.settleMs ?? 2_500,
      rapiTimeoutMs: 2_000,
    },
  };
  const { backendId } = await addBackend(env, LOCAL_ADMIN, {
    name: 'simulated',
    endpoints: [simulator.url],
    username: simulator.username,
    password: simulator.password,
    certificateFingerprint: simulator.fingerprint,
    isPublic: true,
    isDrained: false,
  });
  const { flavorId } = await createFlavor(env, LOCAL_ADMIN, {
    cpu: 1,
    memoryMiB: 256,
    diskGiB: 1,
    diskTemplate: 'file',
  });
  const { imageId } = await createImage(env, LOCAL_ADMIN, {
    name: 'image',
    osType: 'simimage+default',
    progressParameter: 'progress_url',
  });
  const network = await createNetwork(env, LOCAL_ADMIN, {
    name: 'network',
    flavor: 'CUSTOM',
    subnet: options.subnet ?? '10.9.0.0/24',
    dhcp: false,
    isPublic: false,
  });
  return {
    ...env,
    simulator,
    replica,
    log,
    ids: { backendId, flavorId, imageId, networkId: network.networkId as number },
    async startDispatcher(checkpoint = noCheckpoint) {
      const dispatcher = new Dispatcher(env, replica, { busyMs: 50, idleMs: 200, observeMs: 5_000 }, checkpoint);
      dispatchers.push(dispatcher);
      await dispatcher.start();
      return dispatcher;
    },
    async close() {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
      callbacks.closeAllConnections();
      await new Promise((resolve) => callbacks.close(resolve));
      await simulator.close();
      await clusters.close();
      await feed.close();
      await replica.close();
    },
  };
}

/** Follows an operation by its stream until it has ended. @returns its last status */
export function untilEnded(env: Environment, operationId: string): Promise<string> {
  return untilStatus(env, operationId, ['SUCCESS', 'ERROR', 'CANCELED', 'INDETERMINATE']);
}

/** Follows an operation by its stream until it has one of these statuses. @returns which */
export async function untilStatus(env: Environment, operationId: string, statuses: readonly string[]): Promise<string> {
  const read = async () =>
    (
      await env.pool.query<{ status: string; version: number }>(
        `SELECT "status", "version" FROM "Operation" WHERE "id" = $1`,
        [operationId],
      )
    ).rows[0];
  const stream = env.feed.streamEntity({
    entityType: 'OPERATION',
    entityId: operationId,
    currentVersion: async () => (await read())?.version ?? null,
  });
  for await (const _ of stream) {
    const now = (await read())?.status ?? 'GONE';
    if (statuses.includes(now)) return now;
  }
  throw new Error('the stream ended before the operation');
}
