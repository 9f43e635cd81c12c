import type pg from 'pg';
import {
  appendChange,
  type ChangeFeed,
  type ChangeFeedOptions,
  createChangeFeed,
  type EntityStreamOptions,
  type EntityType,
  type ListStreamOptions,
  type StreamEvent,
} from '../../../src/changes/index.ts';
import { nudgeAll } from '../../../src/changes/nudge.ts';
import { inTransaction, type Tx } from '../../../src/database/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/** Attributes of the entities here: an owner, to filter by, and a counter. */
export interface Attributes {
  owner: string;
  count: number;
}

interface ChangeOptions {
  isProgress?: boolean;
  owner?: string;
  entityType?: EntityType;
  operationId?: string;
  cause?: string;
}

/** A database with entities that are changed as the product does it: version raised under the row lock. */
export class World {
  readonly db: TestDatabase;
  readonly #feeds: ChangeFeed[] = [];

  private constructor(db: TestDatabase) {
    this.db = db;
  }

  static async create(options: { max?: number } = {}): Promise<World> {
    const db = await createTestDatabase(options);
    await db.pool.query(`
      CREATE TABLE entity (type text, id text, version int NOT NULL, owner text NOT NULL, count int NOT NULL, PRIMARY KEY (type, id))`);
    return new World(db);
  }

  get pool(): pg.Pool {
    return this.db.pool;
  }

  /** A started feed, closed by {@link destroy}. Pruning is left to the tests. */
  feed(options: Partial<ChangeFeedOptions> = {}): ChangeFeed {
    const feed = createChangeFeed({ pool: this.pool, databaseUrl: this.db.url, retention: false, ...options });
    feed.start();
    this.#feeds.push(feed);
    return feed;
  }

  /** Commits one change in a transaction of its own and resolves with the new version. */
  change(id: string, options: ChangeOptions = {}): Promise<number> {
    return inTransaction(this.pool, (tx) => this.changeIn(tx, id, options));
  }

  /** One change as part of `tx`. */
  async changeIn(tx: Pick<Tx, 'query' | 'afterCommit'>, id: string, options: ChangeOptions = {}): Promise<number> {
    const entityType = options.entityType ?? 'VIRTUAL_MACHINE';
    await tx.query(`INSERT INTO entity VALUES ($1, $2, 0, $3, 0) ON CONFLICT DO NOTHING`, [
      entityType,
      id,
      options.owner ?? 'anna',
    ]);
    const { rows } = await tx.query<Attributes & { version: number }>(
      'SELECT version, owner, count FROM entity WHERE type = $1 AND id = $2 FOR NO KEY UPDATE',
      [entityType, id],
    );
    const { version, ...before } = rows[0]!;
    const after = { owner: options.owner ?? before.owner, count: before.count + 1 };
    await tx.query('UPDATE entity SET version = version + 1, owner = $3, count = $4 WHERE type = $1 AND id = $2', [
      entityType,
      id,
      after.owner,
      after.count,
    ]);
    await appendChange(tx, {
      entityType,
      entityId: id,
      version: version + 1,
      changes: [{ field: 'count', from: before.count, to: after.count }],
      before: version === 0 ? null : before,
      after,
      isProgress: options.isProgress ?? false,
      ...(options.operationId === undefined ? {} : { operationId: options.operationId }),
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    return version + 1;
  }

  /** `count` changes in one transaction, the entities in turn: far quicker than one by one. */
  async changeMany(ids: readonly string[], count: number): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      await tx.query(
        `INSERT INTO entity SELECT 'VIRTUAL_MACHINE', id, 0, 'anna', 0 FROM unnest($1::text[]) id ON CONFLICT DO NOTHING`,
        [ids],
      );
      await tx.query(
        `INSERT INTO "Change" ("entityType", "entityId", "version", "changes", "before", "after")
         SELECT 'VIRTUAL_MACHINE', id, n, jsonb_build_array(jsonb_build_object('field', 'count', 'from', n - 1, 'to', n)),
                jsonb_build_object('owner', owner, 'count', n - 1), jsonb_build_object('owner', owner, 'count', n)
         FROM generate_series(0, $2::int - 1) i
         JOIN unnest($1::text[]) WITH ORDINALITY one(id, place) ON place - 1 = i % cardinality($1)
         JOIN entity USING (id) CROSS JOIN LATERAL (SELECT version + i / cardinality($1) + 1 AS n) next
         WHERE type = 'VIRTUAL_MACHINE' ORDER BY i`,
        [ids, count],
      );
      await tx.query(
        `UPDATE entity e SET version = latest, count = latest
         FROM (SELECT "entityId", max("version") AS latest FROM "Change" WHERE "entityId" = ANY($1) GROUP BY 1) c
         WHERE e.id = c."entityId" AND type = 'VIRTUAL_MACHINE'`,
        [ids],
      );
      tx.afterCommit(nudgeAll);
    });
  }

  async currentVersion(id: string, entityType: EntityType = 'VIRTUAL_MACHINE'): Promise<number | null> {
    const { rows } = await this.pool.query<{ version: number }>(
      'SELECT version FROM entity WHERE type = $1 AND id = $2',
      [entityType, id],
    );
    return rows[0]?.version ?? null;
  }

  /** What a resolver would pass for one machine. */
  entity(id: string, options: Partial<EntityStreamOptions> = {}): EntityStreamOptions {
    const entityType = options.entityType ?? 'VIRTUAL_MACHINE';
    return { entityType, entityId: id, currentVersion: () => this.currentVersion(id, entityType), ...options };
  }

  /** What a resolver would pass for all machines, or those of one owner. */
  list(options: Partial<ListStreamOptions> & { owner?: string } = {}): ListStreamOptions {
    const { owner, ...rest } = options;
    return {
      entityType: 'VIRTUAL_MACHINE',
      matches: (attributes) => attributes !== null && (!owner || (attributes as unknown as Attributes).owner === owner),
      currentMembers: async () => {
        const { rows } = await this.pool.query<{ entityId: string; version: number }>(
          `SELECT id AS "entityId", version FROM entity
           WHERE type = 'VIRTUAL_MACHINE' AND ($1::text IS NULL OR owner = $1) ORDER BY id LIMIT 1001`,
          [owner ?? null],
        );
        return rows;
      },
      ...rest,
    };
  }

  /** As new, for the next test: no feed, no change. */
  async clear(): Promise<void> {
    await Promise.all(this.#feeds.splice(0).map((feed) => feed.close()));
    await this.pool.query('TRUNCATE entity, "Change", "ChangesPruned"');
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#feeds.splice(0).map((feed) => feed.close()));
    await this.db.drop();
  }
}

/** The next `count` events. */
export async function take(stream: AsyncIterator<StreamEvent>, count: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  while (events.length < count) events.push(await next(stream));
  return events;
}

/** The next event, of a stream that is not to end. */
export async function next(stream: AsyncIterator<StreamEvent>): Promise<StreamEvent> {
  const { done, value } = await stream.next();
  if (done) throw new Error('The stream ended');
  return value;
}

/** Events until one that satisfies `isLast`, which is included. */
export async function takeUntil(
  stream: AsyncIterator<StreamEvent>,
  isLast: (event: StreamEvent) => boolean,
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  do events.push(await next(stream));
  while (!isLast(events.at(-1)!));
  return events;
}

/** `CHANGE 7:3` for version 3 of entity 7. */
export function brief({ kind, entityId, version }: StreamEvent): string {
  return `${kind} ${entityId}:${version}`;
}
