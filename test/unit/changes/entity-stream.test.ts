import fc from 'fast-check';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { encodeEntityCursor } from '../../../src/changes/cursor.ts';
import { entityEvents } from '../../../src/changes/entity-stream.ts';
import type { StreamEvent } from '../../../src/changes/event.ts';
import type { Hub } from '../../../src/changes/hub.ts';
import { Mailbox } from '../../../src/changes/mailbox.ts';
import { PublishedChange } from '../../../src/changes/published.ts';
import { type RecordRow, toRecord } from '../../../src/changes/record.ts';
import { EventStream } from '../../../src/changes/stream.ts';

const entity = { entityType: 'NETWORK', entityId: '1' } as const;

function row(version: number): RecordRow {
  return {
    ...entity,
    id: String(version),
    xid: String(version),
    version,
    changes: [{ field: 'n', from: version - 1, to: version }],
    before: null,
    after: null,
    isProgress: false,
    operationId: null,
    cause: null,
    at: new Date(0),
  };
}

/** A database and a hub that do each thing when they are told to. */
class World {
  version: number;
  prunedThrough = 0;
  readonly mailbox = new Mailbox(4);
  readonly #asked: { readonly look: () => void; readonly reply: () => void }[] = [];
  #published: number;
  #looked = 0;

  constructor(version: number) {
    this.version = version;
    this.#published = version;
  }

  readonly currentVersion = (): Promise<number> => this.#ask(() => this.version);

  readonly pool = {
    query: (_text: string, [, , above]: [string, string, number]) =>
      this.#ask(() => {
        const kept = Array.from({ length: this.version }, (_, i) => i + 1);
        return { rows: kept.filter((version) => version > Math.max(above, this.prunedThrough)).map(row) };
      }),
  } as unknown as pg.Pool;

  commit(): void {
    this.version += 1;
  }

  /** The hub hands on the next change, some time after its commit. */
  publish(): boolean {
    if (this.#published === this.version) return false;
    this.#published += 1;
    this.mailbox.deliver(new PublishedChange(toRecord(row(this.#published)), [], []));
    return true;
  }

  prune(): void {
    this.prunedThrough = Math.max(this.prunedThrough, this.version - 2);
  }

  /** What was asked first and not yet looked at is looked at now: the moment of its statement's snapshot. */
  look(): void {
    this.#asked[this.#looked]?.look();
    this.#looked = Math.min(this.#looked + 1, this.#asked.length);
  }

  /** The answer to what was asked first arrives. */
  answer(): boolean {
    if (this.#looked === 0) this.look();
    this.#looked = Math.max(0, this.#looked - 1);
    const next = this.#asked.shift();
    next?.reply();
    return next !== undefined;
  }

  #ask<Answer>(read: () => Answer): Promise<Answer> {
    return new Promise((resolve) => {
      let answer: Answer;
      this.#asked.push({
        look: () => {
          answer = read();
        },
        reply: () => resolve(answer),
      });
    });
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

type Step = 'commit' | 'publish' | 'look' | 'answer' | 'next' | 'prune';
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant<Step>('commit') },
    { weight: 5, arbitrary: fc.constant<Step>('publish') },
    { weight: 4, arbitrary: fc.constant<Step>('look') },
    { weight: 4, arbitrary: fc.constant<Step>('answer') },
    { weight: 5, arbitrary: fc.constant<Step>('next') },
    { weight: 1, arbitrary: fc.constant<Step>('prune') },
  ),
  { maxLength: 80 },
);

test('however commits, publications, answers and reads interleave: no gap, nothing twice, current at the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.option(fc.integer({ min: 0, max: 6 })),
      steps,
      async (start, after, list) => {
        const world = new World(start);
        let resyncs = 0;
        let mayResync = after !== null && after > start;
        const stream = new EventStream(() => ({
          events: entityEvents(
            {
              pool: world.pool,
              hub: { ready: () => Promise.resolve(), now: () => new Date(0) } as unknown as Hub,
              mailbox: world.mailbox,
              onResync: () => {
                resyncs += 1;
              },
            },
            { ...entity, currentVersion: world.currentVersion },
            after ?? undefined,
          ),
          stop: () => world.mailbox.close(),
        }));
        const events: StreamEvent[] = [];
        let isReading = false;
        const read = (): void => {
          if (isReading) return;
          isReading = true;
          void stream.next().then(({ value }) => {
            isReading = false;
            if (value) events.push(value);
          });
        };
        for (const step of list) {
          if (step === 'next') read();
          else if (step === 'prune') {
            world.prune();
            mayResync = true;
          } else world[step]();
          mayResync ||= world.mailbox.isBroken;
          await turn();
        }
        const isCurrent = () =>
          events.at(-1)?.version === world.version || (events.length === 0 && after === world.version);
        for (let idle = 0; idle < 3; ) {
          const before = events.length;
          read();
          const isBusy = world.publish() || world.answer();
          mayResync ||= world.mailbox.isBroken;
          await turn();
          idle = isBusy || events.length > before ? 0 : idle + 1;
        }
        await stream.return();

        expect(isCurrent()).toBe(true);
        if (after === null) expect(events[0]!.kind).toBe('SNAPSHOT');
        let version = after ?? Number.NaN;
        for (const event of events) {
          expect(event.cursor).toBe(encodeEntityCursor({ ...entity, version: event.version }));
          if (event.kind === 'CHANGE') {
            expect(event.version).toBe(version + 1);
            expect(event.changes).toEqual([{ field: 'n', from: version, to: version + 1 }]);
          }
          version = event.version;
        }
        expect(events.filter(({ kind }) => kind === 'RESYNC')).toHaveLength(resyncs);
        if (!mayResync) expect(resyncs).toBe(0);
      },
    ),
    { numRuns: 500 },
  );
});
