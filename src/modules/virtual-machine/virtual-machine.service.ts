import type { Viewer } from '../../auth/viewer.ts';
import type { Tx } from '../../database/transaction.ts';
import { type Admitted, admit, type Prepared } from '../../operations/admit.ts';
import type { Environment } from '../../operations/environment.ts';
import type { OperationKind, OperationParameters } from '../../operations/operation-kind.ts';
import { BackendUnavailable, NoBackendFits, NotFound } from '../../operations/user-error.ts';
import { readPlacementBackends, sharePlacementBackend } from '../backend/backend.store.ts';
import { chooseBackend, whyNot } from '../backend/choose-backend.rules.ts';
import { ensureCopy } from '../network/backend-network.store.ts';
import type { NetworkRecord } from '../network/network.rules.ts';
import { lockNetworks, saveNetwork } from '../network/network.store.ts';
import {
  type CreateVirtualMachineInput,
  checkAddress,
  checkCreateInput,
  checkUsable,
  type NicInput,
} from './create-input.rules.ts';
import { insertMachine, insertNic, requireCatalog, reserveIds } from './create-virtual-machine.store.ts';
import { loadMachineSubject } from './machine-subject.store.ts';
import { createVirtualMachineKind } from './operations/create.ts';
import { deleteVirtualMachineKind } from './operations/delete.ts';
import { rebootVirtualMachineKind } from './operations/reboot.ts';
import { shutdownVirtualMachineKind } from './operations/shutdown.ts';
import { startVirtualMachineKind } from './operations/start.ts';
import { lockMachine, saveMachine } from './virtual-machine.store.ts';
import type { MachineKeys, MachineSubject } from './virtual-machine-subject.ts';

/** An action on one machine. */
export interface MachineInput {
  readonly id: number;
  readonly idempotencyKey?: string | null | undefined;
}

/**
 * Admits the build of a machine: chooses its cluster, takes its addresses, writes its rows, plans its jobs.
 * @throws InvalidInput, NotFound, InvalidState, NameTaken, AddressInUse, PoolExhausted, NoBackendFits,
 *   BackendUnavailable, ResourceBusy, IdempotencyKeyReused
 */
export async function createVirtualMachine(
  env: Environment,
  viewer: Viewer,
  input: CreateVirtualMachineInput,
): Promise<Admitted> {
  const { name, networks } = checkCreateInput(input);
  return admit(env, viewer, {
    kind: createVirtualMachineKind.name,
    input: { ...input, name, networks },
    idempotencyKey: input.idempotencyKey ?? undefined,
    describe: async () => {
      const { diskTemplate } = await requireCatalog(env.pool, input.flavorId, input.imageId);
      const backendId = await placeMachine(env, input.backendId ?? null, diskTemplate);
      const ids = await reserveIds(env.pool, networks.length);
      const keys: MachineKeys = {
        virtualMachineId: ids.machineId,
        backendId,
        imageId: input.imageId,
        networkIds: [...new Set(networks.map((nic) => nic.networkId))],
      };
      return {
        claims: createVirtualMachineKind.claims(keys),
        locks: createVirtualMachineKind.locks(keys),
        prepare: (tx, operationId) =>
          prepareBuild(env, viewer, tx, operationId, { ...input, name }, networks, backendId, ids),
      };
    },
  });
}

async function placeMachine(env: Environment, wantedId: number | null, diskTemplate: string): Promise<number> {
  const backends = await readPlacementBackends(env.pool);
  if (wantedId === null) return chooseBackend(backends, diskTemplate);
  const wanted = backends.find((backend) => backend.id === wantedId);
  if (!wanted) throw new NotFound('There is no such backend.', ['backendId']);
  const reason = whyNot(wanted, diskTemplate);
  if (reason === null) return wanted.id;
  if (wanted.isDrained || wanted.isOffline)
    throw new BackendUnavailable(`Backend ${wanted.name} is ${reason}.`, ['backendId']);
  throw new NoBackendFits(`Backend ${wanted.name} ${reason}.`, ['backendId']);
}

async function prepareBuild(
  env: Environment,
  viewer: Viewer,
  tx: Tx,
  operationId: string,
  input: CreateVirtualMachineInput,
  wanted: readonly NicInput[],
  backendId: number,
  ids: { machineId: number; nicIds: number[] },
): Promise<Prepared> {
  // Lock order: machine, networks, backend, pools. The machine's row is new, nobody else can hold it.
  const prefix = env.settings.ganetiPrefix;
  const { diskTemplate } = await requireCatalog(tx, input.flavorId, input.imageId, 'FOR SHARE');
  await insertMachine(
    tx,
    {
      id: ids.machineId,
      name: input.name,
      ganetiName: `${prefix}${ids.machineId}`,
      ownerId: viewer.id,
      backendId,
      flavorId: input.flavorId,
      imageId: input.imageId,
    },
    operationId,
  );
  const byId = new Map(
    (
      await lockNetworks(
        tx,
        wanted.map((nic) => nic.networkId),
      )
    ).map((network) => [network.id, network]),
  );
  const networks = wanted.map((nic, at) => checkUsable(byId.get(nic.networkId), at));
  // Read again under the lock: it may have been drained since it was chosen.
  const backend = await sharePlacementBackend(tx, backendId);
  const reason = backend ? whyNot(backend, diskTemplate) : 'gone';
  if (!backend || reason)
    throw new BackendUnavailable(`The backend is ${reason}.`, input.backendId == null ? null : ['backendId']);
  for (const [index, nic] of wanted.entries()) {
    const network = networks[index] as NetworkRecord;
    if (nic.ipv4 != null) checkAddress(network, nic.ipv4, index);
    const id = ids.nicIds[index] as number;
    await insertNic(tx, ids.machineId, { id, name: `${prefix}nic-${id}`, index }, network, nic);
  }
  for (const network of byId.values()) {
    await ensureCopy(tx, network, backend);
    await saveNetwork(tx, network, {}, [{ field: 'nics', from: null, to: `${prefix}${ids.machineId}` }], operationId);
  }
  const subject = (await loadMachineSubject(tx, ids.machineId, env)) as MachineSubject;
  return {
    virtualMachineId: ids.machineId,
    backendId,
    parameters: { start: input.start },
    steps: createVirtualMachineKind.plan(subject),
  };
}

export function startVirtualMachine(env: Environment, viewer: Viewer, input: MachineInput): Promise<Admitted> {
  return act(env, viewer, startVirtualMachineKind, input, {});
}

export function shutdownVirtualMachine(env: Environment, viewer: Viewer, input: MachineInput): Promise<Admitted> {
  return act(env, viewer, shutdownVirtualMachineKind, input, {});
}

export function rebootVirtualMachine(
  env: Environment,
  viewer: Viewer,
  input: MachineInput & { readonly type: 'SOFT' | 'HARD' },
): Promise<Admitted> {
  return act(env, viewer, rebootVirtualMachineKind, input, { type: input.type });
}

export function deleteVirtualMachine(env: Environment, viewer: Viewer, input: MachineInput): Promise<Admitted> {
  return act(env, viewer, deleteVirtualMachineKind, input, {});
}

/** Admits an action on an existing machine by its kind's own definition. */
async function act(
  env: Environment,
  viewer: Viewer,
  kind: OperationKind<MachineKeys, MachineSubject>,
  input: MachineInput,
  parameters: OperationParameters,
): Promise<Admitted> {
  return admit(env, viewer, {
    kind: kind.name,
    input,
    idempotencyKey: input.idempotencyKey ?? undefined,
    describe: async () => {
      const known = await loadMachineSubject(env.pool, input.id, env);
      if (!known || known.isDeleted) throw new NotFound('There is no such virtual machine.', ['id']);
      const keys: MachineKeys = { virtualMachineId: known.id, backendId: known.backendId, imageId: 0, networkIds: [] };
      return {
        claims: kind.claims(keys),
        locks: kind.locks(keys),
        prepare: async (tx, operationId) => {
          const locked = await lockMachine(tx, input.id);
          const subject = await loadMachineSubject(tx, input.id, env);
          if (!locked || !subject) throw new NotFound('There is no such virtual machine.', ['id']);
          kind.allow(subject);
          const backend = await sharePlacementBackend(tx, subject.backendId);
          if (!backend || backend.isOffline)
            throw new BackendUnavailable('The backend of this virtual machine is offline.', ['id']);
          const outcome = { ...locked, machine: { ...locked.machine, task: kind.task } };
          await saveMachine(
            tx,
            locked,
            { ...outcome, releasedNicIds: [], diagnostic: null, ignored: null },
            { operationId, cause: kind.name },
          );
          return { virtualMachineId: subject.id, backendId: subject.backendId, parameters, steps: kind.plan(subject) };
        },
      };
    },
  });
}
