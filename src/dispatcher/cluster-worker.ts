import { type GanetiClient, GanetiError } from '../ganeti/index.ts';
import type { Environment } from '../operations/environment.ts';
import { applyJob } from './apply.ts';
import { cancelUnsentSteps, hintCancel } from './cancel.ts';
import type { Checkpoint } from './checkpoint.ts';
import { noteReachable, noteUnreachable, observeCluster } from './observe.ts';
import { markIndeterminate, onMissingJob, recoverSending, vanishedJob } from './recover.ts';
import { dueSetAside } from './set-aside.store.ts';
import { hasReadyWork, type OpenStep, readOpenSteps } from './step.store.ts';
import { submitReadySteps } from './submit.ts';
import { JobFollower, newMemory } from './watch.ts';

/** How often a cluster is looked at. Milliseconds. */
export interface WorkerTiming {
  /** While an operation is open or somebody's job runs. */
  readonly busyMs: number;
  /** Otherwise. */
  readonly idleMs: number;
  /** Between two looks at nodes and instances. */
  readonly observeMs: number;
}

/** While idle, the store is asked this often for work that another replica admitted. */
const WORK_CHECK_MS = 1_000;
const LAST_SEEN_MS = 5_000;
const MAX_BACKOFF_MS = 15_000;

/**
 * The one poller of a cluster: it submits, follows and recovers that cluster's jobs, tick after tick, until it is
 * stopped. The cost of a tick does not grow with the number of jobs: one filtered query (5-ganeti, section 3).
 */
export class ClusterWorker {
  readonly #env: Environment;
  readonly #backendId: number;
  readonly #timing: WorkerTiming;
  readonly #checkpoint: Checkpoint;
  readonly #memory = newMemory();
  readonly #askedToCancel = new Set<string>();
  #isStopped = false;
  #isWoken = false;
  #wakeUp: (() => void) | null = null;
  #failures = 0;
  #lastObservedAt = Number.NEGATIVE_INFINITY;
  #lastSeenAt = Number.NEGATIVE_INFINITY;
  #lastPolledAt = Number.NEGATIVE_INFINITY;
  readonly #done: Promise<void>;

  constructor(env: Environment, backendId: number, timing: WorkerTiming, checkpoint: Checkpoint) {
    this.#env = env;
    this.#backendId = backendId;
    this.#timing = timing;
    this.#checkpoint = checkpoint;
    this.#done = this.#run();
  }

  wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  /** Ends after the tick under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false;
      let delayMs: number;
      try {
        delayMs = (await this.#tick()) ? this.#timing.busyMs : Math.min(this.#timing.idleMs, WORK_CHECK_MS);
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        delayMs = Math.min(MAX_BACKOFF_MS, 500 * 2 ** Math.min(this.#failures, 6)) * (0.5 + Math.random() / 2);
        await this.#report(error);
      }
      if (!this.#isStopped && !this.#isWoken) await this.#sleep(delayMs);
    }
  }

  /** @returns whether something is going on, so that the next look should come soon */
  async #tick(): Promise<boolean> {
    const { rows } = await this.#env.pool.query<{ lastJobId: bigint; isOffline: boolean }>(
      `SELECT "lastJobId", "isOffline" FROM "Backend" WHERE "id" = $1 AND "deletedAt" IS NULL`,
      [this.#backendId],
    );
    const backend = rows[0];
    if (!backend) return false;
    await cancelUnsentSteps(this.#env, this.#backendId);
    // Operations on an offline backend pause, and go on when it is back: nothing of it is called.
    if (backend.isOffline) return false;

    let steps = await readOpenSteps(this.#env.pool, this.#backendId, this.#env.settings.settleMs);
    const hasWork =
      steps.length > 0 || this.#memory.foreign.size > 0 || (await hasReadyWork(this.#env.pool, this.#backendId));
    if (!hasWork && performance.now() - this.#lastPolledAt < this.#timing.idleMs) return false;

    const client = await this.#env.clusters.get(this.#backendId);
    const follower = new JobFollower(this.#env, client, this.#backendId, this.#memory, this.#checkpoint);
    const submitted = await this.#submit(client);
    if (submitted > 0) steps = await readOpenSteps(this.#env.pool, this.#backendId, this.#env.settings.settleMs);
    for (const step of steps) await hintCancel(client, step, this.#askedToCancel);

    const following = steps.filter((step) => step.jobId !== null);
    const ids = [...following.map((step) => Number(step.jobId)), ...this.#memory.foreign];
    const found = await client.queryJobs({ afterId: Number(backend.lastJobId), ids });
    this.#lastPolledAt = performance.now();
    await follower.setMalformedAside(found.malformed);
    await follower.follow(found.jobs, steps);
    await this.#advance(backend.lastJobId, [...found.jobs, ...found.malformed]);

    const seen = new Set([...found.jobs, ...found.malformed].map((job) => job.id));
    for (const step of following.filter((step) => !seen.has(Number(step.jobId)))) await this.#onMissing(step, follower);
    await follower.follow(await recoverSending(this.#env, client, steps), steps);
    for (const jobId of await dueSetAside(this.#env, this.#backendId)) await follower.retry(jobId);
    for (const id of this.#memory.foreign) if (!seen.has(id)) this.#memory.foreign.delete(id);

    await this.#noteSeen();
    if (performance.now() - this.#lastObservedAt >= this.#timing.observeMs) {
      await observeCluster(this.#env, client, this.#backendId);
      this.#lastObservedAt = performance.now();
    }
    return steps.length > 0 || submitted > 0 || this.#memory.foreign.size > 0;
  }

  /**
   * A submission that failed has been put back, or waits for its recovery: no reason not to follow the others. A cluster
   * whose queue is drained still answers every question; one that is away fails the next call, too.
   */
  async #submit(client: GanetiClient): Promise<number> {
    try {
      return await submitReadySteps(this.#env, client, this.#backendId, this.#checkpoint);
    } catch (error) {
      if (error instanceof GanetiError) return 1;
      throw error;
    }
  }

  /** Only after each job of the batch was applied or set aside, so that a crash reads the batch again. */
  async #advance(from: bigint, jobs: readonly { id: number }[]): Promise<void> {
    const highest = jobs.reduce((high, job) => Math.max(high, job.id), Number(from));
    if (highest <= Number(from)) return;
    await this.#env.pool.query(`UPDATE "Backend" SET "lastJobId" = greatest("lastJobId", $2) WHERE "id" = $1`, [
      this.#backendId,
      highest,
    ]);
  }

  async #onMissing(step: OpenStep, follower: JobFollower): Promise<void> {
    const client = await this.#env.clusters.get(this.#backendId);
    const verdict = await onMissingJob(this.#env, client, step);
    if (verdict === 'wait') return;
    if (verdict === 'undecidable') return markIndeterminate(this.#env, step);
    const observation = await follower.observe(verdict.instanceName ?? '');
    await applyJob(this.#env, step.id, step.operationId, vanishedJob(step, verdict, observation));
  }

  async #noteSeen(): Promise<void> {
    if (performance.now() - this.#lastSeenAt < LAST_SEEN_MS) return;
    await noteReachable(this.#env, this.#backendId);
    this.#lastSeenAt = performance.now();
  }

  async #report(error: unknown): Promise<void> {
    this.#env.logger.warn(
      { err: error, backendId: this.#backendId, failures: this.#failures },
      'a cluster could not be followed',
    );
    this.#lastSeenAt = Number.NEGATIVE_INFINITY;
    if (!(error instanceof GanetiError)) return;
    // One lost call is no outage: the second in a row is told.
    if (this.#failures >= 2) await noteUnreachable(this.#env, this.#backendId, error).catch(() => undefined);
  }

  #sleep(delayMs: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    }).then(() => {
      this.#wakeUp = null;
    });
  }
}
