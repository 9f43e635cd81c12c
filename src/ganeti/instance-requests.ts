import { GanetiRequestError } from './errors.ts';
import { checkedName, checkedRequest, type GanetiRequest } from './requests.ts';

/** A NIC of a new instance. */
export interface NicSpec {
  network: string;
  /** An address, `'pool'` for one that Ganeti picks, or null for a NIC without an IPv4 address. */
  ip: string | null;
  name: string;
}

/** Everything the product decides about a new instance. */
export interface CreateInstanceSpec {
  name: string;
  osType: string;
  diskTemplate: string;
  /** `provider` and `origin` are accepted only where the `ext` template is enabled. */
  disks: { sizeMiB: number; name?: string; provider?: string; origin?: string }[];
  nics: NicSpec[];
  vcpus: number;
  memoryMiB: number;
  /** Reach the OS script as `OSP_<NAME>`; strings only. */
  osParameters: Record<string, string>;
  start: boolean;
  hypervisor?: string;
  opportunisticLocking?: boolean;
  tags?: string[];
  /** Create defaults of the deployment or backend, lowest priority; `beparams`, `hvparams` and `osparams` are merged key by key. */
  extra?: Record<string, unknown>;
}

// What no default may set: fields of the product, their RAPI aliases (both forms together are a 400), and what submit adds.
const OWNED = [
  '__version__',
  'mode',
  'name',
  'instance_name',
  'os',
  'os_type',
  'disk_template',
  'disks',
  'nics',
  'start',
  'ip_check',
  'name_check',
  'reason',
  'depends',
  'dry_run',
];

/** `POST /2/instances`. Name and IP checks are off: they need DNS and pings that a cloud's names and addresses do not have. */
export function createInstance(spec: CreateInstanceSpec): GanetiRequest {
  const { beparams, osparams, ...rest } = spec.extra ?? {};
  const extra = Object.fromEntries(Object.entries(rest).filter(([key]) => !OWNED.includes(key)));
  return checkedRequest({
    opcode: 'OP_INSTANCE_CREATE',
    method: 'POST',
    path: '/2/instances',
    body: {
      ...extra,
      __version__: 1,
      mode: 'create',
      instance_name: checkedName(spec.name, 'instance'),
      os_type: spec.osType,
      disk_template: spec.diskTemplate,
      disks: spec.disks.map(diskBody),
      nics: spec.nics.map(nicBody),
      beparams: backendParameters(spec, beparams),
      osparams: osParameters({ ...asDefaults(osparams, 'osparams'), ...spec.osParameters }),
      ip_check: false,
      name_check: false,
      start: spec.start,
      ...(spec.hypervisor === undefined ? {} : { hypervisor: spec.hypervisor }),
      ...(spec.opportunisticLocking === undefined ? {} : { opportunistic_locking: spec.opportunisticLocking }),
      ...(spec.tags === undefined ? {} : { tags: [...spec.tags] }),
    },
  });
}

/** `DELETE /2/instances/N`. The shutdown timeout is in seconds; Ganeti's own default is 120. */
export function deleteInstance(name: string, options: { shutdownTimeoutS?: number } = {}): GanetiRequest {
  return onInstance('OP_INSTANCE_REMOVE', 'DELETE', name, '', {
    ...(options.shutdownTimeoutS === undefined ? {} : { body: { shutdown_timeout: options.shutdownTimeoutS } }),
  });
}

/** `PUT /2/instances/N/startup`; succeeds when the instance runs already. */
export function startupInstance(name: string): GanetiRequest {
  return onInstance('OP_INSTANCE_STARTUP', 'PUT', name, '/startup', {});
}

/** `PUT /2/instances/N/shutdown`; succeeds when the instance is down already. The timeout is in seconds, 0 = pull the plug. */
export function shutdownInstance(name: string, options: { timeoutS?: number } = {}): GanetiRequest {
  return onInstance('OP_INSTANCE_SHUTDOWN', 'PUT', name, '/shutdown', {
    ...(options.timeoutS === undefined ? {} : { body: { timeout: options.timeoutS } }),
  });
}

/** `POST /2/instances/N/reboot`; starts a stopped instance. The type goes into the query: in the body it is a 400. */
export function rebootInstance(name: string, type: 'soft' | 'hard'): GanetiRequest {
  return onInstance('OP_INSTANCE_REBOOT', 'POST', name, '/reboot', { query: { type } });
}

function onInstance(
  opcode: string,
  method: GanetiRequest['method'],
  name: string,
  resource: string,
  rest: Pick<GanetiRequest, 'query' | 'body'>,
): GanetiRequest {
  return checkedRequest({ opcode, method, path: `/2/instances/${checkedName(name, 'instance')}${resource}`, ...rest });
}

function diskBody(disk: CreateInstanceSpec['disks'][number]): Record<string, unknown> {
  const { sizeMiB, ...named } = disk;
  return { size: sizeMiB, ...named };
}

// Without `ip` the NIC has no address, also on a network with a pool.
function nicBody(nic: NicSpec): Record<string, unknown> {
  const named = { network: checkedName(nic.network, 'network'), name: checkedName(nic.name, 'NIC') };
  return nic.ip === null ? named : { ...named, ip: nic.ip };
}

// `memory` sets minmem and maxmem at once, so a default for those two could only contradict it.
function backendParameters(spec: CreateInstanceSpec, defaults: unknown): Record<string, unknown> {
  const { minmem: _min, maxmem: _max, ...others } = asDefaults(defaults, 'beparams');
  return { auto_balance: true, ...others, vcpus: spec.vcpus, memory: spec.memoryMiB };
}

function osParameters(parameters: Record<string, unknown>): Record<string, string> {
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== 'string') throw new GanetiRequestError(`OS parameter ${name} is not a string`);
  }
  return parameters as Record<string, string>;
}

function asDefaults(value: unknown, what: string): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new GanetiRequestError(`create default ${what} is not an object`);
}
