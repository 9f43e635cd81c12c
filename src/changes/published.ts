import { type Covered, encodeEntityCursor, encodeListCursor } from './cursor.ts';
import type { StreamEvent } from './event.ts';
import type { ChangeRecord } from './record.ts';

/**
 * One change on its way to the streams of its entity and of its list. The two kinds differ in their cursor only; each event
 * is made when first asked for, and is then the same frozen object for every stream.
 */
export class PublishedChange {
  readonly record: ChangeRecord;
  /** What a list's stream has had with this change. */
  readonly covered: readonly Covered[];
  /** Progress of the same type that is still held back. */
  readonly held: readonly ChangeRecord[];
  #entityEvent: StreamEvent | undefined;
  #listEvent: StreamEvent | undefined;

  constructor(record: ChangeRecord, covered: readonly Covered[], held: readonly ChangeRecord[]) {
    this.record = record;
    this.covered = covered;
    this.held = held;
  }

  get entityEvent(): StreamEvent {
    this.#entityEvent ??= changeEvent(this.record, encodeEntityCursor(this.record));
    return this.#entityEvent;
  }

  get listEvent(): StreamEvent {
    this.#listEvent ??= changeEvent(
      this.record,
      encodeListCursor({
        entityType: this.record.entityType,
        covered: this.covered,
        held: this.held.map(({ id }) => id),
        known: NOTHING,
      }),
    );
    return this.#listEvent;
  }
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** The event of a change. */
export function changeEvent(record: ChangeRecord, cursor: string): StreamEvent {
  return Object.freeze({
    kind: 'CHANGE',
    entityType: record.entityType,
    entityId: record.entityId,
    version: record.version,
    cursor,
    at: record.at,
    changes: record.changes,
    operationId: record.operationId,
    cause: record.cause,
    before: record.before,
    after: record.after,
  });
}
