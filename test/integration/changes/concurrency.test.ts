import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../../src/changes/index.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { brief, next, take, World } from './world.ts';

const WRITERS = 16;
const ROUNDS = 25;

let world: World;

beforeAll(async () => {
  world = await World.create({ max: WRITERS + 8 });
});
afterAll(() => world.destroy());
afterEach(() => world.clear());

/** 16 writers at once: single and double changes, rollbacks, and transactions that stay open while others commit. */
async function writeAtRandom(): Promise<void> {
  const writer = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const kind = Math.floor(Math.random() * 5);
      const ids = [random(), random()].sort();
      const work = inTransaction(world.pool, async (tx) => {
        await world.changeIn(tx, ids[0]!);
        if (kind === 1) await tx.query('SELECT pg_sleep(random() * 0.03)');
        if (kind >= 2) await world.changeIn(tx, ids[1]!);
        if (kind === 3) throw new Error('rolled back');
      });
      await work.catch((error: Error) => {
        if (error.message !== 'rolled back') throw error;
      });
    }
  };
  const random = () => String(Math.floor(Math.random() * 40));
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

/** What should have been seen: every version of every entity, each once. */
async function recorded(): Promise<string[]> {
  const { rows } = await world.pool.query<{ key: string }>(
    `SELECT 'CHANGE ' || "entityId" || ':' || "version" AS key FROM "Change" WHERE "entityType" = 'VIRTUAL_MACHINE'`,
  );
  return rows.map(({ key }) => key).sort();
}

function expectRising(events: readonly StreamEvent[]): void {
  const versions = new Map<string, number>();
  for (const { entityId, version } of events) {
    expect(version).toBe((versions.get(entityId) ?? 0) + 1);
    versions.set(entityId, version);
  }
}

describe('16 writers', () => {
  test('every change reaches a list once, and rising, on two replicas', async () => {
    const after = await startingPoint();
    const streams = [world.feed(), world.feed()].map((feed) => feed.streamList(world.list({ after })));
    let isWritten = false;
    const reads = streams.map(async (stream) => {
      const events: StreamEvent[] = [];
      const end = 'the end';
      for await (const event of stream) {
        if (event.entityId === end) break;
        events.push(event);
      }
      expect(isWritten).toBe(true);
      return events;
    });
    await writeAtRandom();
    const expected = await recorded();
    isWritten = true;
    await world.change('the end');
    for (const events of await Promise.all(reads)) {
      expectRising(events);
      expect(events.map(brief).sort()).toEqual(expected);
    }
  });

  test('a client that drops all the time and resumes with its last cursor has missed nothing and had nothing twice', async () => {
    const feeds = [world.feed(), world.feed()];
    const start = await startingPoint();
    const read = async (): Promise<StreamEvent[]> => {
      const events: StreamEvent[] = [];
      let after = start;
      for (let turn = 0; ; turn += 1) {
        const stream = feeds[turn % 2]!.streamList(world.list({ after }));
        for (let left = 1 + Math.floor(Math.random() * 12); left > 0; left -= 1) {
          const event = await next(stream);
          if (event.entityId === 'the end') {
            await stream.return!();
            return events;
          }
          expect(event.kind).toBe('CHANGE');
          events.push(event);
          after = event.cursor;
        }
        await stream.return!();
      }
    };
    const reads = [read(), read(), read()];
    await writeAtRandom();
    const expected = await recorded();
    await world.change('the end');
    for (const events of await Promise.all(reads)) {
      expectRising(events);
      expect(events.map(brief).sort()).toEqual(expected);
    }
  });

  test('a client that begins anew in the middle sees each member as it is and each later change once', async () => {
    const feed = world.feed();
    const read = async (): Promise<void> => {
      const versions = new Map<string, number>();
      const hold = feed.streamEntity(
        world.entity('the end', {
          after: endCursor(),
          currentVersion: async () => (await world.currentVersion('the end')) ?? 0,
        }),
      );
      const end = next(hold);
      let isOver = false;
      void end.then(() => {
        isOver = true;
      });
      while (!isOver) {
        versions.clear();
        const stream = feed.streamList(world.list());
        let after: string | undefined;
        for (let left = 60; left > 0 && !isOver; left -= 1) {
          const result = await Promise.race([stream.next(), end.then(() => undefined)]);
          if (!result || result.done) break;
          const { kind, entityId, version, cursor } = result.value;
          if (kind === 'SNAPSHOT') expect(versions.has(entityId)).toBe(false);
          else expect(version).toBe((versions.get(entityId) ?? 0) + 1);
          versions.set(entityId, version);
          if (kind === 'CHANGE') after = cursor;
        }
        await stream.return!();
        if (!after || isOver) continue;
        const resumed = feed.streamList(world.list({ after }));
        for (let left = 20; left > 0 && !isOver; left -= 1) {
          const result = await Promise.race([resumed.next(), end.then(() => undefined)]);
          if (!result || result.done) break;
          const { entityId, version } = result.value;
          expect(version).toBe((versions.get(entityId) ?? 0) + 1);
          versions.set(entityId, version);
        }
        await resumed.return!();
      }
      await hold.return!();
    };
    const reads = [read(), read(), read()];
    await writeAtRandom();
    await world.change('the end');
    await Promise.all(reads);
  });

  test('each entity stream has every version', async () => {
    const feed = world.feed();
    const streams = Array.from({ length: 40 }, (_, i) => {
      const id = String(i);
      return {
        id,
        stream: feed.streamEntity(
          world.entity(id, {
            after: entityCursor(id, 0),
            currentVersion: async () => (await world.currentVersion(id)) ?? 0,
          }),
        ),
      };
    });
    const versions = new Map<string, number[]>(streams.map(({ id }) => [id, []]));
    const reads = streams.map(async ({ id, stream }) => {
      for await (const event of stream) {
        expect(event.kind).toBe('CHANGE');
        versions.get(id)!.push(event.version);
        if (event.cause === 'last') break;
      }
    });
    await writeAtRandom();
    for (const { id } of streams) await world.change(id, { cause: 'last' });
    await Promise.all(reads);
    for (const { id } of streams) {
      const last = (await world.currentVersion(id))!;
      expect(versions.get(id)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    }
  });
});

test('a transaction that stays open while others commit is neither lost nor doubled, live and in a replay', async () => {
  const feed = world.feed();
  await world.change('a');
  const stream = feed.streamList(world.list());
  const { cursor } = await next(stream);
  let commit = (): void => {};
  const isAllowed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let begun = (): void => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const long = inTransaction(world.pool, async (tx) => {
    await world.changeIn(tx, 'slow');
    begun();
    await isAllowed;
  });
  await hasBegun;
  const quick = [];
  for (let i = 0; i < 5; i += 1) {
    await world.change('a');
    quick.push(await next(stream));
  }
  commit();
  await long;
  const late = await next(stream);
  expect([...quick, late].map(brief)).toEqual([
    'CHANGE a:2',
    'CHANGE a:3',
    'CHANGE a:4',
    'CHANGE a:5',
    'CHANGE a:6',
    'CHANGE slow:1',
  ]);
  await world.change('a');
  expect(brief(await next(stream))).toBe('CHANGE a:7');
  await stream.return!();

  // Its id is lower than those of the changes that the client has had already.
  const resumed = feed.streamList(world.list({ after: quick[2]!.cursor }));
  expect((await take(resumed, 4)).map(brief).sort()).toEqual([
    'CHANGE a:5',
    'CHANGE a:6',
    'CHANGE a:7',
    'CHANGE slow:1',
  ]);
  await resumed.return!();
  const fromStart = feed.streamList(world.list({ after: cursor }));
  expect(await take(fromStart, 7)).toHaveLength(7);
  const waiting = next(fromStart);
  await world.change('z');
  expect(brief(await waiting)).toBe('CHANGE z:1');
  await fromStart.return!();
});

/** The cursor of a list that is still empty. */
async function startingPoint(): Promise<string> {
  const { rows } = await world.pool.query<{ text: string }>('SELECT pg_current_snapshot()::text AS text');
  return Buffer.from(JSON.stringify(['l', 'VIRTUAL_MACHINE', [[rows[0]!.text]]])).toString('base64url');
}

function entityCursor(entityId: string, version: number): string {
  return Buffer.from(JSON.stringify(['e', 'VIRTUAL_MACHINE', entityId, version])).toString('base64url');
}

function endCursor(): string {
  return entityCursor('the end', 0);
}
