/** The record of changes and the live streams from it. Other folders import from here only. */
export {
  type AppendTx,
  appendChange,
  type EntityChange,
  type EntityType,
  type FieldStep,
} from './append.ts';
export {
  decodeEntityCursor,
  decodeListCursor,
  type EntityCursor,
  encodeEntityCursor,
  encodeListCursor,
  ForeignCursorError,
  type ListCursor,
} from './cursor.ts';
export type { EntityStreamOptions } from './entity-stream.ts';
export type { FieldChange, StreamEvent, StreamEventKind } from './event.ts';
export { type ChangeFeed, type ChangeFeedOptions, createChangeFeed, type FeedLogger, type FeedStats } from './feed.ts';
export type { Json } from './json.ts';
export type { ListMember, ListStreamOptions } from './list-stream.ts';
export { pruneChanges, type RetentionOptions } from './retention.ts';
export { FeedClosedError } from './stream.ts';
