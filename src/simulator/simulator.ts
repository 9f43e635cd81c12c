import type { Account } from './accounts.ts';
import { Clock } from './clock.ts';
import { Cluster, type SimInstance, type SimNetwork } from './cluster.ts';
import { newClusterShape } from './cluster-shape.ts';
import { startControlServer } from './control-server.ts';
import { FaultRules, type FaultSettings } from './faults.ts';
import { JobQueue } from './job-queue.ts';
import type { SimJob, SimOp } from './jobs.ts';
import { type ClusterIdentity, FORGETFUL, Journal } from './journal.ts';
import { OPCODE_LOGIC } from './opcode-table.ts';
import { OpError } from './rapi-error.ts';
import { RapiServer } from './rapi-server.ts';
import { createServerIdentity, fingerprintOf } from './self-signed.ts';
import { instanceStatus } from './views.ts';

/** A simulated cluster's settings. In a folder that holds a cluster already, that cluster's own win. */
export interface SimulatorOptions {
  /** Keeps the cluster here across restarts; without it, it lives in memory. */
  dataDir?: string;
  /** 0 takes a free port, which is kept in the folder. */
  port?: number;
  host?: '127.0.0.1';
  name?: string;
  username?: string;
  password?: string;
  /** Further users, for tests of 403. */
  accounts?: readonly Account[];
  /** 1: a build of about 8 s and about 0.4 s for anything else, as a real cluster; larger is faster. */
  speed?: number;
  nodes?: number;
  groups?: readonly string[];
  diskTemplates?: readonly string[];
  hypervisor?: 'fake' | 'kvm';
  /** For each node; default 512 GiB. */
  nodeMemoryMiB?: number;
  /** For each node; default 16 TiB. */
  nodeDiskMiB?: number;
  faults?: FaultSettings;
  /** Starts the control endpoint on this loopback port (0: any). */
  controlPort?: number;
}

/** Faults, switched while the cluster runs. */
export interface SimulatorFaults {
  /** Keys that are absent keep their state; resolves when the listener is open or closed as asked. */
  set(settings: FaultSettings): Promise<void>;
  /** Everything works again. */
  clear(): Promise<void>;
  /** The instance stops by itself: no job, no new serial number, ERROR_down. Throws for an unknown one. */
  crashInstance(name: string): void;
  /** Marks a node offline or online again. */
  setNodeOffline(name: string, offline: boolean): void;
}

/** A look inside, for tests. */
export interface SimulatorInspection {
  jobs(): readonly SimJob[];
  lastJobId(): number;
  instances(): readonly SimInstance[];
  networks(): readonly SimNetwork[];
  instanceStatus(name: string): string | null;
  readonly connections: { readonly total: number; readonly open: number; readonly peak: number };
  readonly requests: readonly { method: string; path: string }[];
}

/** A running simulated cluster. */
export interface Simulator {
  readonly url: string;
  readonly port: number;
  readonly fingerprint: string;
  readonly certificatePem: string;
  readonly username: string;
  readonly password: string;
  readonly name: string;
  readonly controlUrl: string | null;
  readonly faults: SimulatorFaults;
  readonly cluster: SimulatorInspection;
  /** Changes how fast time goes. */
  setSpeed(speed: number): void;
  close(): Promise<void>;
}

/** Starts a simulated cluster that speaks RAPI over HTTPS on loopback. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const clock = new Clock(options.speed ?? 1);
  const journal = options.dataDir === undefined ? null : new Journal(options.dataDir);
  const kept = journal?.readIdentity() ?? null;
  const identity = kept ?? newIdentity(options, clock);
  const restored = journal?.open() ?? null;

  const faults = new FaultRules();
  faults.set(options.faults ?? {});
  const cluster = new Cluster(identity.shape, clock, journal ?? FORGETFUL);
  const queue = new JobQueue({
    cluster,
    clock,
    observer: journal ?? FORGETFUL,
    logic: OPCODE_LOGIC,
    injectedFailure: (op) => injected(faults, op),
  });
  const accounts: Account[] = [
    { username: identity.username, password: identity.password, access: ['write'] },
    ...(options.accounts ?? []),
  ];
  const rapi = { cluster, queue, drained: () => faults.drained };
  const server = new RapiServer({ rapi, faults, accounts, identity: identity.identity });
  await server.listen(options.port ?? identity.port);
  identity.port = server.port;
  journal?.writeIdentity(identity);
  if (restored !== null) {
    cluster.restore(restored.instances, restored.networks);
    queue.restore(restored.jobs, restored.lastId);
  }

  const simulatorFaults = faultControls(faults, server, cluster, identity.port);
  if (options.faults?.down === true) await simulatorFaults.set({ down: true });
  const simulator = {
    url: `https://127.0.0.1:${identity.port}`,
    port: identity.port,
    fingerprint: fingerprintOf(identity.identity),
    certificatePem: identity.identity.certificatePem,
    username: identity.username,
    password: identity.password,
    name: identity.shape.name,
    faults: simulatorFaults,
    cluster: inspection(cluster, queue, server),
    setSpeed: (speed: number) => {
      clock.speed = speed;
    },
  };
  const control =
    options.controlPort === undefined ? null : await startControlServer(options.controlPort, controlActions(simulator));
  return {
    ...simulator,
    controlUrl: control?.url ?? null,
    async close() {
      clock.stop();
      await server.stop();
      await control?.close();
      journal?.close();
    },
  };
}

function newIdentity(options: SimulatorOptions, clock: Clock): ClusterIdentity {
  return {
    port: 0,
    username: options.username ?? 'simulator',
    password: options.password ?? 'simulator-password',
    identity: createServerIdentity(),
    shape: newClusterShape({
      name: options.name ?? 'cluster.sim.test',
      hypervisor: options.hypervisor ?? 'fake',
      diskTemplates: options.diskTemplates ?? ['file', 'diskless'],
      groups: options.groups ?? ['default'],
      nodes: options.nodes ?? 3,
      nodeMemoryMiB: options.nodeMemoryMiB ?? 512 * 1024,
      nodeDiskMiB: options.nodeDiskMiB ?? 16 * 1024 * 1024,
      nowS: clock.seconds(),
    }),
  };
}

function injected(faults: FaultRules, op: SimOp): OpError | null {
  const fault = faults.takeJobError(op.OP_ID);
  return fault === null ? null : new OpError('OpPrereqError', fault.message, fault.code ?? undefined);
}

function faultControls(faults: FaultRules, server: RapiServer, cluster: Cluster, port: number): SimulatorFaults {
  const setDown = async (down: boolean): Promise<void> => {
    if (down) await server.stop();
    else if (!server.listening) await server.listen(port);
  };
  return {
    async set(settings) {
      faults.set(settings);
      if (settings.down !== undefined) await setDown(settings.down);
    },
    async clear() {
      faults.clear();
      await setDown(false);
    },
    crashInstance(name) {
      const instance = cluster.instanceNamed(name);
      if (instance === undefined) throw new Error(`there is no instance ${name}`);
      instance.running = false;
      cluster.saveRuntimeState(instance);
    },
    setNodeOffline(name, offline) {
      const node = cluster.node(name);
      if (node === undefined) throw new Error(`there is no node ${name}`);
      node.offline = offline;
    },
  };
}

function inspection(cluster: Cluster, queue: JobQueue, server: RapiServer): SimulatorInspection {
  return {
    jobs: () => queue.jobs(),
    lastJobId: () => queue.lastId,
    instances: () => cluster.instances(),
    networks: () => cluster.networks(),
    instanceStatus(name) {
      const instance = cluster.instanceNamed(name);
      return instance === undefined ? null : instanceStatus(cluster, instance);
    },
    connections: server.connections,
    requests: server.requests,
  };
}

function controlActions(simulator: {
  faults: SimulatorFaults;
  cluster: SimulatorInspection;
  setSpeed(speed: number): void;
}): Record<string, (body: unknown) => unknown> {
  const { faults, cluster } = simulator;
  return {
    '/faults': (body) => faults.set(body as FaultSettings),
    '/faults/clear': () => faults.clear(),
    '/crash-instance': (body) => faults.crashInstance((body as { name: string }).name),
    '/node-offline': (body) => {
      const { name, offline } = body as { name: string; offline: boolean };
      faults.setNodeOffline(name, offline);
    },
    '/speed': (body) => simulator.setSpeed((body as { speed: number }).speed),
    '/jobs': () => cluster.jobs(),
    '/instances': () => cluster.instances(),
    '/networks': () => cluster.networks(),
    '/connections': () => cluster.connections,
  };
}
