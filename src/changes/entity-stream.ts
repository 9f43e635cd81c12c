import type pg from 'pg';
import type { EntityType } from './append.ts';
import { encodeEntityCursor } from './cursor.ts';
import { type StreamEvent, stateEvent } from './event.ts';
import type { Hub } from './hub.ts';
import type { Mailbox } from './mailbox.ts';
import { changeEvent } from './published.ts';
import { readEntity } from './reader.ts';
import { outlivingRestart } from './transient.ts';

/** What one subscription to an entity's changes wants. */
export interface EntityStreamOptions {
  readonly entityType: EntityType;
  readonly entityId: string;
  /** A cursor of an earlier event of this entity: the stream goes on behind it. */
  readonly after?: string | null | undefined;
  /** The version as of a statement begun when it is called; null ends the stream: there is nothing to see (any more). */
  currentVersion(): Promise<number | null>;
  /** False leaves out what only moved build progress. */
  readonly includeProgress?: boolean | undefined;
}

/** What a stream works with. */
export interface StreamContext {
  readonly pool: pg.Pool;
  readonly hub: Hub;
  readonly mailbox: Mailbox;
  /** Counts a RESYNC. */
  readonly onResync: () => void;
}

/**
 * The events of one entity, in three phases: the state (or the missed changes), then what is published, and the state again
 * whenever the mailbox overflowed. In each, the mailbox is filling before the database is read, and what it holds at or
 * below the version read is left out: no gap, nothing twice.
 *
 * @param afterVersion - where to go on, undefined to begin
 */
export async function* entityEvents(
  { pool, hub, mailbox, onResync }: StreamContext,
  options: EntityStreamOptions,
  afterVersion: number | undefined,
): AsyncGenerator<StreamEvent, undefined, undefined> {
  const { entityType, entityId, includeProgress = true } = options;
  const current = () => outlivingRestart(mailbox, () => options.currentVersion());
  const state = (kind: 'SNAPSHOT' | 'RESYNC', version: number) =>
    stateEvent(kind, {
      entityType,
      entityId,
      version,
      cursor: encodeEntityCursor({ entityType, entityId, version }),
      at: hub.now(),
    });

  await hub.ready();
  let version = afterVersion ?? -1;
  let isResyncNeeded = false;

  const start = await current();
  if (start === null || mailbox.isClosed) return;
  if (afterVersion === undefined) {
    version = start;
    yield state('SNAPSHOT', version);
  } else if (afterVersion > start) {
    // Of a time that the database has no longer: a restored backup.
    isResyncNeeded = true;
  } else {
    for (let isBehind = version < start; isBehind && !isResyncNeeded; ) {
      mailbox.reset();
      const page = await outlivingRestart(mailbox, () => readEntity(pool, options, version));
      for (const record of page.records) {
        isResyncNeeded = record.version !== version + 1;
        if (isResyncNeeded || mailbox.isClosed) break;
        version = record.version;
        if (includeProgress || !record.isProgress) yield changeEvent(record, encodeEntityCursor(record));
      }
      if (mailbox.isClosed) return;
      // Slower than what was published meanwhile: the record still has it.
      isBehind = !page.isLast || mailbox.isBroken;
      // The newest were pruned, and nothing is left to show the gap.
      isResyncNeeded ||= !isBehind && version < start;
    }
  }

  while (!mailbox.isClosed) {
    if (isResyncNeeded || mailbox.isBroken) {
      isResyncNeeded = false;
      mailbox.reset();
      const present = await current();
      if (present === null || mailbox.isClosed) return;
      version = present;
      onResync();
      yield state('RESYNC', version);
      continue;
    }
    const change = mailbox.take();
    if (!change) {
      await mailbox.filled();
      continue;
    }
    const { record } = change;
    if (record.version <= version) continue;
    version = record.version;
    if (includeProgress || !record.isProgress) yield change.entityEvent;
  }
}
