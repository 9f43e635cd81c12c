import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChangeFeed, FeedClosedError, ForeignCursorError } from '../../../src/changes/index.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { brief, next, take, takeUntil, World } from './world.ts';

let world: World;
let feed: ChangeFeed;
let id = '0';

beforeAll(async () => {
  world = await World.create();
  feed = world.feed();
});
afterAll(() => world.destroy());
beforeEach(() => {
  id = randomUUID();
});

describe('a stream of one entity', () => {
  test('begins with the state and goes on with each change, once and in order', async () => {
    await world.change(id);
    const operationId = randomUUID();
    const stream = feed.streamEntity(world.entity(id));
    const first = await next(stream);
    expect(first).toMatchObject({
      kind: 'SNAPSHOT',
      entityType: 'VIRTUAL_MACHINE',
      entityId: id,
      version: 1,
      changes: [],
    });
    await world.change(id, { operationId, cause: 'job 7' });
    await world.change('another machine');
    await inTransaction(world.pool, async (tx) => {
      await world.changeIn(tx, id);
      await world.changeIn(tx, id, { owner: 'ben' });
    });
    const [two, three, four] = await take(stream, 3);
    expect(two).toMatchObject({
      kind: 'CHANGE',
      version: 2,
      changes: [{ field: 'count', from: 1, to: 2 }],
      operationId,
      cause: 'job 7',
      before: { owner: 'anna', count: 1 },
      after: { owner: 'anna', count: 2 },
    });
    expect(two!.at).toBeInstanceOf(Date);
    expect(three).toMatchObject({ version: 3, operationId: null, cause: null });
    expect(four).toMatchObject({ version: 4, before: { owner: 'anna' }, after: { owner: 'ben' } });
    await stream.return!();
  });

  test('says nothing of a transaction that was rolled back', async () => {
    await world.change(id);
    const stream = feed.streamEntity(world.entity(id));
    await next(stream);
    const failure = inTransaction(world.pool, async (tx) => {
      await world.changeIn(tx, id);
      throw new Error('no');
    });
    await expect(failure).rejects.toThrow('no');
    await world.change(id, { cause: 'yes' });
    expect(await next(stream)).toMatchObject({ version: 2, cause: 'yes' });
    await stream.return!();
  });

  test('after a cursor sends what was missed with its exact steps, then what comes', async () => {
    await world.changeMany([id], 1_202);
    await world.change(id, { isProgress: true });
    const early = feed.streamEntity(world.entity(id, { after: cursorOf(id, 1) }));
    const missed = await take(early, 1_202);
    expect(missed.map((event) => event.version)).toEqual(Array.from({ length: 1_202 }, (_, i) => i + 2));
    for (const { version, changes } of missed) {
      expect(changes).toEqual([{ field: 'count', from: version - 1, to: version }]);
    }
    await world.change(id);
    expect(brief(await next(early))).toBe(`CHANGE ${id}:1204`);
    await early.return!();

    const current = feed.streamEntity(world.entity(id, { after: missed.at(-1)!.cursor }));
    expect(brief(await next(current))).toBe(`CHANGE ${id}:1204`);
    const waiting = next(current);
    await world.change(id);
    expect(brief(await waiting)).toBe(`CHANGE ${id}:1205`);
    await current.return!();
  });

  test('answers a cursor that is not kept with RESYNC, wherever the gap is', async () => {
    for (let i = 0; i < 6; i += 1) await world.change(id);
    const resync = async (after: number) => {
      const stream = feed.streamEntity(world.entity(id, { after: cursorOf(id, after) }));
      const event = await next(stream);
      await stream.return!();
      return `${event.kind} ${event.version} ${event.changes.length}`;
    };
    const prune = (versions: number[]) =>
      world.pool.query('DELETE FROM "Change" WHERE "entityId" = $1 AND "version" = ANY($2)', [id, versions]);
    await prune([1, 2, 3]);
    expect(await resync(1)).toBe('RESYNC 6 0');
    expect(await resync(3)).toBe('CHANGE 4 1');
    await prune([4, 5, 6]);
    expect(await resync(5)).toBe('RESYNC 6 0');
    // From before a backup was restored.
    expect(await resync(9)).toBe('RESYNC 6 0');
  });

  test('resyncs in the middle of a replay when it meets a gap, and goes on from there', async () => {
    for (let i = 0; i < 6; i += 1) await world.change(id);
    await world.pool.query('DELETE FROM "Change" WHERE "entityId" = $1 AND "version" = 4', [id]);
    const stream = feed.streamEntity(world.entity(id, { after: cursorOf(id, 1) }));
    expect((await take(stream, 3)).map(brief)).toEqual([`CHANGE ${id}:2`, `CHANGE ${id}:3`, `RESYNC ${id}:6`]);
    await world.change(id);
    expect(brief(await next(stream))).toBe(`CHANGE ${id}:7`);
    await stream.return!();
  });

  test('a replay slower than the changes stays exact', async () => {
    await world.change(id);
    const stream = feed.streamEntity(world.entity(id, { after: cursorOf(id, 1) }));
    const first = next(stream);
    await world.change(id);
    expect((await first).version).toBe(2);
    await stream.return!();

    const slow = feed.streamEntity(world.entity(id, { after: cursorOf(id, 0) }));
    const versions = [(await next(slow)).version];
    // More than the mailbox holds, while the replay has not been read to its end.
    await world.changeMany([id], 200);
    for (const event of await takeUntil(slow, ({ version }) => version === 202)) {
      expect(event.kind).toBe('CHANGE');
      versions.push(event.version);
    }
    expect(versions).toEqual(Array.from({ length: 202 }, (_, i) => i + 1));
    await slow.return!();
  });

  test('a reader that is too slow is given one RESYNC in place of what it missed', async () => {
    await world.change(id);
    const slow = feed.streamEntity(world.entity(id));
    const quick = feed.streamEntity(world.entity(id));
    await Promise.all([next(slow), next(quick)]);
    const resyncs = feed.stats().resyncs;
    const read = takeUntil(quick, ({ version }) => version === 301);
    await world.changeMany([id], 300);
    const versions = (await read).map(({ version }) => version);
    expect(versions).toEqual(Array.from({ length: 300 }, (_, i) => i + 2));
    expect(brief(await next(slow))).toBe(`RESYNC ${id}:301`);
    expect(feed.stats().resyncs).toBe(resyncs + 1);
    await world.change(id);
    expect(brief(await next(slow))).toBe(`CHANGE ${id}:302`);
    await Promise.all([slow.return!(), quick.return!()]);
  });

  test('all streams of an entity are given the identical, frozen event', async () => {
    await world.change(id);
    const streams = Array.from({ length: 50 }, () => feed.streamEntity(world.entity(id)));
    await Promise.all(streams.map(next));
    await world.change(id);
    const events = new Set(await Promise.all(streams.map(next)));
    expect(events.size).toBe(1);
    const [event] = events;
    expect([event, event!.changes, event!.changes[0], event!.after].every(Object.isFrozen)).toBe(true);
    await Promise.all(streams.map((stream) => stream.return!()));
  });

  test('coalesces progress to 4 a second, never the last, and never behind a state change', async () => {
    await world.change(id);
    const stream = feed.streamEntity(world.entity(id));
    await next(stream);
    const begunAt = performance.now();
    for (let i = 0; i < 100; i += 1) await world.change(id, { isProgress: true });
    const progress = await takeUntil(stream, ({ version }) => version === 101);
    const seconds = (performance.now() - begunAt) / 1_000;
    // One at the start, and one for each 250 ms since.
    expect(progress.length).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1);
    let count = 1;
    for (const { changes } of progress) {
      expect(changes[0]!.from).toBe(count);
      count = changes[0]!.to as number;
    }
    expect(count).toBe(101);

    await inTransaction(world.pool, async (tx) => {
      for (let i = 0; i < 5; i += 1) await world.changeIn(tx, id, { isProgress: true });
      await world.changeIn(tx, id);
    });
    const rest = await takeUntil(stream, ({ version }) => version === 107);
    expect(rest.at(-2)!.version).toBe(106);
    await stream.return!();
  });

  test('leaves progress out on request, live and in a replay', async () => {
    await world.change(id);
    const live = feed.streamEntity(world.entity(id, { includeProgress: false }));
    const first = await next(live);
    await world.change(id, { isProgress: true });
    await world.change(id);
    await world.change(id, { isProgress: true });
    await world.change(id);
    const expected = [`CHANGE ${id}:3`, `CHANGE ${id}:5`];
    expect((await take(live, 2)).map(brief)).toEqual(expected);
    const replay = feed.streamEntity(world.entity(id, { includeProgress: false, after: first.cursor }));
    expect((await take(replay, 2)).map(brief)).toEqual(expected);
    await Promise.all([live.return!(), replay.return!()]);
  });

  test('refuses a foreign cursor at once', async () => {
    await world.change(id);
    const stream = feed.streamEntity(world.entity(id));
    const { cursor } = await next(stream);
    await stream.return!();
    const open = (entityId: string, after: string, entityType: 'VIRTUAL_MACHINE' | 'NETWORK' = 'VIRTUAL_MACHINE') =>
      feed.streamEntity(world.entity(entityId, { after, entityType }));
    expect(() => open('another', cursor)).toThrow(ForeignCursorError);
    expect(() => open(id, cursor, 'NETWORK')).toThrow(ForeignCursorError);
    expect(() => open(id, '')).toThrow(ForeignCursorError);
    expect(() => open(id, `${cursor}!`)).toThrow(ForeignCursorError);
    expect(() => feed.streamList(world.list({ after: cursor }))).toThrow(ForeignCursorError);
  });

  test('ends where there is nothing to see', async () => {
    expect(await feed.streamEntity(world.entity('nowhere')).next()).toEqual({ done: true, value: undefined });
  });

  test('passes on a failing look at the state, and leaves nothing subscribed', async () => {
    const before = feed.stats().streams;
    const currentVersion = vi.fn(() => Promise.reject(new Error('forbidden')));
    const stream = feed.streamEntity(world.entity(id, { currentVersion }));
    await expect(stream.next()).rejects.toThrow('forbidden');
    expect(currentVersion).toHaveBeenCalledOnce();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(feed.stats().streams).toBe(before);
  });

  test('is let go at once, whatever it waits for', async () => {
    const before = feed.stats().streams;
    const unread = feed.streamEntity(world.entity(id));
    expect(feed.stats().streams).toBe(before);
    await unread.return!();
    expect(await unread.next()).toMatchObject({ done: true });

    const looking = feed.streamEntity(world.entity(id, { currentVersion: () => new Promise(() => {}) }));
    const pendingLook = looking.next();
    await world.change(id);
    const idle = feed.streamEntity(world.entity(id));
    await next(idle);
    const pendingIdle = idle.next();
    expect(feed.stats().streams).toBe(before + 2);
    await Promise.all([looking.return!(), idle.return!()]);
    expect(await Promise.all([pendingLook, pendingIdle])).toMatchObject([{ done: true }, { done: true }]);
    expect(feed.stats().streams).toBe(before);
  });

  test('fails when the feed is closed, whether it waits or not', async () => {
    await world.change(id);
    const closing = world.feed();
    const waiting = closing.streamEntity(world.entity(id));
    const busy = closing.streamEntity(world.entity(id));
    await Promise.all([next(waiting), next(busy)]);
    const pending = expect(waiting.next()).rejects.toThrow(FeedClosedError);
    await closing.close();
    await pending;
    await expect(busy.next()).rejects.toThrow(FeedClosedError);
    expect(await busy.next()).toMatchObject({ done: true });
    await expect(closing.streamEntity(world.entity(id)).next()).rejects.toThrow(FeedClosedError);
  });
});

function cursorOf(entityId: string, version: number): string {
  return Buffer.from(JSON.stringify(['e', 'VIRTUAL_MACHINE', entityId, version])).toString('base64url');
}
