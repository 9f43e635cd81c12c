import { randomUUID } from 'node:crypto';
import { type ExecutionResult, parse, validate } from 'graphql';
import pg from 'pg';
import pino from 'pino';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { type ChangeFeed, createChangeFeed } from '../../../src/changes/index.ts';
import type { GraphQLContext } from '../../../src/graphql/context.ts';
import { executeOperation, subscribeOperation } from '../../../src/graphql/execute.ts';
import type { Environment } from '../../../src/operations/environment.ts';
import { SecretBox } from '../../../src/operations/secret-box.ts';
import { schema } from '../../../src/schema.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/** What a test reads of a result; its own assertions say what is in there. */
// biome-ignore lint/suspicious/noExplicitAny: results are as varied as the documents
export type Answer = ExecutionResult<any>;

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The schema on a database of its own: no server, no dispatcher, no cluster. */
export interface World {
  readonly database: TestDatabase;
  readonly environment: Environment;
  readonly feed: ChangeFeed;
  /** Runs a query or mutation as a new request. */
  run(document: string, variables?: Record<string, unknown>): Promise<Answer>;
  subscribe(document: string, variables?: Record<string, unknown>): Promise<AsyncIterableIterator<Answer> | Answer>;
  context(): GraphQLContext;
  /** The SQL statements that `work` sends, by whatever way. */
  statements(work: () => Promise<unknown>): Promise<Statement[]>;
  close(): Promise<void>;
}

/** @param options.live whether changes are followed, which sends statements of its own now and then */
export async function createWorld(options: { live?: boolean } = {}): Promise<World> {
  const database = await createTestDatabase();
  const feed = createChangeFeed({ pool: database.pool, databaseUrl: database.url, retention: false });
  if (options.live) feed.start();
  const environment: Environment = {
    pool: database.pool,
    prisma: database.prisma,
    feed,
    clusters: undefined as never,
    secrets: new SecretBox('only for tests, only for tests'),
    logger: pino({ level: 'silent' }),
    settings: {
      ganetiPrefix: 'test-',
      ganetiCreateDefaults: {},
      ganetiDryRun: false,
      defaultBridge: 'br0',
      defaultMacPrefix: 'aa:00:00',
      callbackUrl: 'http://127.0.0.1:4000',
      settleMs: 1_000,
      rapiTimeoutMs: 1_000,
    },
    wake: () => {},
  };
  const context = (): GraphQLContext => ({ viewer: LOCAL_ADMIN, requestId: randomUUID(), environment });
  const args = (source: string, variables?: Record<string, unknown>) => {
    const document = parse(source);
    const errors = validate(schema, document);
    if (errors.length > 0) throw errors[0];
    return { schema, document, variableValues: variables ?? {}, contextValue: context() };
  };
  return {
    database,
    environment,
    feed,
    context,
    run: async (source, variables) => (await executeOperation(args(source, variables))) as Answer,
    subscribe: async (source, variables) =>
      (await subscribeOperation(args(source, variables))) as AsyncIterableIterator<Answer> | Answer,
    statements: recordStatements,
    close: async () => {
      await feed.close();
      await database.drop();
    },
  };
}

/** Listens below all clients: `pg` sends both Prisma's statements and ours. */
async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [statement, values] = args as [string | { text: string; values?: unknown[] }, unknown];
    const { text, values: own = undefined } = typeof statement === 'string' ? { text: statement } : statement;
    sent.push({ text, values: own ?? (Array.isArray(values) ? values : []) });
    return (query as unknown as (...all: unknown[]) => never).apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return sent;
}

/** Rows to list: a cluster, a flavor, an image, two networks, and machines with a NIC on each. */
export async function seed(world: World, machines: number): Promise<void> {
  const { pool } = world.database;
  await pool.query(`
    INSERT INTO "Backend" ("name", "endpoints", "username", "passwordCipher", "clusterName", "clusterUuid", "hypervisor",
        "diskTemplates", "softwareVersion", "nodeGroups")
      VALUES ('one', '{https://127.0.0.1:5080}', 'u', 'x', 'one.test', 'uuid-1', 'kvm', '{plain}', '3.0.2', '{default}');
    INSERT INTO "Flavor" ("name", "cpu", "memoryMiB", "diskGiB", "diskTemplate") VALUES ('C1R512D2plain', 1, 512, 2, 'plain');
    INSERT INTO "Image" ("name", "osType", "secretParameters") VALUES ('noop', 'noop', '{}');
    INSERT INTO "Network" ("name", "flavor", "mode", "link", "macPrefix", "subnet", "gateway")
      VALUES ('front', 'CUSTOM', 'bridged', 'br0', 'aa:00:00', '10.0.0.0/16', '10.0.0.1'),
             ('back', 'CUSTOM', 'bridged', 'br1', 'aa:00:01', '10.1.0.0/24', '10.1.0.1')`);
  await pool.query(
    `INSERT INTO "VirtualMachine" ("name", "ganetiName", "ownerId", "backendId", "flavorId", "imageId", "operState", "buildPercentage")
     SELECT 'vm ' || lpad(n::text, 5, '0'), 'test-' || n, 'local', 1, 1, 1, 'STARTED', 60 FROM generate_series(1, $1::int) n`,
    [machines],
  );
  await pool.query(`
    INSERT INTO "NetworkInterface" ("virtualMachineId", "networkId", "index", "name", "state")
    SELECT vm.id, net, net - 1, 'nic-' || vm.id || '-' || net, 'ACTIVE' FROM "VirtualMachine" vm, generate_series(1, 2) net`);
}
