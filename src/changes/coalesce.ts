import type { EntityType } from './append.ts';
import { type ChangeRecord, entityKey, mergeProgress } from './record.ts';

/** At most 4 progress changes of an entity a second. */
const INTERVAL_MS = 250;
/** Every list event names what is held back, so that a client which drops just then gets it; this bounds the cursor. */
const MAX_HELD = 100;

/**
 * Thins out progress: of an entity the first change passes at once, those within the next 250 ms are merged into one that
 * passes then. Once for all streams, so that they share the merged event, too.
 */
export class ProgressCoalescer {
  readonly #release: (record: ChangeRecord) => void;
  /** When progress of an entity last passed, oldest first; forgotten after the interval. */
  readonly #passedAt = new Map<string, number>();
  readonly #held = new Map<string, ChangeRecord>();
  #timer: NodeJS.Timeout | undefined;

  /** @param release - told the held change when its time has come */
  constructor(release: (record: ChangeRecord) => void) {
    this.#release = release;
  }

  /** Whether this progress change passes now; if not, it is held and passes later. */
  admit(record: ChangeRecord): boolean {
    const key = entityKey(record.entityType, record.entityId);
    const held = this.#held.get(key);
    const passedAt = this.#passedAt.get(key);
    const isTooSoon = passedAt !== undefined && performance.now() - passedAt < INTERVAL_MS;
    if (held || (isTooSoon && this.#held.size < MAX_HELD)) {
      this.#held.set(key, held ? mergeProgress(held, record) : record);
      return false;
    }
    this.#passed(key);
    return true;
  }

  /** Gives up the held change of an entity, for it to be sent before a state change of the same entity. */
  take(entityType: EntityType, entityId: string): ChangeRecord | undefined {
    const key = entityKey(entityType, entityId);
    const held = this.#held.get(key);
    this.#held.delete(key);
    return held;
  }

  /** What is held of a type at this moment. */
  heldOf(entityType: EntityType): readonly ChangeRecord[] {
    if (this.#held.size === 0) return NONE;
    return [...this.#held.values()].filter((record) => record.entityType === entityType);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#passedAt.clear();
    this.#held.clear();
  }

  #passed(key: string): void {
    this.#passedAt.delete(key);
    this.#passedAt.set(key, performance.now());
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer) return;
    const [oldest] = this.#passedAt.values();
    if (oldest === undefined) return;
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, oldest + INTERVAL_MS - performance.now()));
  }

  #tick(): void {
    this.#timer = undefined;
    const due = performance.now() - INTERVAL_MS;
    for (const [key, passedAt] of this.#passedAt) {
      if (passedAt > due) break;
      this.#passedAt.delete(key);
      const held = this.#held.get(key);
      if (!held) continue;
      this.#held.delete(key);
      this.#passed(key);
      this.#release(held);
    }
    this.#schedule();
  }
}

const NONE: readonly ChangeRecord[] = [];
