import { type ChangeRecord, entityKey } from './record.ts';
import type { Snapshot } from './snapshot.ts';

/** A generation is kept for one more, so between 10 and 20 s are remembered. */
const GENERATION_MS = 10_000;

interface Generation {
  readonly since: Snapshot;
  readonly beganAt: number;
  readonly versions: Map<string, number>;
}

/**
 * What has been published lately. After a crash PostgreSQL hands out again the transaction ids of which nothing reached
 * its log (flushed every 0.2–0.6 s at worst), and a position from before counts those as seen. So after a lost connection
 * the hub reads again from a position of 10–20 s ago, and leaves out what it has published since.
 */
export class RecentChanges {
  #older: Generation;
  #newer: Generation;

  constructor(position: Snapshot) {
    this.#newer = begin(position);
    this.#older = this.#newer;
  }

  /** A position of at least 10 s ago, when there is one. */
  get since(): Snapshot {
    return this.#older.since;
  }

  /** Told now and then how far the hub has read. */
  advance(position: Snapshot): void {
    if (performance.now() - this.#newer.beganAt < GENERATION_MS) return;
    this.#older = this.#newer;
    this.#newer = begin(position);
  }

  add(record: ChangeRecord): void {
    this.#newer.versions.set(entityKey(record.entityType, record.entityId), record.version);
  }

  /** Whether the change, or a later one of its entity, is among those remembered. */
  has(record: ChangeRecord): boolean {
    const key = entityKey(record.entityType, record.entityId);
    const version = this.#newer.versions.get(key) ?? this.#older.versions.get(key);
    return version !== undefined && version >= record.version;
  }
}

function begin(since: Snapshot): Generation {
  return { since, beganAt: performance.now(), versions: new Map() };
}
