import { baseOf, type Covered } from './cursor.ts';
import type { Page } from './reader.ts';
import { RecentChanges } from './recent.ts';
import type { Snapshot } from './snapshot.ts';

/** How far the hub has read the record. */
export interface Position {
  /** The next batch is what this does not see. */
  since: Snapshot;
  /** What streams have had, for cursors: `since`, but for a re-read after a lost connection. */
  settled: readonly Covered[];
  /** The batch under way, when it has more pages. */
  batch: { readonly upTo: Snapshot; afterId: bigint } | null;
  /** The snapshot of the last batch, to notice a database that went back. */
  latest: Snapshot;
  readonly recent: RecentChanges;
}

/** Nothing of what `snapshot` sees is to be read. */
export function positionAt(snapshot: Snapshot): Position {
  const settled = [{ snapshot, throughId: null }];
  return { since: snapshot, settled, batch: null, latest: snapshot, recent: new RecentChanges(snapshot) };
}

/** What a stream has had with the change just read, for its cursor. */
export function coveredSoFar({ settled, batch }: Position): readonly Covered[] {
  return batch ? [...settled, { snapshot: batch.upTo, throughId: batch.afterId }] : settled;
}

/** Goes back 10–20 s. What is known to have been published is not published again, see {@link RecentChanges}. */
export function rewind(position: Position): void {
  const { batch, settled, recent } = position;
  // What streams have had of the batch; of several that broke off, the last: at worst a client sees a change twice.
  if (batch) position.settled = [settled[0]!, { snapshot: batch.upTo, throughId: batch.afterId }];
  position.since = recent.since;
  position.batch = null;
}

/** The whole batch has been read. */
export function settle(position: Position, upTo: Snapshot): void {
  position.since = upTo;
  position.settled = [{ snapshot: upTo, throughId: null }];
  position.batch = null;
}

/**
 * A restored backup or a replica that took over may lack transactions that we have seen, and its new ones would look old.
 * Of pruned changes only the highest transaction is known; from xmax on it was surely one that we have not read.
 */
export function isDiscontinuous(position: Position, page: Page): boolean {
  return (
    page.snapshot.xmax < position.latest.xmax ||
    (page.prunedXid !== null && page.prunedXid >= baseOf(position.settled).xmax)
  );
}
