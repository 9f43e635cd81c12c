import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type ChangeFeed, pruneChanges } from '../../../src/changes/index.ts';
import { brief, next, take, World } from './world.ts';

let world: World;
let feed: ChangeFeed;

beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.destroy());
beforeEach(() => {
  feed = world.feed();
});
afterEach(() => world.clear());

const HOUR_MS = 3_600_000;

async function age(versions: number[], hours: number): Promise<void> {
  await world.pool.query(
    `UPDATE "Change" SET "at" = clock_timestamp() - $2 * interval '1 hour' WHERE "version" = ANY($1)`,
    [versions, hours],
  );
}

async function kept(): Promise<string[]> {
  const { rows } = await world.pool.query<{ key: string }>(
    `SELECT "entityId" || ':' || "version" AS key FROM "Change" ORDER BY "id"`,
  );
  return rows.map(({ key }) => key);
}

/** Transactions of other tests on this server hold back xmin, and with it what a cursor can be relied on for. */
async function nothingOpen(): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await world.pool.query<{ past: boolean }>(
        `SELECT pg_snapshot_xmin(pg_current_snapshot()) > (SELECT max("xid") FROM "Change") AS past`,
      );
      expect(rows[0]!.past).toBe(true);
    },
    { timeout: 30_000 },
  );
}

async function firstAfter(after: string, of: 'entity' | 'list'): Promise<string> {
  const stream =
    of === 'list' ? feed.streamList(world.list({ after })) : feed.streamEntity(world.entity('a', { after }));
  const event = await next(stream);
  await stream.return!();
  return brief(event);
}

test('what is older than 24 h is removed; an older cursor gives RESYNC, a younger one goes on', async () => {
  await world.change('a');
  await nothingOpen();
  const entity = feed.streamEntity(world.entity('a'));
  const list = feed.streamList(world.list());
  const [ofEntity, ofList] = await Promise.all([next(entity), next(list)]);
  await world.change('a');
  await world.change('a');
  await nothingOpen();
  const [, laterOfEntity] = await take(entity, 2);
  const [, laterOfList] = await take(list, 2);
  await world.change('a');
  await age([1, 2], 25);
  await age([3], 23);
  expect(await pruneChanges(world.pool)).toBe(2);
  expect(await kept()).toEqual(['a:3', 'a:4']);

  expect(await firstAfter(ofEntity.cursor, 'entity')).toBe('RESYNC a:4');
  expect(await firstAfter(ofList.cursor, 'list')).toBe('RESYNC :0');
  expect(await firstAfter(laterOfEntity!.cursor, 'entity')).toBe('CHANGE a:4');
  expect(await firstAfter(laterOfList!.cursor, 'list')).toBe('CHANGE a:4');
  // Streams that are current do not care.
  expect((await Promise.all([next(entity), next(list)])).map(brief)).toEqual(['CHANGE a:4', 'CHANGE a:4']);
  await world.change('a');
  expect((await Promise.all([next(entity), next(list)])).map(brief)).toEqual(['CHANGE a:5', 'CHANGE a:5']);
  await Promise.all([entity.return!(), list.return!()]);
});

test('rows beyond the limit are removed, the oldest first, in batches', async () => {
  for (let i = 0; i < 25; i += 1) await world.change('a');
  expect(await pruneChanges(world.pool, { maxRows: 30 })).toBe(0);
  expect(await pruneChanges(world.pool, { maxRows: 25 })).toBe(0);
  expect(await pruneChanges(world.pool, { maxRows: 10, batchRows: 4 })).toBe(15);
  expect(await kept()).toEqual(Array.from({ length: 10 }, (_, i) => `a:${i + 16}`));
  // Holes in the ids are not counted.
  await world.pool.query(`SELECT setval(seq, nextval(seq) + 1000) FROM pg_get_serial_sequence('"Change"', 'id') seq`);
  await world.change('a');
  expect(await pruneChanges(world.pool, { maxRows: 11 })).toBe(0);
  expect(await pruneChanges(world.pool, { maxRows: 0 })).toBe(11);
  expect(await kept()).toEqual([]);
  expect(await pruneChanges(world.pool, { maxRows: 0 })).toBe(0);
});

test('replicas that prune at once remove each row once, and the mark is the highest transaction', async () => {
  for (let i = 0; i < 40; i += 1) await world.change('a');
  const { rows } = await world.pool.query<{ xid: string }>(
    'SELECT max("xid")::text AS xid FROM "Change" WHERE "version" <= 30',
  );
  const counts = await Promise.all(
    Array.from({ length: 4 }, () => pruneChanges(world.pool, { maxRows: 10, batchRows: 3 })),
  );
  // Whoever found the lock taken left the rest to the next round.
  const rest = await pruneChanges(world.pool, { maxRows: 10, batchRows: 3 });
  expect(counts.reduce((sum, count) => sum + count, rest)).toBe(30);
  expect((await world.pool.query('SELECT "xid"::text AS xid FROM "ChangesPruned"')).rows).toEqual(rows);
});

test('a stream whose unread changes were pruned is told by RESYNC', async () => {
  await world.change('a');
  // A hub that hears of nothing: neither nudge nor poll.
  const deaf = world.feed({ floorPollMs: 1_000_000 });
  const stream = deaf.streamEntity(world.entity('a'));
  const list = deaf.streamList(world.list());
  await Promise.all([next(stream), next(list)]);
  await world.pool.query(`UPDATE entity SET version = 3`);
  await world.pool.query(
    `INSERT INTO "Change" ("entityType", "entityId", "version", "changes")
     VALUES ('VIRTUAL_MACHINE', 'a', 2, '[]'), ('VIRTUAL_MACHINE', 'a', 3, '[]')`,
  );
  await age([1, 2, 3], 25);
  const waiting = Promise.all([next(stream), next(list)]);
  expect(await pruneChanges(world.pool, { maxAgeMs: 24 * HOUR_MS })).toBe(3);
  await world.change('a');
  const events = (await waiting).map(brief);
  expect(events[0]).toMatch(/^RESYNC a:[34]$/);
  expect(events[1]).toBe('RESYNC :0');
  await Promise.all([stream.return!(), list.return!()]);
});

test('the feed prunes by itself', async () => {
  for (let i = 0; i < 5; i += 1) await world.change('a');
  world.feed({ retention: { maxRows: 2, everyMs: 20 } });
  await vi.waitFor(async () => expect(await kept()).toEqual(['a:4', 'a:5']));
});
