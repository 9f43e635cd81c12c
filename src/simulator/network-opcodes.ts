import { randomUUID } from 'node:crypto';
import { AddressPoolError } from './address-pool.ts';
import type { SimNetwork } from './cluster.ts';
import { isRehearsal, logInfo, logWarning, type OpcodeContext, type OpcodeLogic } from './opcode.ts';
import { OpError, prereqError } from './rapi-error.ts';
import { checkTag } from './tag-opcodes.ts';

const NETWORK_MS = 90;

/** `OP_NETWORK_ADD`. */
export const addNetworkLogic: OpcodeLogic = {
  expand: () => {},
  locks: (op) => [`network-name/${String(op.network_name)}`],
  async run(context) {
    const { cluster, op, clock } = context;
    const name = String(op.network_name);
    const existing = cluster.networkNamed(name);
    if (existing !== undefined) {
      throw prereqError(
        `Desired network name '${name}' already exists as a network (UUID: ${existing.uuid})`,
        'already_exists',
      );
    }
    const tags = op.tags as string[];
    for (const tag of tags) checkTag(tag);
    if (isRehearsal(context)) return null;
    await clock.pause(NETWORK_MS);
    const now = clock.seconds();
    try {
      cluster.addNetwork({
        name,
        uuid: randomUUID(),
        network: String(op.network),
        gateway: textOrNull(op.gateway),
        network6: textOrNull(op.network6),
        gateway6: textOrNull(op.gateway6),
        macPrefix: textOrNull(op.mac_prefix)?.toLowerCase() ?? null,
        reserved: [...((op.add_reserved_ips as string[] | undefined) ?? [])],
        groups: [],
        tags: [...new Set(tags)],
        ctime: now,
        mtime: now,
        serialNo: 1,
      });
    } catch (error) {
      if (!(error instanceof AddressPoolError)) throw error;
      throw new OpError('OpExecError', `Cannot create IP address pool for network '${name}': ${error.message}`);
    }
    if (op.conflicts_check === true) reserveNodeAddresses(context, cluster.networkNamed(name) as SimNetwork);
    return null;
  },
};

/** `OP_NETWORK_CONNECT`: repeating it is a success with a warning. Whether the bridge exists is not looked at. */
export const connectNetworkLogic = onNetwork(async (context, network) => {
  const { cluster, op, clock } = context;
  const group = cluster.lookupGroup(String(op.group_name));
  if (isRehearsal(context)) return null;
  await clock.pause(NETWORK_MS);
  if (network.groups.some((link) => link.group === group.name)) {
    logWarning(context, `Network '${network.name}' is already mapped to group '${group.name}'`);
    return null;
  }
  network.groups.push({
    group: group.name,
    mode: String(op.network_mode),
    link: String(op.network_link),
    vlan: String(op.network_vlan ?? ''),
  });
  cluster.saveNetwork(network);
  return null;
});

/** `OP_NETWORK_DISCONNECT`: refused while NICs of the group's instances are on the network. */
export const disconnectNetworkLogic = onNetwork(async (context, network) => {
  const { cluster, op, clock } = context;
  const group = cluster.lookupGroup(String(op.group_name));
  if (!network.groups.some((link) => link.group === group.name)) {
    logWarning(context, `Network '${network.name}' is not mapped to group '${group.name}'`);
    return null;
  }
  const users = cluster
    .instancesOn(network)
    .filter((instance) => cluster.node(instance.node)?.group === group.name)
    .map((instance) => `${instance.name}: ${nicsOn(network, instance.nics)}`);
  if (users.length > 0) {
    logWarning(
      context,
      `IP addresses from network '${network.name}', which is about to disconnect from node group '${group.name}', are in use: ${users.join(', ')}`,
    );
    throw prereqError(
      'Conflicting IP addresses found;  remove/modify the corresponding network interfaces',
      'wrong_state',
    );
  }
  if (isRehearsal(context)) return null;
  await clock.pause(NETWORK_MS);
  network.groups = network.groups.filter((link) => link.group !== group.name);
  cluster.saveNetwork(network);
  return null;
});

/** `OP_NETWORK_REMOVE`: refused while the network is connected. */
export const removeNetworkLogic = onNetwork(async (context, network) => {
  if (network.groups.length > 0) {
    const groups = network.groups.map(({ group }) => group).join(', ');
    logWarning(context, `Network '${network.name}' is connected to the following node groups: ${groups}`);
    throw prereqError('Network still connected', 'wrong_state');
  }
  if (isRehearsal(context)) return null;
  await context.clock.pause(NETWORK_MS);
  context.cluster.removeNetwork(network);
  return null;
});

/** `OP_NETWORK_SET_PARAMS`: addresses that cannot be reserved or released are warnings of a job that succeeds. */
export const modifyNetworkLogic = onNetwork(async (context, network) => {
  const { cluster, op, clock } = context;
  await clock.pause(NETWORK_MS);
  const pool = cluster.pool(network);
  for (const address of (op.add_reserved_ips as string[] | undefined) ?? []) {
    attempt(context, `Cannot reserve IP address ${address}`, () => {
      pool.reserveExternal(address);
      network.reserved.push(address);
    });
  }
  for (const address of (op.remove_reserved_ips as string[] | undefined) ?? []) {
    if (address === network.gateway) {
      logWarning(context, "Cannot unreserve Gateway's IP");
      continue;
    }
    attempt(context, `Cannot release IP address ${address}`, () => {
      pool.releaseExternal(address);
      network.reserved = network.reserved.filter((other) => other !== address);
    });
  }
  if (typeof op.mac_prefix === 'string') network.macPrefix = op.mac_prefix === 'none' ? null : op.mac_prefix;
  if (typeof op.network6 === 'string') network.network6 = op.network6 === 'none' ? null : op.network6;
  if (typeof op.gateway6 === 'string') network.gateway6 = op.gateway6 === 'none' ? null : op.gateway6;
  cluster.touchNetwork(network);
  return null;
});

function onNetwork(run: (context: OpcodeContext, network: SimNetwork) => Promise<unknown>): OpcodeLogic {
  return {
    expand({ cluster, op }) {
      cluster.lookupNetwork(String(op.network_name));
      if (op.group_name !== undefined) cluster.lookupGroup(String(op.group_name));
    },
    locks: (op) => [`network/${String(op.network_name)}`],
    run: async (context) => run(context, context.cluster.lookupNetwork(String(context.op.network_name))),
  };
}

function reserveNodeAddresses(context: OpcodeContext, network: SimNetwork): void {
  const pool = context.cluster.pool(network);
  for (const node of context.cluster.shape.nodes) {
    if (!pool.contains(node.address)) continue;
    attempt(context, `Cannot reserve IP address '${node.address}' of node '${node.name}'`, () => {
      pool.reserveExternal(node.address);
      network.reserved.push(node.address);
      logInfo(context, `Reserved IP address of node '${node.name}' (${node.address})`);
    });
  }
  context.cluster.saveNetwork(network);
}

function attempt(context: OpcodeContext, complaint: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof AddressPoolError)) throw error;
    logWarning(context, `${complaint}: ${error.message}`);
  }
}

function nicsOn(network: SimNetwork, nics: readonly { network: string | null; ip: string | null }[]): string {
  return nics
    .map((nic, index) => (nic.network === network.uuid ? `nic${index}/${nic.ip ?? 'None'}` : null))
    .filter((text) => text !== null)
    .join(', ');
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
