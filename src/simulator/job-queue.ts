import type { Clock } from './clock.ts';
import type { Cluster } from './cluster.ts';
import { dependenciesOf, isEnded, type SimJob, type SimOp } from './jobs.ts';
import { Locks } from './locks.ts';
import type { OpcodeLogic } from './opcode.ts';
import { OpError } from './rapi-error.ts';

/** Told of each step of a job, to persist it. */
export interface JobObserver {
  jobChanged(job: SimJob): void;
}

/** What a job queue works with. */
export interface JobQueueParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly observer: JobObserver;
  readonly logic: ReadonlyMap<string, OpcodeLogic>;
  /** A failure to inject instead of running the opcode. */
  readonly injectedFailure: (op: SimOp) => OpError | null;
}

// luxid runs at most 20 jobs at once; scheduling and forking one takes about 160 ms (measured, 3.0.2).
const MAX_RUNNING = 20;
const START_LATENCY_MS = 160;

/** luxid's job queue: ids, dependencies, at most 20 running, locks, cancellation. */
export class JobQueue {
  readonly #parts: JobQueueParts;
  readonly #locks = new Locks();
  readonly #jobs = new Map<number, SimJob>();
  #ready: SimJob[] = [];
  /** Jobs whose parents are not all final, by one unfinished parent. */
  readonly #blocked = new Map<number, SimJob[]>();
  readonly #cancels = new Map<number, AbortController>();
  #lastId = 0;
  #running = 0;

  constructor(parts: JobQueueParts) {
    this.#parts = parts;
  }

  get lastId(): number {
    return this.#lastId;
  }

  job(id: number): SimJob | undefined {
    return this.#jobs.get(id);
  }

  /** All jobs in order of id. */
  jobs(): SimJob[] {
    return [...this.#jobs.values()];
  }

  /** Those above an id, without a walk over all of them. */
  jobsAfter(id: number): SimJob[] {
    const found: SimJob[] = [];
    for (let next = Math.max(0, id) + 1; next <= this.#lastId; next += 1) {
      const job = this.#jobs.get(next);
      if (job !== undefined) found.push(job);
    }
    return found;
  }

  /** An id that will never be a job: a submit that could not be written. */
  burnId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  submit(op: SimOp, summary: string): SimJob {
    const id = this.burnId();
    const received = this.#parts.clock.now();
    const opcodeName = op.OP_ID.replace(/^OP_/, '').toLowerCase();
    (op.reason as unknown[]).push([
      `gnt:opcode:${opcodeName}`,
      `job=${id};index=0`,
      received[0] * 1e9 + received[1] * 1e3,
    ]);
    const job: SimJob = { id, op, summary, status: 'queued', result: null, log: [], received, start: null, end: null };
    this.#jobs.set(id, job);
    this.#parts.observer.jobChanged(job);
    this.#enqueue(job);
    return job;
  }

  /** `DELETE /2/jobs/N`. A waiting job answers only when it has ended. */
  async cancel(id: number): Promise<[boolean, string]> {
    const job = this.#jobs.get(id);
    if (job === undefined || isEnded(job)) return [false, `Job ${id} not found in queue`];
    if (job.status === 'running') return [false, "Job no longer waiting, can't cancel (informed it anyway)"];
    if (job.status === 'queued') {
      this.#forget(job);
      this.#end(job, 'canceled', null);
      return [true, `Dequeued job ${id}`];
    }
    this.#cancels.get(id)?.abort();
    while (!isEnded(job)) await this.#parts.clock.wait(10);
    if ((job.status as string) === 'canceled') return [true, 'Job successfully cancelled'];
    return [false, `Job exited before it could have been canceled, status JOB_STATUS_${job.status.toUpperCase()}`];
  }

  /** Takes over the jobs of a file: queued ones start again, those that ran died with the daemon. */
  restore(jobs: Iterable<SimJob>, lastId: number): void {
    const queued: SimJob[] = [];
    this.#lastId = lastId;
    for (const job of [...jobs].sort((one, other) => one.id - other.id)) {
      this.#jobs.set(job.id, job);
      this.#lastId = Math.max(this.#lastId, job.id);
      if (job.status === 'queued') queued.push(job);
      else if (!isEnded(job)) this.#end(job, 'error', ['OpExecError', [`Detected death of job ${job.id}`]]);
    }
    for (const job of queued) this.#enqueue(job);
  }

  #enqueue(job: SimJob): void {
    const parent = dependenciesOf(job).find(({ id }) => {
      const found = this.#jobs.get(id);
      return found !== undefined && !isEnded(found);
    });
    if (parent === undefined) {
      this.#ready.push(job);
      this.#startReady();
      return;
    }
    const siblings = this.#blocked.get(parent.id);
    if (siblings === undefined) this.#blocked.set(parent.id, [job]);
    else siblings.push(job);
  }

  #startReady(): void {
    while (this.#running < MAX_RUNNING) {
      const job = this.#ready.shift();
      if (job === undefined) return;
      // Cancelled while it was ready.
      if (job.status !== 'queued') continue;
      this.#running += 1;
      void this.#execute(job).finally(() => {
        this.#running -= 1;
        this.#startReady();
      });
    }
  }

  async #execute(job: SimJob): Promise<void> {
    const { clock } = this.#parts;
    await clock.pause(START_LATENCY_MS);
    if (job.status !== 'queued') return;
    job.start = clock.now();
    try {
      this.#checkDependencies(job);
      const failure = this.#parts.injectedFailure(job.op);
      if (failure !== null) throw failure;
      const result = await this.#run(job);
      this.#end(job, 'success', result);
    } catch (error) {
      if (error instanceof OpError) this.#end(job, 'error', error.result);
      else if (error instanceof JobCanceled) this.#end(job, 'canceled', 'Job canceled by request');
      else this.#end(job, 'error', ['OpExecError', [error instanceof Error ? error.message : String(error)]]);
    }
  }

  async #run(job: SimJob): Promise<unknown> {
    const { cluster, clock, logic } = this.#parts;
    const opcode = logic.get(job.op.OP_ID);
    if (opcode === undefined) throw new OpError('OpExecError', `${job.op.OP_ID} is not simulated`);
    const log = (text: string): void => {
      job.log.push([job.log.length + 1, clock.now(), 'message', text]);
    };
    const context = { cluster, clock, op: job.op, log };
    job.status = 'waiting';
    this.#parts.observer.jobChanged(job);
    opcode.expand(context);
    const release = await this.#waitForLocks(job, opcode.locks(job.op));
    try {
      job.status = 'running';
      this.#parts.observer.jobChanged(job);
      return await opcode.run(context);
    } finally {
      release();
    }
  }

  async #waitForLocks(job: SimJob, names: readonly string[]): Promise<() => void> {
    const canceled = new AbortController();
    this.#cancels.set(job.id, canceled);
    try {
      return await this.#locks.acquire(names, canceled.signal);
    } catch {
      throw new JobCanceled();
    } finally {
      this.#cancels.delete(job.id);
    }
  }

  #checkDependencies(job: SimJob): void {
    for (const { id, statuses } of dependenciesOf(job)) {
      const parent = this.#jobs.get(id);
      if (parent === undefined) throw new OpError('OpPrereqError', `Dependency error: Job ${id} not found`);
      // An empty list means any final status.
      if (statuses.length > 0 && !statuses.includes(parent.status)) {
        throw new OpError(
          'OpExecError',
          `Dependency job ${id} finished with status '${parent.status}', not one of '${statuses.join(', ')}' as required`,
        );
      }
    }
  }

  #end(job: SimJob, status: 'success' | 'error' | 'canceled', result: unknown): void {
    job.status = status;
    job.result = result;
    job.end = this.#parts.clock.now();
    this.#parts.observer.jobChanged(job);
    const children = this.#blocked.get(job.id) ?? [];
    this.#blocked.delete(job.id);
    for (const child of children) this.#enqueue(child);
  }

  #forget(job: SimJob): void {
    this.#ready = this.#ready.filter((other) => other !== job);
    for (const [parent, children] of this.#blocked) {
      const left = children.filter((other) => other !== job);
      if (left.length === 0) this.#blocked.delete(parent);
      else this.#blocked.set(parent, left);
    }
  }
}

class JobCanceled extends Error {}
