import { checkedName, checkedRequest, type GanetiRequest } from './requests.ts';

/** A network of a cluster. Ganeti accepts any name; we accept only those RAPI can address again. */
export interface CreateNetworkSpec {
  name: string;
  /** IPv4 CIDR without host bits (they are a 500, and `network` is mandatory even for an IPv6 network). */
  network: string;
  gateway?: string;
  network6?: string;
  gateway6?: string;
  /** Three octets, `aa:00:01`. */
  macPrefix?: string;
  /** Whether Ganeti refuses addresses of its own nodes and instances inside the network. */
  conflictsCheck: boolean;
  tags: readonly string[];
}

/** `POST /2/networks`. */
export function createNetwork(spec: CreateNetworkSpec): GanetiRequest {
  return checkedRequest({
    opcode: 'OP_NETWORK_ADD',
    method: 'POST',
    path: '/2/networks',
    body: {
      network_name: checkedName(spec.name, 'network'),
      network: spec.network,
      ...(spec.gateway === undefined ? {} : { gateway: spec.gateway }),
      ...(spec.network6 === undefined ? {} : { network6: spec.network6 }),
      ...(spec.gateway6 === undefined ? {} : { gateway6: spec.gateway6 }),
      ...(spec.macPrefix === undefined ? {} : { mac_prefix: spec.macPrefix }),
      conflicts_check: spec.conflictsCheck,
      tags: [...spec.tags],
    },
  });
}

/** `PUT /2/networks/N/connect`; repeating it succeeds with a warning. The bridge's existence is checked only when a NIC is added. */
export function connectNetwork(spec: {
  network: string;
  group: string;
  mode: string;
  link: string;
  conflictsCheck: boolean;
}): GanetiRequest {
  return checkedRequest({
    opcode: 'OP_NETWORK_CONNECT',
    method: 'PUT',
    path: `/2/networks/${checkedName(spec.network, 'network')}/connect`,
    body: {
      group_name: checkedName(spec.group, 'group'),
      network_mode: spec.mode,
      network_link: spec.link,
      conflicts_check: spec.conflictsCheck,
    },
  });
}

/** `PUT /2/networks/N/disconnect`; succeeds with a warning when not connected, `wrong_state` while NICs use it. */
export function disconnectNetwork(spec: { network: string; group: string }): GanetiRequest {
  return checkedRequest({
    opcode: 'OP_NETWORK_DISCONNECT',
    method: 'PUT',
    path: `/2/networks/${checkedName(spec.network, 'network')}/disconnect`,
    body: { group_name: checkedName(spec.group, 'group') },
  });
}

/** `DELETE /2/networks/N`; the job ends in `wrong_state` while the network is connected to a group. */
export function deleteNetwork(network: string): GanetiRequest {
  return checkedRequest({
    opcode: 'OP_NETWORK_REMOVE',
    method: 'DELETE',
    path: `/2/networks/${checkedName(network, 'network')}`,
  });
}
