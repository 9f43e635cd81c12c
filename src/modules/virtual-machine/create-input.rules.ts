import { AddressInUse, InvalidInput, InvalidState, NotFound, Unsupported } from '../../operations/user-error.ts';
import { checkName } from '../catalog/text.rules.ts';
import { addressOffset, type NetworkRecord, rangeSize } from '../network/network.rules.ts';

/** Ganeti's own policy default (nic-count [1,8]) and the field's limit (GANETI_MAX_NICS_PER_INSTANCE). */
const MAX_NICS = 8;

export interface NicInput {
  readonly networkId: number;
  readonly ipv4?: string | null | undefined;
  readonly firewallProfile?: 'ENABLED' | 'DISABLED' | 'PROTECTED' | null | undefined;
}

export interface CreateVirtualMachineInput {
  readonly name: string;
  readonly flavorId: number;
  readonly imageId: number;
  readonly backendId?: number | null | undefined;
  readonly start: boolean;
  readonly networks?: readonly NicInput[] | null | undefined;
  readonly idempotencyKey?: string | null | undefined;
}

/** What needs no database. @throws InvalidInput with the field's path */
export function checkCreateInput(input: CreateVirtualMachineInput): { name: string; networks: readonly NicInput[] } {
  const name = checkName(input.name, ['name']);
  const networks = input.networks ?? [];
  // Ganeti would invent a NIC of its own for a machine without one (decision 13).
  if (networks.length === 0) throw new InvalidInput('A virtual machine needs at least one network.', ['networks']);
  if (networks.length > MAX_NICS)
    throw new InvalidInput(`A virtual machine has at most ${MAX_NICS} NICs.`, ['networks']);
  for (const [at, nic] of networks.entries()) {
    if (nic.firewallProfile != null) {
      throw new Unsupported('Firewall profiles are not offered yet.', ['networks', String(at), 'firewallProfile']);
    }
  }
  return { name, networks };
}

/** Whether a NIC may be put on this network. @throws NotFound, InvalidState */
export function checkUsable(network: NetworkRecord | undefined, at: number): NetworkRecord {
  const path = ['networks', String(at), 'networkId'];
  if (!network || network.deletedAt !== null) throw new NotFound('There is no such network.', path);
  if (network.action === 'DESTROY') throw new InvalidState('The network is being deleted.', path);
  if (network.isDrained) throw new InvalidState('The network is drained: it takes no new NICs.', path);
  return network;
}

/** Whether an address that was asked for can be a NIC's there. @throws InvalidInput, AddressInUse for the gateway's */
export function checkAddress(network: NetworkRecord, ipv4: string, at: number): void {
  const path = ['networks', String(at), 'ipv4'];
  if (network.subnet === null) throw new InvalidInput('The network has no IPv4 range.', path);
  const offset = addressOffset(network.subnet, ipv4);
  if (offset === null) throw new InvalidInput(`${ipv4} is outside ${network.subnet}.`, path);
  if (offset === 0 || offset === rangeSize(network.subnet) - 1) {
    throw new InvalidInput(`${ipv4} is the network's own or the broadcast address of ${network.subnet}.`, path);
  }
  if (ipv4 === network.gateway) throw new AddressInUse(`${ipv4} is the gateway's address.`, path);
}
