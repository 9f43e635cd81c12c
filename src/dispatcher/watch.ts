import { type GanetiClient, GanetiError, type GanetiJob, isFinal, jobReason } from '../ganeti/index.ts';
import type { InstanceObservation } from '../modules/virtual-machine/virtual-machine.rules.ts';
import type { Environment } from '../operations/environment.ts';
import { parseStepReason, type StepRow } from '../operations/operation.store.ts';
import { applyForeignJob, applyJob } from './apply.ts';
import type { Checkpoint } from './checkpoint.ts';
import { interpret, needsObservation } from './interpret.ts';
import { type JobTexts, loadJobTexts } from './job-texts.ts';
import { clearSetAside, setAside } from './set-aside.store.ts';
import type { OpenStep } from './step.store.ts';

/** What a cluster's watcher remembers between two ticks. */
export interface WatchMemory {
  /** Jobs of others that are not final yet: seen once above the watermark, asked for by id from then on. */
  readonly foreign: Set<number>;
  /** The newest reading of each job, so that an unchanged one costs no transaction. */
  readonly readings: Map<number, string>;
  /** Jobs set aside: left alone until their next try is due. */
  readonly aside: Set<number>;
}

export function newMemory(): WatchMemory {
  return { foreign: new Set(), readings: new Map(), aside: new Set() };
}

/** The status and the length of the log tell whether a job has moved since it was read. */
function reading(job: GanetiJob): string {
  return `${job.status} ${job.opLog.reduce((sum, log) => sum + log.length, 0)}`;
}

/** Follows jobs into rows: interprets each that has moved and applies it; one that throws is set aside, the others go on. */
export class JobFollower {
  readonly #env: Environment;
  readonly #client: GanetiClient;
  readonly #backendId: number;
  readonly #memory: WatchMemory;
  readonly #checkpoint: Checkpoint;

  constructor(env: Environment, client: GanetiClient, backendId: number, memory: WatchMemory, checkpoint: Checkpoint) {
    this.#env = env;
    this.#client = client;
    this.#backendId = backendId;
    this.#memory = memory;
    this.#checkpoint = checkpoint;
  }

  /** @param steps the cluster's open steps, by which jobs are recognised */
  async follow(jobs: readonly GanetiJob[], steps: readonly OpenStep[]): Promise<void> {
    const byJob = new Map(steps.flatMap((step) => (step.jobId === null ? [] : [[Number(step.jobId), step] as const])));
    for (const job of [...jobs].sort((a, b) => a.id - b.id)) {
      if (this.#memory.aside.has(job.id) || this.#memory.readings.get(job.id) === reading(job)) continue;
      try {
        await this.#followOne(job, byJob.get(job.id) ?? null);
        this.#remember(job);
      } catch (error) {
        // The cluster went away in the middle: not this job's fault, and the next tick reads it again.
        if (error instanceof GanetiError) throw error;
        await setAside(this.#env, this.#backendId, job.id, error);
        this.#memory.aside.add(job.id);
      }
    }
  }

  /** Tries a job again that was set aside. */
  async retry(jobId: number): Promise<void> {
    try {
      const job = await this.#client.getJob(jobId);
      if (job) await this.#followOne(job, null);
      await clearSetAside(this.#env, this.#backendId, jobId);
      this.#memory.aside.delete(jobId);
    } catch (error) {
      if (error instanceof GanetiError) throw error;
      await setAside(this.#env, this.#backendId, jobId, error);
    }
  }

  /** A job that could not even be read. */
  async setMalformedAside(malformed: readonly { id: number; error: Error }[]): Promise<void> {
    for (const { id, error } of malformed) {
      if (this.#memory.aside.has(id)) continue;
      await setAside(this.#env, this.#backendId, id, error);
      this.#memory.aside.add(id);
    }
  }

  #remember(job: GanetiJob): void {
    if (isFinal(job.status)) {
      this.#memory.foreign.delete(job.id);
      this.#memory.readings.delete(job.id);
    } else {
      this.#memory.readings.set(job.id, reading(job));
    }
  }

  async #followOne(job: GanetiJob, known: StepRow | null): Promise<void> {
    const step = known ?? (await this.#stepOf(job));
    if (isFinal(job.status)) await this.#checkpoint('final-read', job.ops?.[0]?.OP_ID ?? '');
    if (!step && !isFinal(job.status)) {
      this.#memory.foreign.add(job.id);
      return;
    }
    const texts = step ? await loadJobTexts(this.#env, step.operationId) : NO_TEXTS;
    const interpreted = interpret(job, {
      lastLogSerial: step?.lastLogSerial ?? 0,
      hasDeployerReports: texts.hasDeployerReports,
      mask: texts.mask,
      observation: needsObservation(job)
        ? await this.observe(String(job.ops?.[0]?.['instance_name'] ?? ''))
        : { kind: 'unasked' },
    });
    if (step) await applyJob(this.#env, step.id, step.operationId, interpreted);
    else await applyForeignJob(this.#env, this.#backendId, interpreted);
    if (interpreted.isFinal) await this.#checkpoint('final-applied', interpreted.opcode);
  }

  /** A job that bears one of our texts but is not recorded yet: its answer was lost, or is still on its way. */
  async #stepOf(job: GanetiJob): Promise<StepRow | null> {
    const reason = parseStepReason(jobReason(job));
    if (!reason) return null;
    const { rows } = await this.#env.pool.query<StepRow>(
      `SELECT * FROM "OperationJob" WHERE "operationId" = $1 AND "step" = $2 AND "backendId" = $3`,
      [reason.operationId, reason.step, this.#backendId],
    );
    return rows[0] ?? null;
  }

  /** A fresh look at a job's instance. Whatever but a clear answer throws, and so postpones the event (trap 15). */
  async observe(name: string): Promise<InstanceObservation> {
    if (name === '') return { kind: 'unasked' };
    const instance = await this.#client.getInstance(name);
    if (!instance) return { kind: 'absent' };
    await this.#env.pool.query(
      `UPDATE "VirtualMachine" SET "observedAt" = clock_timestamp() WHERE "backendId" = $1 AND "ganetiName" = $2 AND "deletedAt" IS NULL`,
      [this.#backendId, name],
    );
    const nics = instance.nics.flatMap((nic, index) =>
      nic.uuid === null || nic.mac === null ? [] : [{ name: nic.name, uuid: nic.uuid, mac: nic.mac, index }],
    );
    return { kind: 'present', uuid: instance.uuid, nics };
  }
}

const NO_TEXTS: JobTexts = { hasDeployerReports: false, mask: (text) => text };
