import type { Cluster, SimInstance, SimNetwork } from './cluster.ts';
import type { SimNode } from './cluster-shape.ts';

const IPOLICY = {
  minmax: [
    {
      min: { 'memory-size': 128, 'disk-size': 1024, 'disk-count': 1, 'cpu-count': 1, 'nic-count': 1, 'spindle-use': 1 },
      max: {
        'memory-size': 1_048_576,
        'disk-size': 1_048_576,
        'disk-count': 16,
        'cpu-count': 64,
        'nic-count': 8,
        'spindle-use': 12,
      },
    },
  ],
  std: { 'memory-size': 128, 'disk-size': 1024, 'disk-count': 1, 'cpu-count': 1, 'nic-count': 1, 'spindle-use': 1 },
  'spindle-ratio': 32,
  'vcpu-ratio': 4,
};

const NDPARAMS = {
  oob_program: '',
  spindle_count: 1,
  exclusive_storage: false,
  ovs: false,
  ovs_name: 'switch1',
  ovs_link: '',
  ssh_port: 22,
  cpu_speed: 1,
};

const KVM_HVPARAMS = { serial_console: false, vnc_bind_address: '0.0.0.0', boot_order: 'disk', kernel_path: '' };

/** The status of an instance as Ganeti computes it from what it should be and what it is. */
export function instanceStatus(cluster: Cluster, instance: SimInstance): string {
  if (cluster.node(instance.node)?.offline === true) return 'ERROR_nodeoffline';
  if (instance.adminState === 'offline') return 'ADMIN_offline';
  if (instance.adminState === 'up') return instance.running ? 'running' : 'ERROR_down';
  return instance.running ? 'ERROR_up' : 'ADMIN_down';
}

/** `GET /2/instances/N`. */
export function instanceView(cluster: Cluster, instance: SimInstance): Record<string, unknown> {
  const offline = cluster.node(instance.node)?.offline === true;
  const { nics, disks, beparams } = instance;
  const networks = nics.map((nic) => (nic.network === null ? undefined : cluster.findNetwork(nic.network)));
  return {
    name: instance.name,
    admin_state: instance.adminState,
    os: instance.os,
    pnode: instance.node,
    snodes: [],
    disk_template: instance.diskTemplate,
    'nic.ips': nics.map((nic) => nic.ip),
    'nic.macs': nics.map((nic) => nic.mac),
    'nic.modes': nics.map((nic) => nic.mode),
    'nic.uuids': nics.map((nic) => nic.uuid),
    'nic.names': nics.map((nic) => nic.name),
    'nic.links': nics.map((nic) => nic.link),
    'nic.networks': nics.map((nic) => nic.network),
    'nic.networks.names': networks.map((network) => network?.name ?? null),
    'nic.bridges': nics.map((nic) => (nic.mode === 'bridged' ? nic.link : null)),
    network_port: instance.networkPort,
    'disk.sizes': disks.map((disk) => disk.sizeMiB),
    'disk.spindles': disks.map(() => null),
    disk_usage: disks.reduce((sum, disk) => sum + disk.sizeMiB, 0),
    'disk.uuids': disks.map((disk) => disk.uuid),
    'disk.names': disks.map((disk) => disk.name),
    beparams: { always_failover: false, spindle_use: 1, ...beparams, memory: beparams.maxmem },
    hvparams: cluster.shape.hypervisor === 'kvm' ? { ...KVM_HVPARAMS, ...instance.hvparams } : {},
    oper_state: offline ? null : instance.running,
    oper_ram: instance.running && !offline ? beparams.maxmem : null,
    oper_vcpus: instance.running && !offline ? beparams.vcpus : null,
    status: instanceStatus(cluster, instance),
    custom_hvparams: instance.hvparams,
    custom_beparams: beparams,
    custom_nicparams: nics.map(({ mode, link, vlan }) => ({ mode, link, vlan })),
    ctime: instance.ctime,
    mtime: instance.mtime,
    uuid: instance.uuid,
    serial_no: instance.serialNo,
    tags: instance.tags,
  };
}

/** `GET /2/networks/N`. */
export function networkView(cluster: Cluster, network: SimNetwork): Record<string, unknown> {
  const pool = cluster.pool(network);
  const reserved = pool.reservedCount();
  return {
    name: network.name,
    network: network.network,
    gateway: network.gateway,
    network6: network.network6,
    gateway6: network.gateway6,
    mac_prefix: network.macPrefix,
    free_count: pool.size - reserved,
    reserved_count: reserved,
    map: pool.map(),
    group_list: network.groups.map(({ group, mode, link, vlan }) => [group, mode, link, vlan]),
    inst_list: cluster.instancesOn(network).map((instance) => instance.name),
    external_reservations: pool.external().join(', '),
    ctime: network.ctime,
    mtime: network.mtime,
    uuid: network.uuid,
    serial_no: network.serialNo,
    tags: network.tags,
  };
}

/** `GET /2/nodes/N`: every live number is null while the node is offline. */
export function nodeView(cluster: Cluster, node: SimNode): Record<string, unknown> {
  const instances = cluster.instances().filter((instance) => instance.node === node.name);
  const disk = instances.flatMap((instance) => instance.disks).reduce((sum, { sizeMiB }) => sum + sizeMiB, 0);
  const live = <T>(value: T): T | null => (node.offline ? null : value);
  const index = cluster.shape.nodes.indexOf(node);
  return {
    name: node.name,
    offline: node.offline,
    master_candidate: !node.offline,
    drained: false,
    dtotal: live(node.diskMiB),
    dfree: live(Math.max(0, node.diskMiB - disk)),
    sptotal: null,
    spfree: null,
    mtotal: live(node.memoryMiB),
    mnode: live(108),
    mfree: live(Math.max(0, cluster.freeMemoryMiB(node))),
    pinst_cnt: instances.length,
    sinst_cnt: 0,
    ctotal: live(64),
    cnos: live(1),
    cnodes: live(1),
    csockets: live(2),
    pip: node.address,
    sip: node.address,
    role: index === 0 ? 'M' : node.offline ? 'O' : 'C',
    pinst_list: instances.map((instance) => instance.name),
    sinst_list: [],
    master_capable: true,
    vm_capable: true,
    ndparams: NDPARAMS,
    'group.uuid': cluster.group(node.group)?.uuid ?? null,
    ctime: cluster.shape.ctime,
    mtime: cluster.shape.ctime,
    uuid: node.uuid,
    serial_no: 1,
    tags: node.tags,
  };
}

/** `GET /2/groups/N`. */
export function groupView(cluster: Cluster, group: Cluster['shape']['groups'][number]): Record<string, unknown> {
  const nodes = cluster.shape.nodes.filter((node) => node.group === group.name);
  return {
    name: group.name,
    alloc_policy: 'preferred',
    node_cnt: nodes.length,
    node_list: nodes.map((node) => node.name),
    ipolicy: { ...IPOLICY, 'disk-templates': cluster.shape.diskTemplates },
    custom_ipolicy: {},
    diskparams: {},
    custom_diskparams: {},
    ndparams: NDPARAMS,
    custom_ndparams: {},
    ctime: cluster.shape.ctime,
    mtime: cluster.shape.ctime,
    uuid: group.uuid,
    serial_no: 1,
    tags: group.tags,
  };
}

/** `GET /2/info`, without the hundreds of hypervisor parameters nobody reads. */
export function infoView(cluster: Cluster): Record<string, unknown> {
  const { shape } = cluster;
  return {
    software_version: '3.0.2',
    protocol_version: 3_000_000,
    config_version: 3_000_000,
    os_api_version: 20,
    export_version: 0,
    vcs_version: '(ganeti) version 3.0.2-3',
    architecture: ['64bits', 'x86_64'],
    name: shape.name,
    master: shape.nodes[0]?.name ?? null,
    default_hypervisor: shape.hypervisor,
    enabled_hypervisors: [shape.hypervisor],
    hvparams: { [shape.hypervisor]: shape.hypervisor === 'kvm' ? KVM_HVPARAMS : { migration_mode: 'live' } },
    os_hvp: {},
    beparams: {
      default: { minmem: 128, maxmem: 128, vcpus: 1, auto_balance: true, always_failover: false, spindle_use: 1 },
    },
    osparams: {},
    ipolicy: { ...IPOLICY, 'disk-templates': shape.diskTemplates },
    nicparams: { default: { mode: 'bridged', link: 'br0', vlan: '' } },
    ndparams: NDPARAMS,
    diskparams: {},
    candidate_pool_size: 10,
    max_running_jobs: 20,
    max_tracked_jobs: 25,
    mac_prefix: 'aa:00:00',
    master_netdev: 'eth0',
    master_netmask: 32,
    use_external_mip_script: false,
    volume_group_name: null,
    drbd_usermode_helper: null,
    file_storage_dir: '/srv/ganeti/file-storage',
    shared_file_storage_dir: '/srv/ganeti/shared-file-storage',
    maintain_node_health: false,
    ctime: shape.ctime,
    mtime: shape.ctime,
    uuid: shape.uuid,
    tags: cluster.tags,
    uid_pool: [],
    default_iallocator: 'hail',
    default_iallocator_params: {},
    reserved_lvs: [],
    primary_ip_version: 4,
    prealloc_wipe_disks: false,
    hidden_os: [],
    blacklisted_os: [],
    enabled_disk_templates: shape.diskTemplates,
    enabled_user_shutdown: false,
    vg_name: null,
    drbd_helper: null,
  };
}

/** `GET /2/instances/N/console` of a running instance. */
export function consoleView(cluster: Cluster, instance: SimInstance): Record<string, unknown> {
  if (cluster.shape.hypervisor === 'fake') {
    return { instance: instance.name, kind: 'msg', message: 'Console not available for fake hypervisor' };
  }
  return {
    instance: instance.name,
    kind: 'vnc',
    host: instance.node,
    port: instance.networkPort,
    display: (instance.networkPort ?? 5900) - 5900,
  };
}
