import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../operations/environment.ts';
import { forgetDeadReplicas, type Replica } from '../operations/replica.ts';
import { type Checkpoint, noCheckpoint } from './checkpoint.ts';
import { ClusterWorker, type WorkerTiming } from './cluster-worker.ts';

/** How often the list of clusters, and which of them nobody watches, is looked at. */
const ROSTER_MS = 2_000;
const STOP_WITHIN_MS = 5_000;

/**
 * Has one worker per cluster, on whichever replica holds the cluster's lock. A replica whose session is lost stops its
 * workers at once: another may have taken them over.
 */
export class Dispatcher {
  readonly #env: Environment;
  readonly #replica: Replica;
  readonly #timing: WorkerTiming;
  readonly #checkpoint: Checkpoint;
  readonly #workers = new Map<number, ClusterWorker>();
  #session: AbortSignal | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #round: Promise<void> = Promise.resolve();
  #isRoundWaiting = false;

  constructor(env: Environment, replica: Replica, timing: WorkerTiming, checkpoint: Checkpoint = noCheckpoint) {
    this.#env = env;
    this.#replica = replica;
    this.#timing = timing;
    this.#checkpoint = checkpoint;
  }

  async start(): Promise<void> {
    await this.#nextRound();
    this.#schedule();
  }

  /** There is work on a cluster. A nudge: the worker, here or elsewhere, looks by itself within a second. */
  wake(backendId: number): void {
    const worker = this.#workers.get(backendId);
    if (worker) worker.wake();
    else if (!this.#isRoundWaiting) void this.#nextRound();
  }

  /** Clusters that this replica watches. */
  watched(): readonly number[] {
    return [...this.#workers.keys()];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round;
    // A tick that hangs on a cluster is cut: whatever it left half done is what recovery is for.
    await Promise.race([this.#stopAll(), sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.#nextRound().then(() => this.#schedule());
    }, ROSTER_MS);
  }

  /** One after the other: the session's locks are re-entrant, so two rounds at once would both believe to take a cluster. */
  #nextRound(): Promise<void> {
    this.#isRoundWaiting = true;
    this.#round = this.#round.then(() => {
      this.#isRoundWaiting = false;
      return this.#callRoster();
    });
    return this.#round;
  }

  async #callRoster(): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (this.#session !== this.#replica.session) {
        await this.#stopAll();
        this.#session = this.#replica.session;
        this.#session.addEventListener('abort', () => void this.#stopAll(), { once: true });
      }
      await forgetDeadReplicas(this.#env.pool);
      const { rows } = await this.#env.pool.query<{ id: number }>(
        `SELECT "id" FROM "Backend" WHERE "deletedAt" IS NULL ORDER BY "id"`,
      );
      const wanted = new Set(rows.map((row) => row.id));
      for (const [id, worker] of this.#workers) {
        if (wanted.has(id)) continue;
        this.#workers.delete(id);
        await worker.stop();
        await this.#replica.unlock(`watch:${id}`);
      }
      for (const id of wanted) {
        if (this.#isClosed || this.#workers.has(id) || !(await this.#replica.tryLock(`watch:${id}`))) continue;
        this.#workers.set(id, new ClusterWorker(this.#env, id, this.#timing, this.#checkpoint));
      }
    } catch (error) {
      // PostgreSQL is away: the next round looks again.
      this.#env.logger.warn({ err: error }, 'the list of clusters could not be read');
    }
  }

  async #stopAll(): Promise<void> {
    const workers = [...this.#workers];
    this.#workers.clear();
    await Promise.all(workers.map(([, worker]) => worker.stop()));
    for (const [id] of workers) await this.#replica.unlock(`watch:${id}`).catch(() => undefined);
  }
}
