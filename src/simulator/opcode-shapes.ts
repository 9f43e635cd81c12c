import { addressNumber, parseCidr } from './address-pool.ts';

type Check = (value: unknown) => boolean;
/** A parameter: what it may be, and its default. Without one it is required, unless its check takes `undefined`. */
type Parameter = readonly [check: Check, fallback?: unknown];
/** Parameters by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

const text: Check = (value) => typeof value === 'string';
const nonEmpty: Check = (value) => typeof value === 'string' && value !== '';
const flag: Check = (value) => typeof value === 'boolean';
const whole: Check = (value) => Number.isInteger(value);
const natural: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
/** A JSON object. */
export const object: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === null || value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);

const DISK_TEMPLATES = ['blockdev', 'diskless', 'drbd', 'ext', 'file', 'gluster', 'plain', 'rbd', 'sharedfile'];
const NIC_KEYS = ['mac', 'ip', 'mode', 'link', 'network', 'name', 'vlan', 'bridge'];
const FINAL_STATUSES = ['success', 'error', 'canceled'];

const nic: Check = (value) =>
  object(value) &&
  Object.keys(value as object).every((key) => NIC_KEYS.includes(key)) &&
  Object.values(value as object).every(maybe(text));
const disk: Check = (value) =>
  object(value) && Object.values(value as object).every((inner) => nonEmpty(inner) || whole(inner));
const cidr: Check = (value) => typeof value === 'string' && parseCidr(value) !== null;
const address: Check = (value) => typeof value === 'string' && addressNumber(value) !== null;
const change: Check = (value) => {
  if (!Array.isArray(value)) return false;
  const [verb, ...rest] = value;
  if (verb !== 'add' && verb !== 'remove' && verb !== 'modify') return false;
  return rest.length === 1 ? verb === 'add' && object(rest[0]) : rest.length === 2 && object(rest[1]);
};
const dependency: Check = (value) =>
  Array.isArray(value) &&
  value.length === 2 &&
  /^-?\d+$/.test(String(value[0])) &&
  listOf(oneOf(...FINAL_STATUSES))(value[1]);

/** What every opcode takes. `dry_run` and `reason` are in here too, but RAPI fills them from the query. */
export const COMMON: Parameters = {
  dry_run: [maybe(flag)],
  debug_level: [natural, 0],
  priority: [oneOf(-10, 0, 10), 0],
  depends: [maybe(listOf(dependency)), null],
  comment: [maybe(text), null],
  reason: [() => true],
};

/** An opcode's class name in Ganeti (for its messages), its parameters, and its description in a job's summary. */
export interface OpcodeShape {
  readonly className: string;
  readonly parameters: Parameters;
  /** The parameter a summary names; null for none. */
  readonly subject: string | null;
}

const INSTANCE: Parameters = { instance_name: [text], instance_uuid: [maybe(text)] };

/** Every opcode that RAPI makes here. */
export const SHAPES: Readonly<Record<string, OpcodeShape>> = {
  OP_INSTANCE_CREATE: {
    className: 'OpInstanceCreate',
    subject: 'instance_name',
    parameters: {
      instance_name: [text],
      force_variant: [flag, false],
      wait_for_sync: [flag, true],
      name_check: [flag, true],
      ignore_ipolicy: [flag, false],
      opportunistic_locking: [flag, false],
      beparams: [object, {}],
      // Any key passes here; the job looks closer.
      disks: [listOf(disk)],
      disk_template: [maybe(oneOf(...DISK_TEMPLATES))],
      group_name: [maybe(text)],
      file_driver: [maybe(text), 'loop'],
      file_storage_dir: [maybe(text)],
      hvparams: [object, {}],
      hypervisor: [maybe(oneOf('kvm', 'fake', 'xen-pvm', 'xen-hvm', 'lxc', 'chroot'))],
      iallocator: [maybe(text)],
      identify_defaults: [flag, false],
      ip_check: [flag, true],
      conflicts_check: [flag, true],
      mode: [oneOf('create', 'import', 'remote-import')],
      nics: [listOf(nic)],
      no_install: [maybe(flag)],
      osparams: [object, {}],
      osparams_private: [maybe(object)],
      osparams_secret: [maybe(object)],
      os_type: [maybe(text)],
      pnode: [maybe(text)],
      pnode_uuid: [maybe(text)],
      snode: [maybe(text)],
      snode_uuid: [maybe(text)],
      source_shutdown_timeout: [natural, 120],
      src_node: [maybe(text)],
      src_path: [maybe(text)],
      compress: [text, 'none'],
      start: [flag, true],
      forthcoming: [flag, false],
      commit: [flag, false],
      tags: [listOf(nonEmpty), []],
      instance_communication: [flag, false],
      helper_startup_timeout: [maybe(whole), 300],
      helper_shutdown_timeout: [maybe(whole), 7200],
    },
  },
  OP_INSTANCE_REMOVE: {
    className: 'OpInstanceRemove',
    subject: 'instance_name',
    parameters: { ...INSTANCE, shutdown_timeout: [natural, 120], ignore_failures: [flag, false] },
  },
  OP_INSTANCE_STARTUP: {
    className: 'OpInstanceStartup',
    subject: 'instance_name',
    parameters: {
      ...INSTANCE,
      force: [flag, false],
      ignore_offline_nodes: [flag, false],
      hvparams: [object, {}],
      beparams: [object, {}],
      no_remember: [flag, false],
      startup_paused: [flag, false],
      shutdown_timeout: [natural, 120],
    },
  },
  OP_INSTANCE_SHUTDOWN: {
    className: 'OpInstanceShutdown',
    subject: 'instance_name',
    parameters: {
      ...INSTANCE,
      force: [flag, false],
      ignore_offline_nodes: [flag, false],
      timeout: [natural, 120],
      no_remember: [flag, false],
      admin_state_source: [maybe(oneOf('admin', 'user'))],
    },
  },
  OP_INSTANCE_REBOOT: {
    className: 'OpInstanceReboot',
    subject: 'instance_name',
    parameters: {
      ...INSTANCE,
      shutdown_timeout: [natural, 120],
      ignore_secondaries: [flag, false],
      reboot_type: [oneOf('soft', 'hard', 'full')],
    },
  },
  OP_INSTANCE_SET_PARAMS: {
    className: 'OpInstanceSetParams',
    subject: 'instance_name',
    parameters: {
      ...INSTANCE,
      force: [flag, false],
      force_variant: [flag, false],
      ignore_ipolicy: [flag, false],
      nics: [listOf(change), []],
      disks: [listOf(change), []],
      beparams: [object, {}],
      runtime_mem: [maybe(natural)],
      hvparams: [object, {}],
      disk_template: [maybe(oneOf(...DISK_TEMPLATES))],
      ext_params: [object, {}],
      os_name: [maybe(text)],
      osparams: [object, {}],
      osparams_private: [maybe(object)],
      wait_for_sync: [flag, true],
      offline: [maybe(flag)],
      conflicts_check: [flag, true],
      hotplug: [flag, false],
      hotplug_if_possible: [flag, false],
      instance_communication: [maybe(flag)],
    },
  },
  OP_NETWORK_ADD: {
    className: 'OpNetworkAdd',
    subject: 'network_name',
    parameters: {
      network_name: [nonEmpty],
      network: [cidr],
      gateway: [maybe(address)],
      network6: [maybe(nonEmpty)],
      gateway6: [maybe(nonEmpty)],
      mac_prefix: [maybe(nonEmpty)],
      add_reserved_ips: [maybe(listOf(address))],
      conflicts_check: [flag, true],
      tags: [listOf(nonEmpty), []],
    },
  },
  OP_NETWORK_CONNECT: {
    className: 'OpNetworkConnect',
    subject: 'network_name',
    parameters: {
      group_name: [nonEmpty],
      network_name: [nonEmpty],
      network_mode: [oneOf('bridged', 'routed', 'openvswitch', 'pool')],
      network_link: [nonEmpty],
      network_vlan: [text, ''],
      conflicts_check: [flag, true],
    },
  },
  OP_NETWORK_DISCONNECT: {
    className: 'OpNetworkDisconnect',
    subject: 'network_name',
    parameters: { group_name: [nonEmpty], network_name: [nonEmpty] },
  },
  OP_NETWORK_REMOVE: {
    className: 'OpNetworkRemove',
    subject: 'network_name',
    parameters: { network_name: [nonEmpty], force: [flag, false] },
  },
  OP_NETWORK_SET_PARAMS: {
    className: 'OpNetworkSetParams',
    subject: 'network_name',
    parameters: {
      network_name: [nonEmpty],
      gateway: [maybe(address)],
      network6: [maybe(nonEmpty)],
      gateway6: [maybe(nonEmpty)],
      mac_prefix: [maybe(nonEmpty)],
      add_reserved_ips: [maybe(listOf(address))],
      remove_reserved_ips: [maybe(listOf(address))],
    },
  },
  OP_TAGS_SET: {
    className: 'OpTagsSet',
    subject: null,
    parameters: { kind: [text], tags: [listOf(text)], name: [maybe(text)] },
  },
  OP_TAGS_DEL: {
    className: 'OpTagsDel',
    subject: null,
    parameters: { kind: [text], tags: [listOf(text)], name: [maybe(text)] },
  },
  OP_OS_DIAGNOSE: {
    className: 'OpOsDiagnose',
    subject: null,
    parameters: { output_fields: [listOf(text), []], names: [listOf(text), []] },
  },
};
