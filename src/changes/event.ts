import type { EntityType } from './append.ts';
import type { Json } from './json.ts';

/** One field's step, as it is kept: JSON. */
export interface FieldChange {
  readonly field: string;
  readonly from: Json;
  readonly to: Json;
}

/** SNAPSHOT: how things stand at first. CHANGE: one step. RESYNC: steps are missing, look again at the whole. */
export type StreamEventKind = 'SNAPSHOT' | 'CHANGE' | 'RESYNC';

/**
 * What a subscription is sent. A CHANGE is one frozen object for all streams of a topic, so that the identity of the
 * object can key work that is done once for N subscribers.
 */
export interface StreamEvent {
  readonly kind: StreamEventKind;
  readonly entityType: EntityType;
  /** Empty in a list's RESYNC, which is about the whole list. */
  readonly entityId: string;
  /** 0 in a list's RESYNC. */
  readonly version: number;
  /** Opaque; as `after` of the same subscription it continues behind this event. */
  readonly cursor: string;
  /** By the database's clock: when the change was made, or when the state was looked at. */
  readonly at: Date;
  /** Exact in a replay; of progress that was coalesced live, the whole step. Empty for SNAPSHOT and RESYNC. */
  readonly changes: readonly FieldChange[];
  readonly operationId: string | null;
  readonly cause: string | null;
  readonly before: Json | null;
  readonly after: Json | null;
}

/** A SNAPSHOT or RESYNC, which carries no step. */
export function stateEvent(
  kind: 'SNAPSHOT' | 'RESYNC',
  state: Pick<StreamEvent, 'entityType' | 'entityId' | 'version' | 'cursor' | 'at'>,
): StreamEvent {
  return Object.freeze({
    kind,
    entityType: state.entityType,
    entityId: state.entityId,
    version: state.version,
    cursor: state.cursor,
    at: state.at,
    changes: NO_CHANGES,
    operationId: null,
    cause: null,
    before: null,
    after: null,
  });
}

const NO_CHANGES: readonly FieldChange[] = Object.freeze([]);
