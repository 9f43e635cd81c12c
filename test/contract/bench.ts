import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CreateInstanceSpec,
  connectNetwork,
  createInstance,
  createNetwork,
  deleteInstance,
  deleteNetwork,
  disconnectNetwork,
  type GanetiClient,
  type GanetiJob,
  type GanetiRequest,
  isFinal,
  type JobDependency,
} from '../../src/ganeti/index.ts';
import { RawRapi } from './raw-rapi.ts';
import { type ContractTarget, clientOf, openTarget } from './target.ts';

const POLL_MS = 60;
const CLEAN_UP_MS = 120_000;

/** What the tests of a run share: the cluster, names nobody else uses, and the way to clean up after them. */
export class Bench {
  readonly target: ContractTarget;
  readonly client: GanetiClient;
  readonly raw: RawRapi;
  readonly #closeTarget: () => Promise<void>;
  readonly #run = randomBytes(3).toString('hex');
  #count = 0;

  private constructor(target: ContractTarget, client: GanetiClient, raw: RawRapi, closeTarget: () => Promise<void>) {
    this.target = target;
    this.client = client;
    this.raw = raw;
    this.#closeTarget = closeTarget;
  }

  static async open(): Promise<Bench> {
    const { target, close } = await openTarget();
    return new Bench(target, clientOf(target), await RawRapi.open(target), close);
  }

  /** A name of this run. */
  name(what: string): string {
    this.#count += 1;
    return `ct${this.#run}-${what}-${this.#count}`;
  }

  /** Submits and returns the job's id. */
  async submit(request: GanetiRequest, depends: readonly JobDependency[] = []): Promise<number> {
    return this.client.submit(request, { reason: `contract:${this.#run}`, depends });
  }

  /** Submits, waits, and returns the finished job. */
  async run(request: GanetiRequest, depends: readonly JobDependency[] = []): Promise<GanetiJob> {
    return this.finished(await this.submit(request, depends));
  }

  /** Runs jobs that have nothing to do with each other, at once. */
  async runAll(requests: readonly GanetiRequest[]): Promise<GanetiJob[]> {
    const ids = await Promise.all(requests.map((request) => this.submit(request)));
    return Promise.all(ids.map((id) => this.finished(id)));
  }

  /** Waits for the end of a job, whatever it is. Throws when Ganeti does not know the job, or when it takes too long. */
  async finished(id: number, timeoutMs = 60_000): Promise<GanetiJob> {
    return this.until(id, (job) => isFinal(job.status), timeoutMs);
  }

  /** Waits for a condition on a job; a job that ends without it is an error. */
  async until(id: number, condition: (job: GanetiJob) => boolean, timeoutMs = 60_000): Promise<GanetiJob> {
    for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(POLL_MS)) {
      const job = await this.client.getJob(id);
      if (job === null) throw new Error(`job ${id} is unknown`);
      if (condition(job)) return job;
      if (isFinal(job.status)) throw new Error(`job ${id} ended as ${job.status}`);
    }
    throw new Error(`job ${id} took more than ${timeoutMs} ms`);
  }

  /** A /28 network of this run, connected to the default group. */
  async connectedNetwork(): Promise<string> {
    const network = this.name('net');
    const added = await this.submit(
      createNetwork({
        name: network,
        network: '10.213.7.16/28',
        gateway: '10.213.7.17',
        macPrefix: 'aa:00:07',
        conflictsCheck: false,
        tags: [],
      }),
    );
    const connected = await this.run(this.connect(network), [[added, ['success']]]);
    if (connected.status !== 'success') throw new Error(`network ${network} could not be connected`);
    return network;
  }

  connect(network: string): GanetiRequest {
    return connectNetwork({
      network,
      group: 'default',
      mode: 'bridged',
      link: this.target.bridge,
      conflictsCheck: false,
    });
  }

  /** The request for a small instance. */
  instance(name: string, network: string, changes: Partial<CreateInstanceSpec> = {}): GanetiRequest {
    return createInstance({
      name,
      osType: this.target.osName,
      diskTemplate: this.target.diskTemplate,
      disks: [{ sizeMiB: 1024 }],
      nics: [{ network, ip: 'pool', name: `${name}-nic` }],
      vcpus: 1,
      memoryMiB: 128,
      osParameters: { progress_step_seconds: '0.02' },
      start: true,
      opportunisticLocking: false,
      ...changes,
    });
  }

  /** Removes everything this run has left. */
  async clean(): Promise<void> {
    const prefix = `ct${this.#run}-`;
    const instances = (await this.client.listInstances()).filter(({ name }) => name.startsWith(prefix));
    const removals = await Promise.all(
      instances.map(({ name }) => this.submit(deleteInstance(name, { shutdownTimeoutS: 0 }))),
    );
    for (const id of removals) await this.finished(id, CLEAN_UP_MS);
    const networks = (await this.client.listNetworks()).filter(({ name }) => name.startsWith(prefix));
    const emptied = networks.map(async ({ name, groups }) => {
      const parents: JobDependency[] = [];
      for (const { group } of groups) {
        parents.push([await this.submit(disconnectNetwork({ network: name, group })), ['success']]);
      }
      return this.finished(await this.submit(deleteNetwork(name), parents), CLEAN_UP_MS);
    });
    await Promise.all(emptied);
  }

  async close(): Promise<void> {
    await this.clean();
    await this.client.close();
    await this.#closeTarget();
  }
}
