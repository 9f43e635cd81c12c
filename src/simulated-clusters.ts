import path from 'node:path';
import { LOCAL_ADMIN } from './auth/viewer.ts';
import type { LoadedConfig } from './config.ts';
import { addBackend } from './modules/backend/backend.service.ts';
import { createFlavor, createImage } from './modules/catalog/catalog.service.ts';
import { createNetwork } from './modules/network/network.service.ts';
import { RAPI_PASSWORD } from './operations/cluster-clients.ts';
import type { Environment } from './operations/environment.ts';
import { type Simulator, startSimulator } from './simulator/index.ts';

/**
 * Starts the simulated clusters of a development set-up and has them as backends, with a flavor, images and a network
 * ready to use: a new user's first mutation needs nothing else. Their state is kept in DATA_DIR, so a restart finds
 * the same clusters.
 */
export async function startSimulatedClusters(config: LoadedConfig): Promise<Simulator[]> {
  const started: Simulator[] = [];
  for (let number = 1; number <= config.simulatedClusters; number += 1) {
    started.push(
      await startSimulator({
        dataDir: path.join(config.dataDir, `simulator-${number}`),
        name: `cluster${number}.sim.test`,
        speed: config.simulatorSpeed,
      }),
    );
  }
  return started;
}

export async function seedSimulatedClusters(env: Environment, simulators: readonly Simulator[]): Promise<void> {
  for (const [at, simulator] of simulators.entries()) await ensureBackend(env, `simulated-${at + 1}`, simulator);
  if (simulators.length > 0) await ensureCatalog(env);
}

/** The port may have been taken since the last start, so what the simulator says now is stored. */
async function ensureBackend(env: Environment, name: string, simulator: Simulator): Promise<void> {
  const { rowCount } = await env.pool.query(
    `UPDATE "Backend" SET "endpoints" = $2, "certificateFingerprint" = $3, "username" = $4, "passwordCipher" = $5
      WHERE "name" = $1 AND "deletedAt" IS NULL`,
    [
      name,
      [simulator.url],
      simulator.fingerprint,
      simulator.username,
      env.secrets.encrypt(RAPI_PASSWORD, simulator.password),
    ],
  );
  if (rowCount !== 0) return;
  await addBackend(env, LOCAL_ADMIN, {
    name,
    endpoints: [simulator.url],
    username: simulator.username,
    password: simulator.password,
    certificateFingerprint: simulator.fingerprint,
    isPublic: true,
    isDrained: false,
  });
}

/** Once, on an empty catalog: what a user deleted stays deleted. */
async function ensureCatalog(env: Environment): Promise<void> {
  const { rows } = await env.pool.query<{ isEmpty: boolean }>(
    `SELECT NOT EXISTS (SELECT 1 FROM "Flavor") AND NOT EXISTS (SELECT 1 FROM "Image") AND NOT EXISTS (SELECT 1 FROM "Network") AS "isEmpty"`,
  );
  if (!rows[0]?.isEmpty) return;
  await createFlavor(env, LOCAL_ADMIN, { cpu: 1, memoryMiB: 512, diskGiB: 1, diskTemplate: 'file' });
  await createImage(env, LOCAL_ADMIN, {
    name: 'Simulated Debian',
    osType: 'simimage+default',
    progressParameter: 'progress_url',
  });
  await createImage(env, LOCAL_ADMIN, {
    name: 'Simulated image that fails',
    osType: 'simimage+default',
    osParameters: { fail: 'yes' },
    progressParameter: 'progress_url',
  });
  await createNetwork(env, LOCAL_ADMIN, {
    name: 'default',
    flavor: 'CUSTOM',
    subnet: '10.77.0.0/24',
    gateway: '10.77.0.1',
    dhcp: true,
    isPublic: false,
  });
}
