import type { EntityType } from './append.ts';
import { covers, parseSnapshot, type Snapshot } from './snapshot.ts';

/** The cursor is malformed, or belongs to another object, list or kind of subscription. */
export class ForeignCursorError extends Error {
  override readonly name = 'ForeignCursorError';

  constructor() {
    super('The cursor is not one of this subscription');
  }
}

/** Where a stream of one entity stands: its version. */
export interface EntityCursor {
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly version: number;
}

/** What `snapshot` sees, up to a change's id, or all of it. */
export interface Covered {
  readonly snapshot: Snapshot;
  readonly throughId: bigint | null;
}

/**
 * Where a stream of a list stands: it has had what any of `covered` covers, without what was still `held` back, and what is
 * at or below a version of `known`. Usually one snapshot; more in the middle of a batch, so that a client which drops there
 * misses nothing and gets nothing twice.
 */
export interface ListCursor {
  readonly entityType: EntityType;
  readonly covered: readonly Covered[];
  /** Ids of coalesced progress that had not been sent. */
  readonly held: readonly bigint[];
  readonly known: ReadonlyMap<string, number>;
}

/** Bounds of what a client may make us read; our own cursors stay far below, but for `known` in a very busy list. */
const MAX_LENGTH = 65_536;
/** Two or three in practice; more only by drops in the middle of replays while transactions commit out of order. */
export const MAX_COVERED = 12;
const MAX_HELD = 1_000;
const MAX_KNOWN = 1_000;
const MAX_ID_LENGTH = 128;

export function encodeEntityCursor({ entityType, entityId, version }: EntityCursor): string {
  return encode(['e', entityType, entityId, version]);
}

/** @throws ForeignCursorError unless the cursor is one of this entity */
export function decodeEntityCursor(cursor: string, entityType: EntityType, entityId: string): EntityCursor {
  const [kind, type, id, version, ...rest] = decode(cursor);
  if (kind !== 'e' || type !== entityType || id !== entityId || !isVersion(version) || rest.length > 0) {
    throw new ForeignCursorError();
  }
  return { entityType, entityId, version };
}

export function encodeListCursor({ entityType, covered, held, known }: ListCursor): string {
  const parts = covered.map(({ snapshot, throughId }) =>
    throughId === null ? [snapshot.text] : [snapshot.text, throughId.toString()],
  );
  const value: unknown[] = ['l', entityType, parts];
  if (held.length > 0 || known.size > 0) value.push(held.map(String), [...known]);
  return encode(value);
}

/** @throws ForeignCursorError unless the cursor is one of this list */
export function decodeListCursor(cursor: string, entityType: EntityType): ListCursor {
  const [kind, type, parts, held = [], known = [], ...rest] = decode(cursor);
  if (kind !== 'l' || type !== entityType || rest.length > 0) throw new ForeignCursorError();
  const covered = listOf(parts, MAX_COVERED, readCovered);
  // The first snapshot must be whole: it says where in the record the replay begins.
  if (covered[0]?.throughId !== null) throw new ForeignCursorError();
  return {
    entityType,
    covered,
    held: listOf(held, MAX_HELD, readId),
    known: new Map(listOf(known, MAX_KNOWN, readKnown)),
  };
}

/** `covered` with one part more, without those that the new one makes superfluous; whole ones first. */
export function extend(covered: readonly Covered[], part: Covered): readonly Covered[] {
  const isWithin = ({ snapshot, throughId }: Covered): boolean =>
    (part.throughId === null || (throughId !== null && throughId <= part.throughId)) && covers(part.snapshot, snapshot);
  const others = covered.filter((other) => !isWithin(other));
  return part.throughId === null ? [part, ...others] : [...others, part];
}

/** The snapshot that says where in the record to go on: the first, which is whole. */
export function baseOf(covered: readonly Covered[]): Snapshot {
  return covered[0]!.snapshot;
}

function encode(value: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(cursor: string): readonly unknown[] {
  if (cursor.length > MAX_LENGTH || !/^[\w-]+$/.test(cursor)) throw new ForeignCursorError();
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value)) return value;
  } catch {
    // Not JSON: falls through.
  }
  throw new ForeignCursorError();
}

function listOf<Item>(value: unknown, most: number, read: (item: unknown) => Item): Item[] {
  if (!Array.isArray(value) || value.length > most) throw new ForeignCursorError();
  return value.map(read);
}

function readCovered(value: unknown): Covered {
  if (!Array.isArray(value) || value.length < 1 || value.length > 2) throw new ForeignCursorError();
  const [text, throughId] = value as unknown[];
  if (typeof text !== 'string') throw new ForeignCursorError();
  try {
    return { snapshot: parseSnapshot(text), throughId: value.length === 2 ? readId(throughId) : null };
  } catch {
    throw new ForeignCursorError();
  }
}

function readId(value: unknown): bigint {
  // 18 digits always fit PostgreSQL's bigint.
  if (typeof value !== 'string' || !/^\d{1,18}$/.test(value)) throw new ForeignCursorError();
  return BigInt(value);
}

function readKnown(value: unknown): [string, number] {
  if (!Array.isArray(value) || value.length !== 2) throw new ForeignCursorError();
  const [id, version] = value as unknown[];
  if (typeof id !== 'string' || id.length > MAX_ID_LENGTH || !isVersion(version)) throw new ForeignCursorError();
  return [id, version];
}

function isVersion(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 2_147_483_647;
}
