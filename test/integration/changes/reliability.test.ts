import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChangeFeed, createChangeFeed, type StreamEvent } from '../../../src/changes/index.ts';
import { CHANNEL, nudgeAll } from '../../../src/changes/nudge.ts';
import { startEmbeddedPostgres } from '../../../src/database/embedded.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createPool } from '../../../src/database/pool.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { brief, next, take, World } from './world.ts';

/** So long that it never comes. */
const NEVER_MS = 1_000_000;

let world: World;

beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.destroy());
afterEach(() => world.clear());

/** A change whose NOTIFY was lost, as if its process died right after the commit. */
function changeUnheard(id: string): Promise<number> {
  return inTransaction(world.pool, (tx) =>
    world.changeIn({ query: (text, values) => tx.query(text, values), afterCommit: () => {} }, id),
  );
}

async function listening(feed: ChangeFeed, reconnects = 0): Promise<void> {
  await vi.waitFor(
    () => {
      const stats = feed.stats();
      if (!stats.listening || stats.reconnects < reconnects) throw new Error(`not listening: ${JSON.stringify(stats)}`);
    },
    { timeout: 30_000, interval: 10 },
  );
}

describe('a nudge', () => {
  test('by NOTIFY alone brings the change', async () => {
    const feed = world.feed({ floorPollMs: NEVER_MS });
    await world.change('a');
    const stream = feed.streamEntity(world.entity('a'));
    await next(stream);
    const waiting = next(stream);
    await changeUnheard('a');
    await world.pool.query('SELECT pg_notify($1, $2)', [CHANNEL, 'another replica']);
    expect(brief(await waiting)).toBe('CHANGE a:2');
    await stream.return!();
  });

  test('that is lost costs one floor poll', async () => {
    const feed = world.feed({ floorPollMs: 50 });
    await world.change('a');
    const stream = feed.streamEntity(world.entity('a'));
    await next(stream);
    const waiting = next(stream);
    await changeUnheard('a');
    expect(brief(await waiting)).toBe('CHANGE a:2');
    await stream.return!();
  });

  test('is coalesced: any number in one turn is two NOTIFYs at most', async () => {
    world.feed();
    const listener = new pg.Client({ connectionString: world.db.url });
    await listener.connect();
    await listener.query(`LISTEN ${CHANNEL}`);
    const payloads: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => payloads.push(payload));
    for (let i = 0; i < 50; i += 1) nudgeAll();
    await vi.waitFor(() => expect(payloads).toContainEqual(expect.stringMatching(/^[\da-f-]{36}$/)));
    // A NOTIFY from the pool is behind what the feed sent before.
    await world.pool.query('SELECT pg_sleep(0.1)');
    await world.pool.query('SELECT pg_notify($1, $2)', [CHANNEL, 'end']);
    await vi.waitFor(() => expect(payloads).toContain('end'));
    expect(payloads.length).toBeLessThanOrEqual(3);
    await listener.end();
  });
});

describe('the LISTEN connection', () => {
  let proxy: TcpProxy;
  const quick = { floorPollMs: NEVER_MS, heartbeatMs: 100, answerTimeoutMs: 400 };

  beforeEach(async () => {
    proxy = await startTcpProxy(world.db.url);
  });
  afterEach(() => proxy.close());

  async function open(): Promise<{ feed: ChangeFeed; streams: AsyncIterator<StreamEvent>[] }> {
    const feed = world.feed({ ...quick, databaseUrl: proxy.url });
    await world.change('a');
    const streams = [feed.streamEntity(world.entity('a')), feed.streamList(world.list())];
    await Promise.all(streams.map(next));
    return { feed, streams };
  }

  async function expectBoth(streams: AsyncIterator<StreamEvent>[], version: number): Promise<void> {
    expect((await Promise.all(streams.map(next))).map(brief)).toEqual([`CHANGE a:${version}`, `CHANGE a:${version}`]);
  }

  test('ended by the server is made again, and what was missed is read', async () => {
    const { feed, streams } = await open();
    proxy.refuse(true);
    await world.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'ganeti-graphql changes' AND datname = current_database()`,
    );
    await vi.waitFor(() => expect(feed.stats().listening).toBe(false));
    await changeUnheard('a');
    proxy.refuse(false);
    await expectBoth(streams, 2);
    await listening(feed, 1);
    await world.change('a');
    await expectBoth(streams, 3);
    expect(feed.stats()).toMatchObject({ streams: 2, resyncs: 0 });
    await Promise.all(streams.map((stream) => stream.return!()));
  });

  test('that goes silent without being closed is noticed and made again', async () => {
    const { feed, streams } = await open();
    proxy.halfOpen();
    await changeUnheard('a');
    await expectBoth(streams, 2);
    expect(feed.stats().reconnects).toBe(1);
    expect(proxy.connections).toBe(2);
    await Promise.all(streams.map((stream) => stream.return!()));
  });

  test('that goes silent while nobody subscribes is noticed, too', async () => {
    const feed = world.feed({ ...quick, databaseUrl: proxy.url });
    await listening(feed);
    proxy.halfOpen();
    await listening(feed, 1);
  });

  test('reset again and again loses and doubles nothing', async () => {
    const { streams } = await open();
    const reads = streams.map((stream) => take(stream, 60));
    for (let i = 0; i < 60; i += 1) {
      await (i % 2 ? world.change('a') : changeUnheard('a'));
      if (i % 6 === 0) proxy.cut();
    }
    for (const events of await Promise.all(reads)) {
      expect(events.map(brief)).toEqual(Array.from({ length: 60 }, (_, i) => `CHANGE a:${i + 2}`));
    }
    await Promise.all(streams.map((stream) => stream.return!()));
  });

  test('missing at the start keeps a subscriber waiting, not failing; closing is possible in every state', async () => {
    proxy.refuse(true);
    const feed = world.feed({ ...quick, databaseUrl: proxy.url });
    await world.change('a');
    const stream = feed.streamEntity(world.entity('a'));
    const waiting = next(stream);
    const given = feed.streamEntity(world.entity('a'));
    const never = given.next();
    await given.return!();
    expect(await never).toMatchObject({ done: true });
    proxy.refuse(false);
    expect(brief(await waiting)).toBe('SNAPSHOT a:1');
    await stream.return!();
    proxy.refuse(true);
    proxy.cut();
    await vi.waitFor(() => expect(feed.stats().listening).toBe(false));
    await feed.close();
  });

  test('closes while it is silent', async () => {
    const feed = world.feed({ databaseUrl: proxy.url });
    await listening(feed);
    proxy.halfOpen();
    await feed.close();
  });
});

test('every open stream outlives a restart of PostgreSQL', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'ganeti-graphql-changes-'));
  let postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  const pool = createPool(postgres.url);
  await migrate(pool);
  const feed = createChangeFeed({ pool, databaseUrl: postgres.url, retention: false });
  feed.start();
  const version = async (): Promise<number> => {
    const { rows } = await pool.query<{ version: number }>(
      `SELECT coalesce(max("version"), 0) AS version FROM "Change" WHERE "entityId" = 'a'`,
    );
    return rows[0]!.version;
  };
  const change = async (): Promise<void> => {
    await pool.query(
      `INSERT INTO "Change" ("entityType", "entityId", "version", "changes", "after") VALUES ('NETWORK', 'a', $1, '[]', '{}')`,
      [(await version()) + 1],
    );
    nudgeAll();
  };
  const entity = { entityType: 'NETWORK', entityId: 'a', currentVersion: version } as const;
  await change();
  const live = feed.streamEntity(entity);
  const list = feed.streamList({
    entityType: 'NETWORK',
    matches: () => true,
    currentMembers: async () => [{ entityId: 'a', version: await version() }],
  });
  const [first] = await Promise.all([next(live), next(list)]);
  await postgres.stop();
  // Opened, and its state asked for, while there is nobody to ask.
  const late = feed.streamEntity({ ...entity, after: first!.cursor });
  const lateEvent = next(late);
  postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  await change();
  const events = await Promise.all([next(live), next(list), lateEvent]);
  expect(events.map(brief)).toEqual(['CHANGE a:2', 'CHANGE a:2', 'CHANGE a:2']);
  expect(feed.stats()).toMatchObject({ streams: 3, listening: true, resyncs: 0 });
  await feed.close();
  await pool.end();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
