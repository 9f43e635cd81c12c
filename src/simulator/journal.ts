import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterObserver, SimInstance, SimNetwork } from './cluster.ts';
import type { ClusterShape } from './cluster-shape.ts';
import type { JobObserver } from './job-queue.ts';
import type { SimJob } from './jobs.ts';
import type { ServerIdentity } from './self-signed.ts';

/** What a cluster draws once: its address, certificate, users and nodes. */
export interface ClusterIdentity {
  port: number;
  username: string;
  password: string;
  identity: ServerIdentity;
  shape: ClusterShape;
}

/** What a journal held. */
export interface RestoredState {
  readonly instances: readonly SimInstance[];
  readonly networks: readonly SimNetwork[];
  readonly jobs: readonly SimJob[];
  readonly lastId: number;
}

type Entry =
  | { instance: SimInstance }
  | { instanceGone: string }
  | { network: SimNetwork }
  | { networkGone: string }
  | { job: SimJob };

/**
 * A cluster in a folder: `cluster.json` with what never changes, and `journal.ndjson` with one line for each change, written
 * before the call that made it is answered, as luxid writes a job before it tells its id. A process that is killed loses
 * nothing it told anybody. The journal is made compact at each start, by a new file and a rename.
 */
export class Journal implements ClusterObserver, JobObserver {
  readonly #folder: string;
  #file: number | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** The cluster of this folder, or null in a new one. */
  readIdentity(): ClusterIdentity | null {
    const text = readIfThere(join(this.#folder, 'cluster.json'));
    return text === null ? null : (JSON.parse(text) as ClusterIdentity);
  }

  writeIdentity(identity: ClusterIdentity): void {
    this.#replace('cluster.json', JSON.stringify(identity, null, 1));
  }

  /** Reads the state back, and opens the journal for what comes. */
  open(): RestoredState {
    const state = replay(readIfThere(join(this.#folder, 'journal.ndjson')) ?? '');
    const entries: Entry[] = [
      ...state.networks.map((network) => ({ network })),
      ...state.instances.map((instance) => ({ instance })),
      ...state.jobs.map((job) => ({ job })),
    ];
    this.#replace('journal.ndjson', entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    this.#file = openSync(join(this.#folder, 'journal.ndjson'), 'a');
    return state;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  instanceChanged(instance: SimInstance): void {
    this.#append({ instance });
  }

  instanceGone(instance: SimInstance): void {
    this.#append({ instanceGone: instance.uuid });
  }

  networkChanged(network: SimNetwork): void {
    this.#append({ network });
  }

  networkGone(network: SimNetwork): void {
    this.#append({ networkGone: network.uuid });
  }

  jobChanged(job: SimJob): void {
    this.#append({ job });
  }

  #append(entry: Entry): void {
    if (this.#file !== null) writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  #replace(name: string, text: string): void {
    const path = join(this.#folder, name);
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

function replay(text: string): RestoredState {
  const instances = new Map<string, SimInstance>();
  const networks = new Map<string, SimNetwork>();
  const jobs = new Map<number, SimJob>();
  for (const line of text.split('\n')) {
    const entry = parseLine(line);
    if (entry === null) continue;
    if ('instance' in entry) instances.set(entry.instance.uuid, entry.instance);
    else if ('instanceGone' in entry) instances.delete(entry.instanceGone);
    else if ('network' in entry) networks.set(entry.network.uuid, entry.network);
    else if ('networkGone' in entry) networks.delete(entry.networkGone);
    else jobs.set(entry.job.id, entry.job);
  }
  return {
    instances: [...instances.values()],
    networks: [...networks.values()],
    jobs: [...jobs.values()],
    lastId: [...jobs.keys()].reduce((highest, id) => Math.max(highest, id), 0),
  };
}

// The last line of a process that was killed may be cut off.
function parseLine(line: string): Entry | null {
  if (line === '') return null;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return null;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Remembers nothing: for a cluster that lives as long as its process. */
export const FORGETFUL: ClusterObserver & JobObserver = {
  instanceChanged: () => {},
  instanceGone: () => {},
  networkChanged: () => {},
  networkGone: () => {},
  jobChanged: () => {},
};
