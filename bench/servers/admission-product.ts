/** Ours: `startVirtualMachine` of the service, with the feed that tells subscribers; nobody submits what is admitted. */
import type pg from 'pg';
import type { Viewer } from '../../src/auth/viewer.ts';
import type { Environment } from '../../src/operations/environment.ts';
import { answerCalls } from '../channel.ts';
import { compiled } from '../compiled.ts';
import { type AdmissionPlan, admitAll, type RecordedStatement } from './admission-statement.ts';
import { POOL_SIZE, type ServerOptions } from './server-options.ts';

let pool: pg.Pool;
let environment: Environment;
let viewer: Viewer;
let startMachine: (env: Environment, viewer: Viewer, input: { id: number }) => Promise<unknown>;

async function start({ databaseUrl }: ServerOptions): Promise<void> {
  const { createPool } = await compiled<typeof import('../../src/database/pool.ts')>('database/pool');
  const { createPrisma } = await compiled<typeof import('../../src/database/prisma.ts')>('database/prisma');
  const { createChangeFeed } = await compiled<typeof import('../../src/changes/index.ts')>('changes/index');
  const { createLogger } = await compiled<typeof import('../../src/observability/logger.ts')>('observability/logger');
  const { ClusterClients } =
    await compiled<typeof import('../../src/operations/cluster-clients.ts')>('operations/cluster-clients');
  const { SecretBox } = await compiled<typeof import('../../src/operations/secret-box.ts')>('operations/secret-box');
  const { LOCAL_ADMIN } = await compiled<typeof import('../../src/auth/viewer.ts')>('auth/viewer');
  const service = await compiled<typeof import('../../src/modules/virtual-machine/virtual-machine.service.ts')>(
    'modules/virtual-machine/virtual-machine.service',
  );
  const logger = createLogger({ level: 'warn' });
  pool = createPool(databaseUrl, { max: POOL_SIZE });
  const feed = createChangeFeed({ pool, databaseUrl, logger, retention: false });
  feed.start();
  const secrets = new SecretBox('a-secret-key-of-the-benchmark');
  environment = {
    pool,
    prisma: createPrisma(pool),
    feed,
    clusters: new ClusterClients(pool, secrets, 1_000),
    secrets,
    logger,
    wake: () => {},
    settings: {
      ganetiPrefix: 'snf-',
      ganetiCreateDefaults: {},
      ganetiDryRun: false,
      defaultBridge: 'br0',
      defaultMacPrefix: 'aa:00:0',
      callbackUrl: 'http://127.0.0.1:9',
      settleMs: 2_000,
      rapiTimeoutMs: 1_000,
    },
  };
  viewer = LOCAL_ADMIN;
  startMachine = service.startVirtualMachine;
}

/** Admits one machine and writes down what was sent to the database for it, in order. */
async function record(machineId: number): Promise<RecordedStatement[]> {
  const statements: RecordedStatement[] = [];
  const recording = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value !== 'function') return value;
        if (key === 'connect') return async () => recording((await value.call(object)) as object);
        return (...args: unknown[]) => {
          if (key === 'query') statements.push({ text: String(args[0]), values: (args[1] as unknown[]) ?? [] });
          return value.apply(object, args);
        };
      },
    });
  await startMachine({ ...environment, pool: recording(pool) }, viewer, { id: machineId });
  return statements;
}

answerCalls({
  start,
  record,
  admit: (plan: AdmissionPlan) => admitAll(plan, (id) => startMachine(environment, viewer, { id })),
});
