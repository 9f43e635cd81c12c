import { setImmediate as immediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Hub } from '../../../src/changes/hub.ts';
import type { PublishedChange } from '../../../src/changes/published.ts';
import type { Queryable } from '../../../src/database/pool.ts';

/** A record of changes as the hub's two statements see it: [xid, entity, version], and what is visible. */
class FakeDatabase implements Queryable {
  rows: [xid: number, entityId: string, version: number][] = [];
  xmax = 100;
  pruned: string | null = null;
  readonly asked: string[] = [];

  readonly query = (async (_text: string, values?: readonly unknown[]) => {
    const always = { snapshot: `${this.xmax}:${this.xmax}:`, now: new Date(), prunedXid: this.pruned };
    if (!values) {
      this.asked.push('snapshot');
      return { rows: [always] };
    }
    const since = Number(values[0]);
    this.asked.push(`since ${since}`);
    const rows = this.rows.flatMap(([xid, entityId, version], index) =>
      xid < since
        ? []
        : {
            ...always,
            id: String(index + 1),
            xid: String(xid),
            entityType: 'NETWORK',
            entityId,
            version,
            changes: [],
            before: null,
            after: null,
            isProgress: false,
            operationId: null,
            cause: null,
            at: new Date(),
          },
    );
    return { rows: rows.length > 0 ? rows : [{ ...always, id: null }] };
  }) as unknown as Queryable['query'];

  commit(entityId: string, version: number): void {
    this.rows.push([this.xmax, entityId, version]);
    this.xmax += 1;
  }
}

let database: FakeDatabase;
let hub: Hub;
const onError = vi.fn();

beforeEach(() => {
  database = new FakeDatabase();
  hub = new Hub({ db: database, onError });
});
afterEach(() => {
  hub.close();
  expect(onError).not.toHaveBeenCalled();
});

function subscriber() {
  const seen: string[] = [];
  return {
    seen,
    deliver: ({ record }: PublishedChange) => {
      seen.push(`${record.entityId}:${record.version}`);
    },
    discontinue: () => {
      seen.push('discontinued');
    },
  };
}

/** Nudges the hub and waits until it has read, and has handed on what it read. */
async function read(): Promise<void> {
  const before = database.asked.length;
  hub.nudge();
  await vi.waitFor(() => expect(database.asked.length).toBeGreaterThan(before), { interval: 1 });
  await immediate();
}

const list = { entityType: 'NETWORK', entityId: null } as const;

describe('the hub', () => {
  test('asks nothing while nobody listens, and takes a new position when somebody comes', async () => {
    hub.nudge();
    database.commit('a', 1);
    const first = subscriber();
    const leave = hub.subscribe(list, first);
    await hub.ready();
    database.commit('a', 2);
    await read();
    leave();
    leave();
    const asked = database.asked.length;
    database.commit('a', 3);
    hub.nudge();
    await immediate();
    expect(database.asked).toHaveLength(asked);
    const second = subscriber();
    hub.subscribe({ entityType: 'NETWORK', entityId: 'a' }, second);
    await hub.ready();
    database.commit('b', 1);
    database.commit('a', 4);
    await read();
    expect(first.seen).toEqual(['a:2']);
    expect(second.seen).toEqual(['a:4']);
    expect(database.asked.filter((what) => what === 'snapshot')).toHaveLength(2);
  });

  test('a nudge during a read has it read once more, however many there were', async () => {
    hub.subscribe(list, subscriber());
    await hub.ready();
    await read();
    database.asked.length = 0;
    for (let i = 0; i < 10; i += 1) hub.nudge();
    await Promise.resolve();
    await Promise.resolve();
    expect(database.asked).toHaveLength(1);
    for (let i = 0; i < 10; i += 1) hub.nudge();
    await vi.waitFor(() => expect(database.asked).toHaveLength(2));
    await vi.waitFor(() => expect(hub.lagMs).toBe(0));
    expect(database.asked).toHaveLength(2);
  });

  test('after a lost connection finds what a crash put behind its position, and repeats nothing', async () => {
    const stream = subscriber();
    hub.subscribe(list, stream);
    await hub.ready();
    database.commit('a', 1);
    await read();
    // Given out and rolled back: nothing of it was on disk when the server crashed.
    database.xmax += 1;
    await read();
    const lost = database.xmax - 1;
    database.rows.push([lost, 'b', 1]);
    database.commit('a', 2);
    await read();
    expect(stream.seen).toEqual(['a:1', 'a:2']);
    hub.rewind();
    await read();
    expect(stream.seen).toEqual(['a:1', 'a:2', 'b:1']);
    hub.rewind();
    await read();
    expect(stream.seen).toHaveLength(3);
  });

  test('tells its streams when the database went back in time', async () => {
    const stream = subscriber();
    hub.subscribe(list, stream);
    await hub.ready();
    database.commit('a', 1);
    await read();
    database.rows = [];
    database.xmax = 50;
    await read();
    database.commit('a', 1);
    await read();
    expect(stream.seen).toEqual(['a:1', 'discontinued', 'a:1']);
  });

  test('tells its streams when what it had not read was pruned', async () => {
    const stream = subscriber();
    hub.subscribe(list, stream);
    await hub.ready();
    database.pruned = '99';
    await read();
    expect(stream.seen).toEqual([]);
    database.xmax = 110;
    database.pruned = '104';
    await read();
    await read();
    expect(stream.seen).toEqual(['discontinued']);
  });
});
