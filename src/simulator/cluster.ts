import { randomBytes } from 'node:crypto';
import { AddressPool } from './address-pool.ts';
import type { Clock } from './clock.ts';
import type { ClusterShape, SimNode } from './cluster-shape.ts';
import { prereqError } from './rapi-error.ts';

/** A NIC; `network` is a uuid. */
export interface SimNic {
  uuid: string;
  name: string | null;
  mac: string;
  ip: string | null;
  network: string | null;
  mode: string;
  link: string;
  vlan: string;
}

/** An instance as the cluster's configuration holds it, and whether it runs. */
export interface SimInstance {
  name: string;
  uuid: string;
  os: string;
  node: string;
  diskTemplate: string;
  nics: SimNic[];
  disks: { uuid: string; name: string | null; sizeMiB: number }[];
  beparams: Record<string, unknown>;
  hvparams: Record<string, unknown>;
  osparams: Record<string, string>;
  adminState: 'up' | 'down' | 'offline';
  running: boolean;
  networkPort: number | null;
  tags: string[];
  ctime: number;
  mtime: number;
  serialNo: number;
}

/** A network without its address pool, which follows from it and the NICs. */
export interface SimNetwork {
  name: string;
  uuid: string;
  network: string;
  gateway: string | null;
  network6: string | null;
  gateway6: string | null;
  macPrefix: string | null;
  /** External reservations beyond the pool's own. */
  reserved: string[];
  groups: { group: string; mode: string; link: string; vlan: string }[];
  tags: string[];
  ctime: number;
  mtime: number;
  serialNo: number;
}

/** Told after each change, to persist it. */
export interface ClusterObserver {
  instanceChanged(instance: SimInstance): void;
  instanceGone(instance: SimInstance): void;
  networkChanged(network: SimNetwork): void;
  networkGone(network: SimNetwork): void;
}

const CLUSTER_MAC_PREFIX = 'aa:00:00';
const FIRST_PORT = 11000;

/** The configuration of a simulated cluster: instances, networks, nodes, and the rules that keep it consistent. */
export class Cluster {
  readonly shape: ClusterShape;
  readonly clock: Clock;
  readonly tags: string[] = [];
  readonly #observer: ClusterObserver;
  readonly #instances = new Map<string, SimInstance>();
  readonly #networks = new Map<string, SimNetwork>();
  readonly #pools = new Map<string, AddressPool>();
  readonly #macs = new Set<string>();
  readonly #usedMemoryMiB = new Map<string, number>();
  #nextPort = FIRST_PORT;

  constructor(shape: ClusterShape, clock: Clock, observer: ClusterObserver) {
    this.shape = shape;
    this.clock = clock;
    this.#observer = observer;
  }

  // --- instances ---

  instances(): SimInstance[] {
    return [...this.#instances.values()];
  }

  instanceCount(): number {
    return this.#instances.size;
  }

  /** By exact name. */
  instanceNamed(name: string): SimInstance | undefined {
    return this.#instances.get(name);
  }

  /** By name or unambiguous short name (`snf-1` finds `snf-1.some.domain`), as Ganeti expands it. */
  expandInstance(name: string): SimInstance | undefined {
    const exact = this.#instances.get(name);
    if (exact !== undefined) return exact;
    const prefix = `${name}.`;
    const matches = [...this.#instances.values()].filter((instance) => instance.name.startsWith(prefix));
    return matches.length === 1 ? matches[0] : undefined;
  }

  /** As reads do: short names and uuids too. */
  findInstance(nameOrUuid: string): SimInstance | undefined {
    return (
      this.expandInstance(nameOrUuid) ?? [...this.#instances.values()].find((instance) => instance.uuid === nameOrUuid)
    );
  }

  addInstance(instance: SimInstance): void {
    this.#instances.set(instance.name, instance);
    this.#countMemory(instance, 1);
    this.#observer.instanceChanged(instance);
  }

  /** Saves a change; the caller has already made it on the object. */
  touchInstance(instance: SimInstance): void {
    instance.mtime = this.clock.seconds();
    instance.serialNo += 1;
    this.#observer.instanceChanged(instance);
  }

  /** Saves a change that Ganeti's configuration does not see: an instance that crashed. */
  saveRuntimeState(instance: SimInstance): void {
    this.#observer.instanceChanged(instance);
  }

  removeInstance(instance: SimInstance): void {
    for (const nic of instance.nics) this.releaseNic(nic);
    this.#countMemory(instance, -1);
    this.#instances.delete(instance.name);
    this.#observer.instanceGone(instance);
  }

  /** Changes backend parameters and keeps the node's books. */
  setBeparams(instance: SimInstance, changes: Record<string, unknown>): void {
    this.#countMemory(instance, -1);
    Object.assign(instance.beparams, changes);
    this.#countMemory(instance, 1);
  }

  nextNetworkPort(): number | null {
    if (this.shape.hypervisor === 'fake') return null;
    this.#nextPort += 1;
    return this.#nextPort - 1;
  }

  // --- networks ---

  networks(): SimNetwork[] {
    return [...this.#networks.values()];
  }

  networkNamed(name: string): SimNetwork | undefined {
    for (const network of this.#networks.values()) if (network.name === name) return network;
    return undefined;
  }

  /** By name or uuid; networks have no short names. */
  findNetwork(nameOrUuid: string): SimNetwork | undefined {
    return this.#networks.get(nameOrUuid) ?? this.networkNamed(nameOrUuid);
  }

  /** As {@link findNetwork}, failing as a job does. */
  lookupNetwork(nameOrUuid: string): SimNetwork {
    const network = this.findNetwork(nameOrUuid);
    if (network === undefined) throw prereqError(`Network '${nameOrUuid}' not found`, 'unknown_entity');
    return network;
  }

  /** Throws `AddressPoolError` when the pool cannot be made. */
  addNetwork(network: SimNetwork): void {
    const pool = new AddressPool(network.network, network.gateway);
    for (const address of network.reserved) pool.reserveExternal(address);
    this.#pools.set(network.uuid, pool);
    this.#networks.set(network.uuid, network);
    this.#observer.networkChanged(network);
  }

  touchNetwork(network: SimNetwork): void {
    network.mtime = this.clock.seconds();
    network.serialNo += 1;
    this.#observer.networkChanged(network);
  }

  /** Saves a change that does not count as one of the network itself (its groups). */
  saveNetwork(network: SimNetwork): void {
    this.#observer.networkChanged(network);
  }

  removeNetwork(network: SimNetwork): void {
    this.#networks.delete(network.uuid);
    this.#pools.delete(network.uuid);
    this.#observer.networkGone(network);
  }

  pool(network: SimNetwork): AddressPool {
    return this.#pools.get(network.uuid) as AddressPool;
  }

  /** The instances with a NIC on a network. */
  instancesOn(network: SimNetwork): SimInstance[] {
    return this.instances().filter((instance) => instance.nics.some((nic) => nic.network === network.uuid));
  }

  // --- NICs ---

  /** A MAC address nobody else has, under the network's prefix or the cluster's. */
  newMac(network: SimNetwork | null): string {
    const prefix = network?.macPrefix ?? CLUSTER_MAC_PREFIX;
    for (;;) {
      const mac = `${prefix}:${[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
      if (this.#macs.has(mac)) continue;
      this.#macs.add(mac);
      return mac;
    }
  }

  /** Gives a NIC's address and MAC back. */
  releaseNic(nic: Pick<SimNic, 'mac' | 'ip' | 'network'>): void {
    this.#macs.delete(nic.mac);
    this.releaseAddress(nic);
  }

  releaseAddress(nic: Pick<SimNic, 'ip' | 'network'>): void {
    const network = nic.network === null ? undefined : this.#networks.get(nic.network);
    if (network !== undefined && nic.ip !== null) this.pool(network).releaseFromNic(nic.ip);
  }

  // --- nodes and groups ---

  node(name: string): SimNode | undefined {
    return this.shape.nodes.find((node) => node.name === name || node.uuid === name);
  }

  group(nameOrUuid: string): ClusterShape['groups'][number] | undefined {
    return this.shape.groups.find((group) => group.name === nameOrUuid || group.uuid === nameOrUuid);
  }

  /** As {@link group}, failing as a job does. */
  lookupGroup(nameOrUuid: string): ClusterShape['groups'][number] {
    const group = this.group(nameOrUuid);
    if (group === undefined) throw prereqError(`Node group '${nameOrUuid}' not found`, 'unknown_entity');
    return group;
  }

  freeMemoryMiB(node: SimNode): number {
    return node.memoryMiB - (this.#usedMemoryMiB.get(node.name) ?? 0);
  }

  // --- restoring ---

  /** Takes over what a file held, telling nobody. */
  restore(instances: Iterable<SimInstance>, networks: Iterable<SimNetwork>): void {
    for (const network of networks) {
      const pool = new AddressPool(network.network, network.gateway);
      for (const address of network.reserved) pool.reserveExternal(address);
      this.#pools.set(network.uuid, pool);
      this.#networks.set(network.uuid, network);
    }
    for (const instance of instances) {
      this.#instances.set(instance.name, instance);
      this.#countMemory(instance, 1);
      if (instance.networkPort !== null) this.#nextPort = Math.max(this.#nextPort, instance.networkPort + 1);
      for (const nic of instance.nics) {
        this.#macs.add(nic.mac);
        const pool = nic.network === null ? undefined : this.#pools.get(nic.network);
        if (nic.ip !== null) pool?.restoreNic(nic.ip);
      }
    }
  }

  #countMemory(instance: SimInstance, sign: 1 | -1): void {
    const memory = Number(instance.beparams.maxmem ?? 0) * sign;
    this.#usedMemoryMiB.set(instance.node, (this.#usedMemoryMiB.get(instance.node) ?? 0) + memory);
  }
}
