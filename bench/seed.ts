/** How many virtual machines there are; the first has the id {@link FIRST_MACHINE}. */
export const MACHINES = 10_000;
/**
 * Seven digits that occur nowhere else, so that the replay of recorded statements can tell a machine's id from any other
 * number.
 */
export const FIRST_MACHINE = 7_000_001;

const BACKENDS = 10;
const NETWORKS = 100;
const NICS_PER_MACHINE = 2;

/**
 * Fills an empty, migrated database: stopped machines in a ring over backends, two interfaces each in different
 * networks. The backends are offline, so that no dispatcher calls them.
 */
export function seedStatements(): readonly string[] {
  return [
    `INSERT INTO "Backend" ("id", "name", "endpoints", "username", "passwordCipher", "clusterName", "clusterUuid", "hypervisor",
       "diskTemplates", "softwareVersion", "nodeGroups", "isOffline")
     SELECT b, 'backend-' || b, ARRAY['https://127.0.0.1:9'], 'bench', '', 'cluster-' || b, gen_random_uuid()::text, 'fake',
       ARRAY['file'], '3.0.2', ARRAY['default'], true FROM generate_series(1, ${BACKENDS}) b`,
    `INSERT INTO "Flavor" ("id", "name", "cpu", "memoryMiB", "diskGiB", "diskTemplate")
     SELECT f, 'flavor-' || f, f, f * 512, 10, 'file' FROM generate_series(1, 5) f`,
    `INSERT INTO "Image" ("id", "name", "osType") SELECT i, 'image-' || i, 'noop' FROM generate_series(1, 5) i`,
    `INSERT INTO "Network" ("id", "name", "flavor", "mode", "link", "macPrefix", "subnet", "isPublic")
     SELECT n, 'network-' || n, 'CUSTOM', 'bridged', 'br0', 'aa:00:0', '10.' || n || '.0.0/16', true
       FROM generate_series(1, ${NETWORKS}) n`,
    `INSERT INTO "BackendNetwork" ("networkId", "backendId", "operState", "macPrefix", "connectedGroups", "markEndUs")
     SELECT n, b, 'ACTIVE', 'aa:00:0', ARRAY['default'], 1
       FROM generate_series(1, ${NETWORKS}) n, generate_series(1, ${BACKENDS}) b`,
    `INSERT INTO "VirtualMachine" ("id", "name", "ganetiName", "ganetiUuid", "ownerId", "backendId", "flavorId", "imageId",
       "operState", "buildPercentage", "buildPhase")
     SELECT m, 'machine-' || m, 'snf-' || m, gen_random_uuid()::text, 'owner-' || m % 50, m % ${BACKENDS} + 1, m % 5 + 1,
       m % 5 + 1, 'STOPPED', 100, 'DONE' FROM generate_series(${FIRST_MACHINE}, ${FIRST_MACHINE + MACHINES - 1}) m`,
    // Neighbouring networks for the two interfaces; 37 and 100 have no common factor, so that all networks are used alike.
    `INSERT INTO "NetworkInterface" ("id", "virtualMachineId", "networkId", "index", "name", "mac", "ipv4", "state")
     SELECT m * ${NICS_PER_MACHINE} + i, m, (m * 37 + i) % ${NETWORKS} + 1, i, 'snf-nic-' || m * ${NICS_PER_MACHINE} + i,
       'aa:00:0' || i || regexp_replace(lpad(to_hex(m % 16777216), 6, '0'), '(..)', ':\\1', 'g'), '10.' || (m * 37 + i) % ${NETWORKS} + 1 || '.' || m % 250 || '.' || m / 250 % 250,
       'ACTIVE'
       FROM generate_series(${FIRST_MACHINE}, ${FIRST_MACHINE + MACHINES - 1}) m, generate_series(0, ${NICS_PER_MACHINE - 1}) i`,
    'VACUUM ANALYZE',
  ];
}
