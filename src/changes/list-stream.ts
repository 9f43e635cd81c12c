import type { EntityType } from './append.ts';
import { baseOf, type Covered, encodeListCursor, extend, type ListCursor, MAX_COVERED } from './cursor.ts';
import type { StreamContext } from './entity-stream.ts';
import { type StreamEvent, stateEvent } from './event.ts';
import type { Json } from './json.ts';
import { changeEvent, type PublishedChange } from './published.ts';
import { type Continuation, readMissed, readOverlap, readSnapshot } from './reader.ts';
import { covers, isVisible, type Snapshot } from './snapshot.ts';
import { outlivingRestart } from './transient.ts';

/** What one subscription to a list's changes wants. */
export interface ListStreamOptions {
  readonly entityType: EntityType;
  /** A cursor of an earlier event of a list of this type: the stream goes on behind it. */
  readonly after?: string | null | undefined;
  /** Whether an entity with these values is in the list. Asked of a change's values before and after; either will do. */
  matches(attributes: Json | null): boolean;
  /** The list as of a statement begun when it is called; 1 001 members say that there are too many. */
  currentMembers(): Promise<readonly ListMember[]>;
}

export interface ListMember {
  readonly entityId: string;
  readonly version: number;
}

/** More are not sent one by one. */
const MOST_MEMBERS = 1_000;

const NOTHING: ReadonlyMap<string, number> = new Map();

/** What this stream has had beside what the hub has published to all. */
interface Head {
  /** All changes that it sees. */
  readonly seen: Snapshot;
  /** And of these entities all up to the version. */
  readonly known: ReadonlyMap<string, number>;
  /** Until the hub has read as far as this, shared cursors do not tell of `seen` and `known`. */
  readonly settled: Snapshot;
}

/**
 * The events of a list: its members (or the missed changes), then what is published. As for one entity the mailbox is
 * filling before the database is read; what a snapshot sees takes the place of the version.
 *
 * @param after - where to go on, undefined to begin
 */
export async function* listEvents(
  context: StreamContext,
  options: ListStreamOptions,
  after: ListCursor | undefined,
): AsyncGenerator<StreamEvent, undefined, undefined> {
  const { hub, mailbox } = context;
  await hub.ready();
  if (mailbox.isClosed) return;

  let head = after ? yield* replay(context, options, after) : yield* members(context, options);
  let hasHead = true;

  while (!mailbox.isClosed) {
    if (!head || mailbox.isBroken) {
      head = yield* resync(context, options.entityType);
      hasHead = true;
      continue;
    }
    const change = mailbox.take();
    if (!change) {
      await mailbox.filled();
      continue;
    }
    if (hasHead && isSettled(change, head)) hasHead = false;
    const { record } = change;
    if (isVisible(record.xid, head.seen) || record.version <= (head.known.get(record.entityId) ?? -1)) continue;
    if (!options.matches(record.before) && !options.matches(record.after)) continue;
    yield hasHead ? changeEvent(record, cursorWith(change, head)) : change.listEvent;
  }
}

/** A SNAPSHOT of each member; of too many, a RESYNC. */
async function* members(
  context: StreamContext,
  { entityType, currentMembers }: ListStreamOptions,
): AsyncGenerator<StreamEvent, Head | undefined, undefined> {
  const { pool, mailbox } = context;
  const { snapshot, now } = await outlivingRestart(mailbox, () => readSnapshot(pool));
  const list = await outlivingRestart(mailbox, () => currentMembers());
  if (list.length > MOST_MEMBERS) return undefined;
  // Members may show what was committed since the snapshot; its changes must not come a second time.
  const overlap = await outlivingRestart(mailbox, () => readOverlap(pool, entityType, snapshot, list));
  const { known } = overlap;
  const cursor = encodeListCursor({ entityType, covered: whole(snapshot), held: [], known });
  for (const { entityId, version } of list) {
    yield stateEvent('SNAPSHOT', { entityType, entityId, version, cursor, at: now });
  }
  return { seen: snapshot, known, settled: overlap.snapshot };
}

/** The missed changes; undefined when some are missing from the record. */
async function* replay(
  { pool, mailbox }: StreamContext,
  { entityType, matches }: ListStreamOptions,
  after: ListCursor,
): AsyncGenerator<StreamEvent, Head | undefined, undefined> {
  let { covered, held } = after;
  const { known } = after;
  if (covered.length === MAX_COVERED) return undefined;
  for (;;) {
    mailbox.reset();
    let continuation: Continuation | null = null;
    for (let isLast = false; !isLast; ) {
      const position: ListCursor = { entityType, covered, held, known };
      const page = await outlivingRestart(mailbox, () => readMissed(pool, position, continuation));
      if (isPruned(page.prunedXid, covered) || isOfTheFuture(page.snapshot, covered)) return undefined;
      const upTo: Snapshot = continuation?.upTo ?? page.snapshot;
      for (const record of page.records) {
        continuation = { upTo, afterId: record.id };
        held = held.filter((id) => id !== record.id);
        if (record.version <= (known.get(record.entityId) ?? -1)) continue;
        if (!matches(record.before) && !matches(record.after)) continue;
        const soFar = extend(covered, { snapshot: upTo, throughId: record.id });
        yield changeEvent(record, encodeListCursor({ entityType, covered: soFar, held, known }));
        if (mailbox.isClosed) return undefined;
      }
      continuation ??= { upTo, afterId: 0n };
      isLast = page.isLast;
    }
    const { upTo } = continuation!;
    // Slower than what was published meanwhile: the record still has it.
    if (!mailbox.isBroken) return { seen: upTo, known: NOTHING, settled: upTo };
    covered = whole(upTo);
    held = [];
  }
}

/** One RESYNC for the whole list: what the client reads after it shows all that its cursor covers. */
async function* resync(
  { pool, mailbox, onResync }: StreamContext,
  entityType: EntityType,
): AsyncGenerator<StreamEvent, Head, undefined> {
  mailbox.reset();
  const { snapshot, now } = await outlivingRestart(mailbox, () => readSnapshot(pool));
  const cursor = encodeListCursor({ entityType, covered: whole(snapshot), held: [], known: NOTHING });
  onResync();
  yield stateEvent('RESYNC', { entityType, entityId: '', version: 0, cursor, at: now });
  return { seen: snapshot, known: NOTHING, settled: snapshot };
}

function whole(snapshot: Snapshot): readonly Covered[] {
  return [{ snapshot, throughId: null }];
}

/**
 * A pruned change that the cursor's snapshot does not see was written at or above its xmin. The reverse is not so, and a
 * RESYNC too many is harmless.
 */
function isPruned(prunedXid: bigint | null, covered: readonly Covered[]): boolean {
  return prunedXid !== null && prunedXid >= baseOf(covered).xmin;
}

/** Only a restored backup stands before a cursor that it once gave. */
function isOfTheFuture(present: Snapshot, covered: readonly Covered[]): boolean {
  return covered.some(({ snapshot }) => snapshot.xmax > present.xmax);
}

/** Whether the hub's own cursor tells of all that the stream has had, and calls nothing of it held. */
function isSettled(change: PublishedChange, { settled }: Head): boolean {
  return covers(baseOf(change.covered), settled) && !change.held.some(({ xid }) => isVisible(xid, settled));
}

/** A cursor for this stream alone, in the moments after its start. */
function cursorWith({ record, covered, held }: PublishedChange, { seen, known }: Head): string {
  return encodeListCursor({
    entityType: record.entityType,
    covered: extend(covered, { snapshot: seen, throughId: null }),
    held: held.filter(({ xid }) => !isVisible(xid, seen)).map(({ id }) => id),
    known,
  });
}
