import type { SimInstance, SimNetwork, SimNic } from './cluster.ts';
import type { SimNode } from './cluster-shape.ts';
import { onInstance } from './instance-opcode.ts';
import { makeNic, type NicParameters, takeAddress } from './nic-changes.ts';
import { isRehearsal, logWarning, type OpcodeContext } from './opcode.ts';
import { OpError, prereqError } from './rapi-error.ts';

const MODIFY_MS = 150;
const NO_HOTPLUG = 'Hotplug is not supported: Hotplug is not supported by this hypervisor';

type NicChange = [verb: string, target: string | number, parameters: NicParameters];
type Change = [what: string, value: unknown];

/** `OP_INSTANCE_SET_PARAMS` for NICs, backend and hypervisor parameters and the OS name; several changes are all or none. */
export const modifyInstanceLogic = onInstance(async (context, instance) => {
  const { op, cluster, clock } = context;
  const nicChanges = (op.nics as unknown[]).map(normalized);
  const beparams = op.beparams as Record<string, unknown>;
  const hvparams = op.hvparams as Record<string, unknown>;
  const osName = typeof op.os_name === 'string' ? op.os_name : null;
  checkHotplug(context, instance);
  if (isRehearsal(context)) return [];
  const draft = new NicDraft(context, instance);
  let changes: Change[];
  try {
    changes = nicChanges.flatMap((change) => draft.apply(change));
  } catch (error) {
    draft.undo();
    throw error;
  }
  await clock.pause(MODIFY_MS);
  draft.commit();
  cluster.setBeparams(instance, beparams);
  for (const [key, value] of Object.entries(beparams)) changes.push([`be/${key}`, value]);
  Object.assign(instance.hvparams, hvparams);
  for (const [key, value] of Object.entries(hvparams)) changes.push([`hv/${key}`, value]);
  // Not validated by the real one either.
  if (osName !== null) instance.os = osName;
  cluster.touchInstance(instance);
  return changes;
}, refuseNothing);

function refuseNothing({ op }: OpcodeContext): void {
  const changes = [op.nics, op.disks, op.beparams, op.hvparams, op.osparams].flatMap((part) =>
    Object.keys(part as object),
  );
  if (changes.length === 0 && op.os_name === undefined && op.offline === undefined) {
    throw prereqError('No changes submitted', 'wrong_input');
  }
}

function checkHotplug(context: OpcodeContext, instance: SimInstance): void {
  const { op, cluster } = context;
  if (cluster.shape.hypervisor === 'kvm' && instance.running) return;
  if (op.hotplug === true) {
    throw prereqError(`Hotplug is not possible: ${NO_HOTPLUG}: ${NO_HOTPLUG}`, 'wrong_state');
  }
  if (op.hotplug_if_possible === true) logWarning(context, 'Hotplug is not possible, applying the changes cold');
}

// `["add", {…}]` is short for the end; the body rules have checked the rest.
function normalized(change: unknown): NicChange {
  const parts = change as unknown[];
  return parts.length === 2 ? [String(parts[0]), '-1', parts[1] as NicParameters] : (parts as NicChange);
}

/** The NICs as they will be: addresses are taken at once, and given back by whichever of commit and undo is right. */
class NicDraft {
  readonly #context: OpcodeContext;
  readonly #instance: SimInstance;
  readonly #nics: SimNic[];
  readonly #taken: Pick<SimNic, 'mac' | 'ip' | 'network'>[] = [];
  readonly #dropped: Pick<SimNic, 'mac' | 'ip' | 'network'>[] = [];

  constructor(context: OpcodeContext, instance: SimInstance) {
    this.#context = context;
    this.#instance = instance;
    this.#nics = instance.nics.map((nic) => ({ ...nic }));
  }

  apply([verb, target, parameters]: NicChange): Change[] {
    if (verb === 'add') return this.#add(target, parameters);
    if (verb === 'remove') return this.#remove(target);
    return this.#modify(target, parameters);
  }

  commit(): void {
    for (const nic of this.#dropped) this.#context.cluster.releaseNic(nic);
    this.#instance.nics = this.#nics;
  }

  undo(): void {
    for (const nic of this.#taken) this.#context.cluster.releaseNic(nic);
  }

  #add(target: string | number, parameters: NicParameters): Change[] {
    const index = Number(target) < 0 ? this.#nics.length : Math.min(Number(target), this.#nics.length);
    const nic = makeNic(this.#context, index, parameters, this.#node(), {
      noNetparams: (network, node) =>
        prereqError(
          `No netparams found for network ${network.name}. Probably not connected to node's ${node.name} nodegroup`,
          'wrong_input',
        ),
      addressTaken,
    });
    this.#taken.push(nic);
    this.#nics.splice(index, 0, nic);
    const network = nic.network === null ? null : (this.#context.cluster.findNetwork(nic.network)?.name ?? null);
    return [
      [
        `nic.${index}`,
        `add:mac=${nic.mac},ip=${nic.ip ?? 'None'},mode=${nic.mode},link=${nic.link},network=${network ?? 'None'}`,
      ],
    ];
  }

  #remove(target: string | number): Change[] {
    const index = this.#find(target);
    const [nic] = this.#nics.splice(index, 1);
    if (nic !== undefined) this.#dropped.push(nic);
    return [[`NIC/${index}`, 'remove']];
  }

  #modify(target: string | number, parameters: NicParameters): Change[] {
    const index = this.#find(target);
    const nic = this.#nics[index] as SimNic;
    if (typeof parameters.name === 'string') nic.name = parameters.name;
    const network = nic.network === null ? undefined : this.#context.cluster.findNetwork(nic.network);
    if (typeof parameters.ip === 'string') {
      const ip =
        network === undefined
          ? parameters.ip
          : takeAddress(this.#context, index, network, parameters.ip, { addressTaken });
      // An entry without a MAC: only the address changes hands.
      this.#dropped.push({ mac: '', ip: nic.ip, network: nic.network });
      this.#taken.push({ mac: '', ip, network: nic.network });
      nic.ip = ip;
    }
    return Object.entries(parameters).map(([key, value]): Change => [`nic.${key}/${index}`, value]);
  }

  #find(target: string | number): number {
    if (/^-?\d+$/.test(String(target))) {
      const index = Number(target) < 0 ? this.#nics.length - 1 : Number(target);
      if (index >= 0 && index < this.#nics.length) return index;
      throw new OpError('OpExecError', `Got NIC index ${target}, but there are only ${this.#nics.length}`);
    }
    const index = this.#nics.findIndex((nic) => nic.uuid === target || nic.name === target);
    if (index < 0) throw prereqError(`Cannot find NIC with identifier ${target}`, 'unknown_entity');
    return index;
  }

  #node(): SimNode {
    return this.#context.cluster.node(this.#instance.node) as SimNode;
  }
}

function addressTaken(address: string, network: SimNetwork): Error {
  return prereqError(`IP ${address} not available in network ${network.name}`, 'resource_not_unique');
}
