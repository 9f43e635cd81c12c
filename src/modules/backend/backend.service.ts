import type { Viewer } from '../../auth/viewer.ts';
import { inTransaction, sqlState } from '../../database/transaction.ts';
import { GanetiClient, GanetiError, probeCluster } from '../../ganeti/index.ts';
import { RAPI_PASSWORD } from '../../operations/cluster-clients.ts';
import type { Environment } from '../../operations/environment.ts';
import { InvalidInput, NameTaken, NotFound } from '../../operations/user-error.ts';
import { type AddBackendInput, checkAddBackendInput, explainProbe } from './add-backend.rules.ts';
import { insertBackend, raiseSequences } from './add-backend.store.ts';
import { appendBackendChange, type BackendRecord, lockBackend } from './backend.store.ts';
import { highestOwnId, summarize } from './observation.rules.ts';

/**
 * Adds a real or simulated cluster. It is looked at first: a row stands only for a cluster that answered with these
 * credentials. The certificate is verified before the password is sent.
 *
 * @throws InvalidInput, NameTaken, BackendUnreachable, BackendAuthenticationFailed, BackendCertificateMismatch,
 *   NotAGanetiCluster
 */
export async function addBackend(
  env: Environment,
  _viewer: Viewer,
  input: AddBackendInput,
): Promise<{ backendId: number }> {
  const { name, endpoints } = checkAddBackendInput(input);
  const stored = {
    endpoints,
    username: input.username,
    passwordCipher: env.secrets.encrypt(RAPI_PASSWORD, input.password),
    caPem: input.caPem ?? null,
    certificateFingerprint: input.certificateFingerprint ?? null,
  };
  const seen = await lookAt(env, stored);
  const hypervisor = input.hypervisor ?? seen.probe.info.defaultHypervisor ?? 'kvm';
  if (!seen.probe.info.enabledHypervisors.includes(hypervisor)) {
    throw new InvalidInput(`The cluster has ${seen.probe.info.enabledHypervisors.join(', ')} only.`, ['hypervisor']);
  }
  return inTransaction(env.pool, async (tx) => {
    const prefix = env.settings.ganetiPrefix;
    await raiseSequences(tx, {
      VirtualMachine: highestOwnId(
        seen.instances.map((instance) => instance.name),
        prefix,
      ),
      Network: highestOwnId(
        seen.networks.map((network) => network.name),
        `${prefix}net-`,
      ),
      NetworkInterface: highestOwnId(
        seen.instances.flatMap((instance) => instance.nics.map((nic) => nic.name)),
        `${prefix}nic-`,
      ),
    });
    const backend = await insertBackend(tx, {
      ...stored,
      name,
      hypervisor,
      clusterName: seen.probe.info.name,
      clusterUuid: seen.probe.info.uuid ?? seen.probe.info.name,
      createDefaults: input.createDefaults ?? {},
      isPublic: input.isPublic,
      isDrained: input.isDrained,
      lastJobId: seen.probe.lastJobId,
      observation: seen.observation,
    }).catch((error: unknown) => {
      const constraint = sqlState(error) === '23505' ? (error as { constraint?: string }).constraint : undefined;
      if (constraint === 'Backend_name_live')
        throw new NameTaken(`There is a backend called "${name}" already.`, ['name']);
      if (constraint === 'Backend_cluster_live')
        throw new NameTaken('This cluster has been added already.', ['endpoints']);
      throw error;
    });
    tx.afterCommit(() => env.wake(backend.id));
    return { backendId: backend.id };
  });
}

async function lookAt(env: Environment, stored: Parameters<Environment['clusters']['connection']>[0]) {
  const connection = env.clusters.connection(stored);
  const client = new GanetiClient(connection);
  try {
    const probe = await probeCluster(connection);
    const [instances, networks] = await Promise.all([client.listInstances(), client.listNetworks()]);
    return { probe, instances, networks, observation: summarize(probe.info, probe.groups, probe.nodes, instances) };
  } catch (error) {
    if (error instanceof GanetiError) throw explainProbe(error);
    throw error;
  } finally {
    await client.close();
  }
}

/** A drained cluster takes no new machines; those there are not touched. Needs no claim, so it is never refused. */
export function drainBackend(env: Environment, _viewer: Viewer, id: number): Promise<void> {
  return setFlag(env, id, 'isDrained', true);
}

export function undrainBackend(env: Environment, _viewer: Viewer, id: number): Promise<void> {
  return setFlag(env, id, 'isDrained', false);
}

/** An offline cluster is not called at all: operations under way pause and go on when it is back. */
export function setBackendOffline(env: Environment, _viewer: Viewer, id: number): Promise<void> {
  return setFlag(env, id, 'isOffline', true);
}

export function setBackendOnline(env: Environment, _viewer: Viewer, id: number): Promise<void> {
  return setFlag(env, id, 'isOffline', false);
}

async function setFlag(env: Environment, id: number, flag: 'isDrained' | 'isOffline', value: boolean): Promise<void> {
  await inTransaction(env.pool, async (tx) => {
    const before = await lockBackend(tx, id);
    if (!before || before.deletedAt !== null) throw new NotFound('There is no such backend.', ['id']);
    if (before[flag] === value) return;
    const { rows } = await tx.query<BackendRecord>(
      `UPDATE "Backend" SET "${flag}" = $2, "version" = "version" + 1, "updatedAt" = clock_timestamp() WHERE "id" = $1 RETURNING *`,
      [id, value],
    );
    await appendBackendChange(tx, before, rows[0] as BackendRecord, [{ field: flag, from: before[flag], to: value }]);
    tx.afterCommit(() => env.wake(id));
  });
}
