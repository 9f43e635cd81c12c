import { randomUUID } from 'node:crypto';
import type { SimNetwork, SimNic } from './cluster.ts';
import type { SimNode } from './cluster-shape.ts';
import { logInfo, type OpcodeContext } from './opcode.ts';
import { prereqError } from './rapi-error.ts';

/** A NIC as a request describes it. */
export type NicParameters = Readonly<Record<string, unknown>>;

/** Who asks: creating and modifying an instance word the same failures differently. */
export interface NicWording {
  noNetparams(network: SimNetwork, node: SimNode): Error;
  addressTaken(address: string, network: SimNetwork): Error;
}

/** Makes a NIC and takes its address; nothing is taken when it throws. */
export function makeNic(
  context: OpcodeContext,
  index: number,
  parameters: NicParameters,
  node: SimNode,
  wording: NicWording,
): SimNic {
  const { cluster } = context;
  const named = textOrNull(parameters.name);
  const networkName = textOrNull(parameters.network);
  if (networkName === null) return looseNic(context, parameters, named);
  if (parameters.mode !== undefined || parameters.link !== undefined) {
    throw prereqError('If network is given, mode or link should not', 'wrong_input');
  }
  const network = cluster.lookupNetwork(networkName);
  const netparams = network.groups.find(({ group }) => group === node.group);
  if (netparams === undefined) throw wording.noNetparams(network, node);
  const ip = takeAddress(context, index, network, parameters.ip, wording);
  return {
    uuid: randomUUID(),
    name: named,
    mac: chosenMac(context, parameters, network),
    ip,
    network: network.uuid,
    mode: netparams.mode,
    link: netparams.link,
    vlan: netparams.vlan,
  };
}

/** Takes the address a request asks for (`pool`, one, or none) from a network. */
export function takeAddress(
  context: OpcodeContext,
  index: number,
  network: SimNetwork,
  asked: unknown,
  wording: Pick<NicWording, 'addressTaken'>,
): string | null {
  const address = textOrNull(asked)?.toLowerCase() ?? null;
  if (address === null || address === 'none') return null;
  const pool = context.cluster.pool(network);
  if (address === 'pool') {
    const lowest = pool.takeLowest();
    if (lowest === null) {
      throw prereqError(`Unable to get a free IP for NIC ${index} from the address pool`, 'wrong_state');
    }
    logInfo(context, `Chose IP ${lowest} from network ${network.name}`);
    return lowest;
  }
  if (!pool.reserveForNic(address)) throw wording.addressTaken(address, network);
  return address;
}

function looseNic(context: OpcodeContext, parameters: NicParameters, name: string | null): SimNic {
  const ip = textOrNull(parameters.ip);
  if (ip?.toLowerCase() === 'pool') {
    throw prereqError('if ip=pool, parameter network must be passed too', 'wrong_input');
  }
  return {
    uuid: randomUUID(),
    name,
    mac: chosenMac(context, parameters, null),
    ip,
    network: null,
    mode: textOrNull(parameters.mode) ?? 'bridged',
    link: textOrNull(parameters.link) ?? 'br0',
    vlan: '',
  };
}

function chosenMac(context: OpcodeContext, parameters: NicParameters, network: SimNetwork | null): string {
  const asked = textOrNull(parameters.mac);
  return asked === null || asked === 'auto' || asked === 'generate' ? context.cluster.newMac(network) : asked;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
