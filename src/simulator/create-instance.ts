import { randomUUID } from 'node:crypto';
import type { SimInstance, SimNic } from './cluster.ts';
import type { SimNode } from './cluster-shape.ts';
import { makeNic, type NicParameters, type NicWording } from './nic-changes.ts';
import { isRehearsal, logInfo, type OpcodeContext, type OpcodeLogic } from './opcode.ts';
import { findOs, type OsDefinition } from './os-definitions.ts';
import { placeInstance } from './placement.ts';
import { OpError, prereqError } from './rapi-error.ts';

// Where a real create of a file disk spends its time (3.0.2, recorded), in ms.
const ALLOCATE_MS = 120;
const CREATE_DISKS_MS = 70;
const ADD_TO_CONFIG_MS = 10;
const SYNC_MS = 50;
const START_MS = 80;

// The policy of a fresh cluster.
const MIN_NICS = 1;
const MAX_NICS = 8;

const DEFAULT_BEPARAMS = { minmem: 128, maxmem: 128, vcpus: 1, auto_balance: true };

/** `OP_INSTANCE_CREATE`: prerequisites leave nothing behind, a failed OS script leaves the instance with its addresses. */
export const createInstanceLogic: OpcodeLogic = {
  expand({ cluster, op }) {
    const name = String(op.instance_name);
    if (op.name_check === true) {
      throw prereqError(
        `The given name (${name}) does not resolve: Temporary failure in name resolution`,
        'resolver_error',
      );
    }
    if (op.ip_check === true) throw prereqError('Cannot do IP address check without a name check', 'wrong_input');
    checkDiskTemplate(op.disk_template, cluster.shape.diskTemplates);
    checkDisks(op.disks as Record<string, unknown>[], op.disk_template);
    checkHypervisor(op.hypervisor, cluster.shape.hypervisor);
    refuseTakenName(cluster.instanceNamed(name), name);
  },

  locks: (op) => [`instance/${String(op.instance_name)}`],

  async run(context) {
    const { cluster, op, clock } = context;
    const name = String(op.instance_name);
    // Another create of this name may have held the lock.
    refuseTakenName(cluster.instanceNamed(name), name);
    const beparams = fillBeparams(context);
    await clock.pause(ALLOCATE_MS);
    const nicRequests = op.nics as NicParameters[];
    const networks = nicRequests.map((nic) => nic.network).filter((network) => typeof network === 'string');
    const node = placeInstance(context, {
      memoryMiB: Number(beparams.maxmem),
      vcpus: Number(beparams.vcpus),
      disksMiB: (op.disks as { size: number }[]).map(({ size }) => size),
      networks,
    });
    const nics = makeNics(context, nicRequests, node);
    const os = orRelease(context, nics, () => {
      checkNicCount(context, node, nics.length);
      return checkedOs(context, node);
    });
    if (isRehearsal(context)) {
      for (const nic of nics) cluster.releaseNic(nic);
      return [node.uuid];
    }
    await createDisks(context);
    const instance = newInstance(context, node, nics, beparams);
    await addToConfiguration(context, instance);
    await runOsScript(context, instance, os);
    if (op.start === true) {
      context.log('* starting instance...');
      await clock.pause(START_MS);
      instance.adminState = 'up';
      instance.running = true;
      cluster.touchInstance(instance);
    }
    return [node.name];
  },
};

function refuseTakenName(existing: SimInstance | undefined, name: string): void {
  if (existing !== undefined) throw prereqError(`Instance '${name}' is already in the cluster`, 'already_exists');
}

function checkDiskTemplate(template: unknown, enabled: readonly string[]): void {
  if (typeof template === 'string' && !enabled.includes(template)) {
    throw prereqError(
      `Disk template '${template}' is not enabled in cluster. Enabled disk templates are: ${enabled.join(',')}`,
    );
  }
}

function checkDisks(disks: readonly Record<string, unknown>[], template: unknown): void {
  for (const { provider, size } of disks) {
    if (!Number.isInteger(size)) throw prereqError('Missing disk size', 'wrong_input');
    if (provider !== undefined && template !== 'ext') {
      throw prereqError(
        `The 'provider' option is only valid for the ext disk template, not ${String(template)}`,
        'wrong_input',
      );
    }
    if (provider === undefined && template === 'ext') {
      throw prereqError("Missing provider for template 'ext'", 'unknown_entity');
    }
  }
}

function checkHypervisor(asked: unknown, enabled: string): void {
  if (typeof asked === 'string' && asked !== enabled) {
    throw prereqError(`Selected hypervisor (${asked}) not enabled in the cluster (${enabled})`, 'wrong_state');
  }
}

function fillBeparams({ op }: OpcodeContext): Record<string, unknown> {
  const { memory, ...given } = op.beparams as Record<string, unknown>;
  // Memory is counted in steps of 4 MiB.
  const rounded = (value: unknown): number => Math.ceil(Number(value) / 4) * 4;
  if (memory !== undefined) Object.assign(given, { maxmem: rounded(memory), minmem: rounded(memory) });
  op.beparams = given;
  return { ...DEFAULT_BEPARAMS, ...given };
}

function checkNicCount({ cluster }: OpcodeContext, node: SimNode, count: number): void {
  if (count >= MIN_NICS && count <= MAX_NICS) return;
  throw prereqError(
    `Instance allocation to group ${cluster.group(node.group)?.uuid} (${node.group}) violates policy: ` +
      `nic-count value ${count} is not in range [${MIN_NICS}, ${MAX_NICS}]`,
    'wrong_input',
  );
}

// What a failed prerequisite had taken is given back.
function orRelease<T>({ cluster }: OpcodeContext, nics: readonly SimNic[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    for (const nic of nics) cluster.releaseNic(nic);
    throw error;
  }
}

function checkedOs({ op }: OpcodeContext, node: SimNode): OsDefinition {
  const os = findOs(String(op.os_type ?? ''));
  if (typeof os === 'string') throw osError(node, os);
  const unknown = Object.keys(op.osparams as object).filter((key) => os.parameters?.includes(key) === false);
  if (unknown.length > 0) {
    throw osError(node, `The following parameters are not supported by the OS ${os.name}: ${unknown.join(', ')}`);
  }
  return os;
}

function osError(node: SimNode, complaint: string): OpError {
  return new OpError('OpExecError', `OS Parameters validation failed on node ${node.name}: ${complaint}`);
}

const WORDING: NicWording = {
  noNetparams: (network, node) =>
    prereqError(
      `No netparams found for network ${network.name}. Probably not connected to node's ${node.name} nodegroup`,
      'wrong_input',
    ),
  addressTaken: (address, network) =>
    prereqError(
      `IP address ${address} already in use or does not belong to network ${network.name}`,
      'resource_not_unique',
    ),
};

function makeNics(context: OpcodeContext, requests: readonly NicParameters[], node: SimNode): SimNic[] {
  const nics: SimNic[] = [];
  try {
    for (const [index, request] of requests.entries()) {
      const network = typeof request.network === 'string' ? context.cluster.lookupNetwork(request.network) : null;
      const netparams = network?.groups.find(({ group }) => group === node.group);
      if (netparams !== undefined) {
        logInfo(
          context,
          `NIC/${index} inherits netparams ['${netparams.link}', '${netparams.mode}', '${netparams.vlan}']`,
        );
      }
      nics.push(makeNic(context, index, request, node, WORDING));
    }
    return nics;
  } catch (error) {
    for (const nic of nics) context.cluster.releaseNic(nic);
    throw error;
  }
}

async function createDisks(context: OpcodeContext): Promise<void> {
  const disks = context.op.disks as { size: number }[];
  if (context.op.disk_template === 'diskless') return;
  for (const [index, { size }] of disks.entries()) context.log(`* disk ${index}, size ${gibibytes(size)}`);
  context.log('* creating instance disks...');
  await context.clock.pause(CREATE_DISKS_MS);
}

function gibibytes(sizeMiB: number): string {
  if (sizeMiB < 1024) return `${sizeMiB}M`;
  return sizeMiB < 1024 * 1024 ? `${(sizeMiB / 1024).toFixed(1)}G` : `${(sizeMiB / 1024 / 1024).toFixed(1)}T`;
}

function newInstance(
  { op, cluster, clock }: OpcodeContext,
  node: SimNode,
  nics: SimNic[],
  beparams: Record<string, unknown>,
): SimInstance {
  const now = clock.seconds();
  const disks = op.disk_template === 'diskless' ? [] : (op.disks as { size: number; name?: string }[]);
  op.instance_uuid = randomUUID();
  return {
    name: String(op.instance_name),
    uuid: String(op.instance_uuid),
    os: String(op.os_type),
    node: node.name,
    diskTemplate: String(op.disk_template),
    nics,
    disks: disks.map(({ size, name }) => ({ uuid: randomUUID(), name: name ?? null, sizeMiB: size })),
    beparams,
    hvparams: op.hvparams as Record<string, unknown>,
    osparams: op.osparams as Record<string, string>,
    adminState: 'down',
    running: false,
    networkPort: cluster.nextNetworkPort(),
    tags: [...(op.tags as string[])],
    ctime: now,
    mtime: now,
    serialNo: 1,
  };
}

// From here on the instance is there for everyone, ADMIN_down although it is being built.
async function addToConfiguration(context: OpcodeContext, instance: SimInstance): Promise<void> {
  const { cluster, clock } = context;
  context.log(`adding instance ${instance.name} to cluster config`);
  cluster.addInstance(instance);
  await clock.pause(ADD_TO_CONFIG_MS);
  if (instance.diskTemplate === 'diskless') return;
  context.log('adding disks to cluster config');
  cluster.touchInstance(instance);
  for (let round = 0; round < 2; round += 1) {
    logInfo(context, `Waiting for instance ${instance.name} to sync disks`);
    await clock.pause(SYNC_MS);
    logInfo(context, `Instance ${instance.name}'s disks are in sync`);
  }
}

async function runOsScript(context: OpcodeContext, instance: SimInstance, os: OsDefinition): Promise<void> {
  if (instance.diskTemplate === 'diskless' || context.op.no_install === true) return;
  context.log('* running the instance OS create scripts...');
  const failure = await os.create(instance.name, instance.osparams, context);
  if (failure === null) return;
  throw new OpError(
    'OpExecError',
    `Could not add os for instance ${instance.name} on node ${instance.node}: OS create script failed ` +
      `(exited with exit code ${failure.exitCode}), last lines in the log file:\n${failure.lastLines}`,
  );
}
