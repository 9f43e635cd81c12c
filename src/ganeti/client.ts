import { findNonAscii } from './ascii.ts';
import { classifyReply } from './classify.ts';
import {
  type GanetiConsole,
  type GanetiInfo,
  type GanetiNode,
  parseConsole,
  parseGroup,
  parseInfo,
  parseNode,
} from './cluster.ts';
import type { GanetiConnection } from './connection.ts';
import { GanetiError, GanetiRequestError } from './errors.ts';
import { type GanetiInstance, parseInstance } from './instances.ts';
import { type JobQuery, type JobQueryResult, jobFilters, parseJobRows, queriedFields } from './job-query.ts';
import { type GanetiJob, type JobField, parseJob } from './jobs.ts';
import { GanetiShapeError, integer, list, record } from './narrow.ts';
import { type GanetiNetwork, parseNetwork } from './networks.ts';
import { checkedName, checkedRequest, type GanetiRequest, type JobDependency } from './requests.ts';
import { type RapiCall, RapiTransport } from './transport.ts';

/** What a submit adds to its request. */
export interface SubmitOptions {
  /** Stored with the job as its `gnt:user` reason: the token by which an unknown outcome is resolved. ASCII, not empty. */
  readonly reason: string;
  readonly depends?: readonly JobDependency[];
  readonly signal?: AbortSignal;
}

/**
 * A cluster's RAPI. Every method throws {@link GanetiError}, and {@link GanetiRequestError} for a request that must not be
 * sent. Credentials live in private fields: inspecting or printing a client shows none.
 */
export class GanetiClient {
  readonly #transport: RapiTransport;

  constructor(connection: GanetiConnection) {
    this.#transport = new RapiTransport(connection);
  }

  /** Submits a job and returns its id. A failure of kind `unknown-outcome` may have created the job. */
  async submit(request: GanetiRequest, options: SubmitOptions): Promise<number> {
    const { method, path, query, body } = checkedRequest(request);
    checkReason(options.reason);
    const depends = dependsBody(options.depends);
    const sent = depends === undefined ? body : { ...body, depends };
    const id = await this.#transport.call({
      purpose: 'submit',
      method,
      path,
      query: { ...query, reason: options.reason },
      ...(sent === undefined ? {} : { body: sent }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (!Number.isSafeInteger(id) || (id as number) <= 0) {
      throw new GanetiError({
        kind: 'unknown-outcome',
        reason: 'garbage',
        status: 200,
        message: 'the reply to a submit is no job id',
      });
    }
    return id as number;
  }

  /** The jobs of a query, unordered; an unknown id is absent, one that cannot be parsed is in `malformed`. */
  async queryJobs(query: JobQuery, fields?: readonly JobField[]): Promise<JobQueryResult> {
    const asked = queriedFields(fields);
    const found = new Map<number, GanetiJob>();
    const malformed = new Map<number, JobQueryResult['malformed'][number]>();
    // One after the other: a long list of ids must not take all connections of the cluster.
    for (const qfilter of jobFilters(query)) {
      const page = await this.#read(
        { method: 'PUT', path: '/2/query/job', body: { fields: asked, qfilter } },
        (reply) => parseJobRows(reply, asked),
      );
      for (const job of page.jobs) found.set(job.id, job);
      for (const job of page.malformed) malformed.set(job.id, job);
    }
    return { jobs: [...found.values()], malformed: [...malformed.values()] };
  }

  /** A job, archived ones too; null when Ganeti does not know it (a 200 with every field null). Throws `UnknownJobStatusError`. */
  async getJob(id: number): Promise<GanetiJob | null> {
    return this.#read({ method: 'GET', path: `/2/jobs/${checkedJobId(id)}` }, (reply) => {
      const raw = record(reply, 'job');
      return raw.status === null ? null : parseJob(raw);
    });
  }

  /** Asks for a job's cancellation. A hint: whatever it answers, read the job again. A waiting job can block it for seconds. */
  async cancelJob(id: number): Promise<{ canceled: boolean; message: string }> {
    return this.#read({ method: 'DELETE', path: `/2/jobs/${checkedJobId(id)}` }, (reply) => {
      const [canceled, message] = list(reply, 'cancel reply');
      return { canceled: canceled === true, message: String(message) };
    });
  }

  /**
   * An instance; null only when Ganeti says 404, or answers for another one: it expands `snf-1` to `snf-1.some.domain`,
   * which is somebody else's.
   */
  async getInstance(name: string): Promise<GanetiInstance | null> {
    const path = `/2/instances/${checkedName(name, 'instance')}`;
    const instance = await this.#readOrNull({ method: 'GET', path }, parseInstance);
    return instance?.name === name ? instance : null;
  }

  /** All instances. */
  async listInstances(): Promise<GanetiInstance[]> {
    return this.#readBulk('/2/instances', parseInstance);
  }

  /** The names of all instances, without asking the nodes about them. */
  async listInstanceNames(): Promise<string[]> {
    return this.#read({ method: 'GET', path: '/2/instances' }, (reply) =>
      list(reply, 'instances').map((item) => String(record(item, 'instance').id)),
    );
  }

  /** All nodes. */
  async listNodes(): Promise<GanetiNode[]> {
    return this.#readBulk('/2/nodes', parseNode);
  }

  /** All node groups. */
  async listGroups(): Promise<{ name: string }[]> {
    return this.#read({ method: 'GET', path: '/2/groups' }, (reply) => list(reply, 'groups').map(parseGroup));
  }

  /** A network; null only when Ganeti says 404 or answers for another one. */
  async getNetwork(name: string): Promise<GanetiNetwork | null> {
    const path = `/2/networks/${checkedName(name, 'network')}`;
    const network = await this.#readOrNull({ method: 'GET', path }, parseNetwork);
    return network?.name === name ? network : null;
  }

  /** All networks. */
  async listNetworks(): Promise<GanetiNetwork[]> {
    return this.#readBulk('/2/networks', parseNetwork);
  }

  /** The cluster itself. */
  async getInfo(): Promise<GanetiInfo> {
    return this.#read({ method: 'GET', path: '/2/info' }, parseInfo);
  }

  /** Where an instance's console is; null when it does not run (a 503 that falsely speaks of high load). */
  async getConsole(name: string): Promise<GanetiConsole | null> {
    try {
      return await this.#read(
        { method: 'GET', path: `/2/instances/${checkedName(name, 'instance')}/console` },
        parseConsole,
      );
    } catch (error) {
      if (error instanceof GanetiError && error.status === 503) return null;
      throw error;
    }
  }

  /**
   * The highest job id the queue knows, 0 when it is empty. With `known`, a job id seen earlier, only what came after it is
   * listed, as long as that job is still there: a restored cluster may count from below, so an old number alone proves nothing.
   */
  async lastJobId(known?: number): Promise<number> {
    const body = { fields: ['id'] };
    if (known !== undefined && known > 0) {
      const ids = await this.#read(
        { method: 'PUT', path: '/2/query/job', body: { ...body, qfilter: ['>', 'id', known - 1] } },
        parseIds,
      );
      if (ids.includes(known)) return Math.max(...ids);
    }
    const ids = await this.#read({ method: 'PUT', path: '/2/query/job', body }, parseIds);
    return ids.reduce((highest, id) => Math.max(highest, id), 0);
  }

  /** Ends the calls in flight; a submit among them has an unknown outcome. */
  async close(): Promise<void> {
    this.#transport.close();
  }

  async #readBulk<T>(path: string, parse: (item: unknown) => T): Promise<T[]> {
    return this.#read({ method: 'GET', path, query: { bulk: '1' } }, (reply) => list(reply, path).map(parse));
  }

  async #readOrNull<T>(call: Omit<RapiCall, 'purpose'>, parse: (reply: unknown) => T): Promise<T | null> {
    try {
      return await this.#read(call, parse);
    } catch (error) {
      if (error instanceof GanetiError && error.reason === 'not-found') return null;
      throw error;
    }
  }

  async #read<T>(call: Omit<RapiCall, 'purpose'>, parse: (reply: unknown) => T): Promise<T> {
    const reply = await this.#transport.call({ ...call, purpose: 'read' });
    try {
      return parse(reply);
    } catch (error) {
      if (!(error instanceof GanetiShapeError)) throw error;
      const failure = classifyReply('read', { status: 200, body: '' });
      throw new GanetiError({ ...failure, message: `${call.path}: ${error.message}` });
    }
  }
}

function parseIds(reply: unknown): number[] {
  return list(record(reply, 'query reply').data, 'query rows').map((row) => {
    const [[, id] = []] = list(row, 'query row') as unknown[][];
    return integer(id, 'job id');
  });
}

function checkedJobId(id: number): number {
  if (!Number.isSafeInteger(id) || id <= 0) throw new GanetiRequestError(`${id} is not a job id`);
  return id;
}

// `rate-limit:` at its start is an order to the scheduler (5-ganeti.md, "reason trail").
function checkReason(reason: string): void {
  if (reason === '' || findNonAscii(reason) !== null || reason.startsWith('rate-limit:')) {
    throw new GanetiRequestError(`${JSON.stringify(reason)} cannot be a reason`);
  }
}

// A negative id is accepted and means "my id minus n": any stranger's job.
function dependsBody(depends: readonly JobDependency[] | undefined): unknown[] | undefined {
  if (depends === undefined || depends.length === 0) return undefined;
  return depends.map(([id, statuses]) => [checkedJobId(id), [...statuses]]);
}
