import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ChangeFeed, decodeListCursor, ForeignCursorError, type StreamEvent } from '../../../src/changes/index.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
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

describe('a stream of a list', () => {
  test('begins with one SNAPSHOT for each member, all with one cursor, and goes on with each change', async () => {
    await world.change('a');
    await world.change('b');
    await world.change('b');
    await world.change('c', { owner: 'ben' });
    const stream = feed.streamList(world.list({ owner: 'anna' }));
    const snapshots = await take(stream, 2);
    expect(snapshots.map(brief)).toEqual(['SNAPSHOT a:1', 'SNAPSHOT b:2']);
    expect(new Set(snapshots.map(({ cursor }) => cursor)).size).toBe(1);
    await world.change('c', { owner: 'ben' });
    await world.change('n', { entityType: 'NETWORK' });
    await world.change('b');
    await world.change('d');
    expect((await take(stream, 2)).map(brief)).toEqual(['CHANGE b:3', 'CHANGE d:1']);
    await stream.return!();
  });

  test('sends what leaves the filter once, and what enters it', async () => {
    await world.change('a');
    await world.change('z', { owner: 'ben' });
    const ofAnna = feed.streamList(world.list({ owner: 'anna' }));
    const ofBen = feed.streamList(world.list({ owner: 'ben' }));
    expect([await next(ofAnna), await next(ofBen)].map(brief)).toEqual(['SNAPSHOT a:1', 'SNAPSHOT z:1']);
    await world.change('a', { owner: 'ben' });
    await world.change('a', { owner: 'ben' });
    await world.change('b', { owner: 'anna' });
    expect((await take(ofAnna, 2)).map(brief)).toEqual(['CHANGE a:2', 'CHANGE b:1']);
    expect((await take(ofBen, 2)).map(brief)).toEqual(['CHANGE a:2', 'CHANGE a:3']);
    await Promise.all([ofAnna.return!(), ofBen.return!()]);
  });

  test('of more than 1 000 members is a RESYNC, then live', async () => {
    await world.pool.query(
      `INSERT INTO entity SELECT 'VIRTUAL_MACHINE', i::text, 1, 'anna', 1 FROM generate_series(1, 1001) i`,
    );
    const stream = feed.streamList(world.list());
    expect(await next(stream)).toMatchObject({ kind: 'RESYNC', entityId: '', version: 0, changes: [] });
    const waiting = next(stream);
    await world.change('5');
    expect(brief(await waiting)).toBe('CHANGE 5:2');
    await stream.return!();

    await world.pool.query(`DELETE FROM entity WHERE id = '7'`);
    const fewer = feed.streamList(world.list());
    expect(new Set((await take(fewer, 1_000)).map(({ kind }) => kind))).toEqual(new Set(['SNAPSHOT']));
    await fewer.return!();
  });

  test('does not send again what its snapshot of the members already showed, also after a drop', async () => {
    await world.change('a');
    await world.change('b');
    const list = world.list();
    // Committed after the stream took its position and before it looked at the members.
    const currentMembers = async () => {
      await world.change('b');
      await world.change('a');
      return list.currentMembers();
    };
    const stream = feed.streamList({ ...list, currentMembers });
    const snapshots = await take(stream, 2);
    expect(snapshots.map(brief)).toEqual(['SNAPSHOT a:2', 'SNAPSHOT b:2']);
    await world.change('a');
    const change = await next(stream);
    expect(brief(change)).toBe('CHANGE a:3');
    await stream.return!();

    for (const [{ cursor }, expected] of [
      [snapshots[1]!, ['CHANGE a:3', 'CHANGE b:3']],
      [change, ['CHANGE b:3']],
    ] as const) {
      const resumed = feed.streamList(world.list({ after: cursor }));
      const read = take(resumed, expected.length);
      if ((await world.currentVersion('b')) === 2) await world.change('b');
      expect((await read).map(brief)).toEqual(expected);
      await resumed.return!();
    }
  });

  test('after a drop at any event of a batch sends exactly the rest', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await world.change(id);
    const stream = feed.streamList(world.list());
    const [snapshot] = await take(stream, 5);
    await inTransaction(world.pool, async (tx) => {
      for (const id of ['c', 'a', 'e', 'a', 'b', 'c']) await world.changeIn(tx, id);
    });
    await world.change('d');
    const events = await take(stream, 7);
    await stream.return!();
    const all = events.map(brief);
    expect(all.slice(0, 6)).toEqual([
      'CHANGE c:2',
      'CHANGE a:2',
      'CHANGE e:2',
      'CHANGE a:3',
      'CHANGE b:2',
      'CHANGE c:3',
    ]);
    for (const [index, event] of [snapshot!, ...events].entries()) {
      const resumed = feed.streamList(world.list({ after: event.cursor }));
      const rest = await take(resumed, 7 - index);
      expect(rest.map(brief)).toEqual(all.slice(index));
      for (const { changes, version } of rest)
        expect(changes).toEqual([{ field: 'count', from: version - 1, to: version }]);
      // A drop in the middle of the replay loses nothing either.
      for (const [further, { cursor }] of rest.entries()) {
        const again = feed.streamList(world.list({ after: cursor }));
        expect((await take(again, 6 - index - further)).map(brief)).toEqual(all.slice(index + further + 1));
        await again.return!();
      }
      await resumed.return!();
    }
  });

  test('a replay of many pages is exact, and goes over into what comes', async () => {
    await world.change('a');
    const stream = feed.streamList(world.list());
    const { cursor } = await next(stream);
    await stream.return!();
    await world.changeMany(['0', '1', '2', '3', '4', '5', '6'], 1_000);
    await world.change('n', { entityType: 'NETWORK' });
    const resumed = feed.streamList(world.list({ after: cursor }));
    const events = await take(resumed, 700);
    // Behind the reader's back, and more than its mailbox holds.
    await world.changeMany(['b'], 1_100);
    events.push(...(await take(resumed, 1_400)));
    await world.change('c');
    events.push(await next(resumed));
    expect(events.slice(0, 1_000).map(brief)).toEqual(
      Array.from({ length: 1_000 }, (_, i) => `CHANGE ${i % 7}:${Math.floor(i / 7) + 1}`),
    );
    expect(events.slice(1_000, 2_100).map(brief)).toEqual(Array.from({ length: 1_100 }, (_, i) => `CHANGE b:${i + 1}`));
    expect(brief(events[2_100]!)).toBe('CHANGE c:1');
    await resumed.return!();
  });

  test('progress that was held back when the client dropped is in the replay', async () => {
    await world.change('a');
    await world.change('b');
    const stream = feed.streamList(world.list());
    await take(stream, 2);
    await inTransaction(world.pool, async (tx) => {
      // The first passes, the others wait for 250 ms; b's change does not.
      for (let i = 0; i < 3; i += 1) await world.changeIn(tx, 'a', { isProgress: true });
      await world.changeIn(tx, 'b');
    });
    const [first, ofB] = await take(stream, 2);
    expect([first, ofB].map((event) => brief(event!))).toEqual(['CHANGE a:2', 'CHANGE b:2']);
    expect(decodeListCursor(ofB!.cursor, 'VIRTUAL_MACHINE').held).toHaveLength(1);
    const resumed = feed.streamList(world.list({ after: ofB!.cursor }));
    expect(brief(await next(resumed))).toBe('CHANGE a:4');
    const merged = await next(stream);
    expect(merged).toMatchObject({ entityId: 'a', version: 4, changes: [{ field: 'count', from: 2, to: 4 }] });
    expect(decodeListCursor(merged.cursor, 'VIRTUAL_MACHINE').held).toEqual([]);
    // The merged event comes to the resumed stream too, which has had it.
    await world.change('c');
    expect(brief(await next(resumed))).toBe('CHANGE c:1');
    await Promise.all([stream.return!(), resumed.return!()]);
  });

  test('a reader that is too slow is given one RESYNC, then what comes', async () => {
    await world.change('a');
    await world.change('b');
    const stream = feed.streamList(world.list());
    const [, { cursor }] = (await take(stream, 2)) as [StreamEvent, StreamEvent];
    const watcher = feed.streamList(world.list({ after: cursor }));
    const seen = take(watcher, 1_100);
    await world.changeMany(['b'], 1_100);
    await seen;
    const resync = await next(stream);
    expect(resync).toMatchObject({ kind: 'RESYNC', entityId: '', version: 0 });
    await world.change('a');
    expect(brief(await next(stream))).toBe('CHANGE a:2');
    await Promise.all([stream.return!(), watcher.return!()]);
    const resumed = feed.streamList(world.list({ after: resync.cursor }));
    expect(brief(await next(resumed))).toBe('CHANGE a:2');
    await resumed.return!();
  });

  test('all streams of a type are given the identical event, whatever their filter', async () => {
    await world.change('a');
    const streams = Array.from({ length: 20 }, (_, i) => feed.streamList(world.list(i % 2 ? { owner: 'anna' } : {})));
    await Promise.all(streams.map(next));
    // What comes first may carry a cursor of the one stream; from then on they are shared.
    await world.change('a');
    await Promise.all(streams.map(next));
    await world.change('a');
    const events = new Set<StreamEvent>(await Promise.all(streams.map(next)));
    expect(events.size).toBe(1);
    await Promise.all(streams.map((stream) => stream.return!()));
  });

  test('refuses a foreign cursor at once', () => {
    const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const foreign of [
      'x',
      cursor(['l', 'NETWORK', [['1:1:']]]),
      cursor(['l', 'VIRTUAL_MACHINE', []]),
      cursor(['l', 'VIRTUAL_MACHINE', [['1:1:', '5']]]),
      cursor(['l', 'VIRTUAL_MACHINE', [['5:4:']]]),
      cursor(['l', 'VIRTUAL_MACHINE', [["1:1:'"]]]),
      cursor(['l', 'VIRTUAL_MACHINE', [['1:9:3,2']]]),
      cursor(['l', 'VIRTUAL_MACHINE', [['1:1:']], ['x'], []]),
    ]) {
      expect(() => feed.streamList(world.list({ after: foreign })), foreign).toThrow(ForeignCursorError);
    }
  });

  test('answers a cursor of the future with RESYNC', async () => {
    const after = Buffer.from(JSON.stringify(['l', 'VIRTUAL_MACHINE', [['1:99999999999:']]])).toString('base64url');
    const stream = feed.streamList(world.list({ after }));
    expect(await next(stream)).toMatchObject({ kind: 'RESYNC', entityId: '' });
    await stream.return!();
  });
});
