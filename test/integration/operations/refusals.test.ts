import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import {
  drainBackend,
  setBackendOffline,
  setBackendOnline,
  undrainBackend,
} from '../../../src/modules/backend/backend.service.ts';
import { createFlavor, createImage, deleteFlavor, deleteImage } from '../../../src/modules/catalog/catalog.service.ts';
import { createNetwork, drainNetwork } from '../../../src/modules/network/network.service.ts';
import {
  deleteVirtualMachine,
  rebootVirtualMachine,
  shutdownVirtualMachine,
  startVirtualMachine,
} from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { admit } from '../../../src/operations/admit.ts';
import {
  AddressInUse,
  BackendUnavailable,
  InvalidInput,
  InvalidState,
  NameTaken,
  NoBackendFits,
  NotFound,
  PoolExhausted,
  ResourceBusy,
  Unsupported,
  type UserError,
} from '../../../src/operations/user-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment } from '../../support/environment.ts';
import {
  admitBare,
  type BareEnvironment,
  bareEnvironment,
  build,
  fingerprint,
  key,
  refusal,
  storeMachine,
} from './world.ts';

let db: TestDatabase;
let env: TestEnvironment;
let bare: BareEnvironment;
const MISSING = 2_000_000_000;

/** What the cases below refer to. */
const made = {
  drained: 0,
  tiny: 0,
  v6: 0,
  plainFlavor: 0,
  deletedFlavor: 0,
  deletedImage: 0,
  stopped: 0,
  started: 0,
  failed: 0,
  building: 0,
};

beforeAll(async () => {
  db = await createTestDatabase({ max: 5 });
  env = await createTestEnvironment(db);
  const network = async (name: string, more: object) =>
    (await createNetwork(env, LOCAL_ADMIN, { name, flavor: 'CUSTOM', dhcp: false, isPublic: false, ...more }))
      .networkId as number;
  made.drained = await network('drained', { subnet: '10.1.0.0/24' });
  await drainNetwork(env, LOCAL_ADMIN, made.drained);
  made.tiny = await network('tiny', { subnet: '10.2.0.0/29', gateway: '10.2.0.1' });
  made.v6 = await network('v6', { subnet6: '2001:db8::/64' });
  const flavor = (diskTemplate: string, cpu: number) =>
    createFlavor(env, LOCAL_ADMIN, { cpu, memoryMiB: 1, diskGiB: 1, diskTemplate });
  made.plainFlavor = (await flavor('rbd', 1)).flavorId;
  made.deletedFlavor = (await flavor('file', 9)).flavorId;
  await deleteFlavor(env, LOCAL_ADMIN, made.deletedFlavor);
  made.deletedImage = (await createImage(env, LOCAL_ADMIN, { name: 'deleted', osType: 'simimage+default' })).imageId;
  await deleteImage(env, LOCAL_ADMIN, made.deletedImage);
  made.stopped = await storeMachine(env, 'stopped', 'STOPPED');
  made.started = await storeMachine(env, 'started', 'STARTED');
  made.failed = await storeMachine(env, 'failed', 'ERROR');
  // Five addresses beside the gateway, all taken; a copy of the network is under way.
  const nics = Array.from({ length: 5 }, () => ({ networkId: made.tiny }));
  made.building = (await build(env, 'building', { networks: nics })).virtualMachineId as number;
  bare = await bareEnvironment(db);
  await db.pool.query(`UPDATE "Backend" SET "isDrained" = true WHERE "id" = $1`, [bare.backendId]);
});

afterAll(async () => {
  await env.close();
  await db.drop();
});

/** Refused with this type and path; nothing stored, nothing sent, and the key still free. */
async function isRefused(
  act: (idempotencyKey: string) => Promise<unknown>,
  kind: abstract new (...args: never[]) => UserError,
  path: readonly string[] | null,
): Promise<UserError> {
  const before = await fingerprint(db.pool);
  const requests = env.simulator.cluster.requests.length;
  const error = await refusal(act('refused'), kind);
  expect(error.path).toEqual(path);
  expect(await fingerprint(db.pool)).toEqual(before);
  expect(env.simulator.cluster.requests.length).toBe(requests);
  return error;
}

const on = (networkId: number, more: object = {}) => ({ networks: [{ networkId, ...more }] });

describe('a refused build leaves no trace (I3)', () => {
  it.each<[string, () => object, abstract new (...args: never[]) => UserError, string[] | null]>([
    ['no network', () => ({ networks: [] }), InvalidInput, ['networks']],
    [
      'nine NICs',
      () => ({ networks: Array.from({ length: 9 }, () => ({ networkId: env.ids.networkId })) }),
      InvalidInput,
      ['networks'],
    ],
    ['an empty name', () => ({ name: '' }), InvalidInput, ['name']],
    ['a name of 300 characters', () => ({ name: 'ö'.repeat(300) }), InvalidInput, ['name']],
    [
      'a firewall profile',
      () => on(env.ids.networkId, { firewallProfile: 'ENABLED' }),
      Unsupported,
      ['networks', '0', 'firewallProfile'],
    ],
    ['an unknown flavor', () => ({ flavorId: MISSING }), NotFound, ['flavorId']],
    ['a deleted flavor', () => ({ flavorId: made.deletedFlavor }), NotFound, ['flavorId']],
    ['an unknown image', () => ({ imageId: MISSING }), NotFound, ['imageId']],
    ['a deleted image', () => ({ imageId: made.deletedImage }), NotFound, ['imageId']],
    ['an unknown backend', () => ({ backendId: MISSING }), NotFound, ['backendId']],
    [
      'an unknown network',
      () => ({ networks: [{ networkId: env.ids.networkId }, { networkId: MISSING }] }),
      NotFound,
      ['networks', '1', 'networkId'],
    ],
    ['a drained network', () => on(made.drained), InvalidState, ['networks', '0', 'networkId']],
    ['a full network', () => on(made.tiny), PoolExhausted, ['networks', '0', 'networkId']],
    [
      'a full network, as its second',
      () => ({ networks: [{ networkId: env.ids.networkId }, { networkId: made.tiny }] }),
      PoolExhausted,
      ['networks', '1', 'networkId'],
    ],
    ['a taken address', () => on(made.tiny, { ipv4: '10.2.0.2' }), AddressInUse, ['networks', '0', 'ipv4']],
    ['the gateway’s address', () => on(made.tiny, { ipv4: '10.2.0.1' }), AddressInUse, ['networks', '0', 'ipv4']],
    ['the broadcast address', () => on(made.tiny, { ipv4: '10.2.0.7' }), InvalidInput, ['networks', '0', 'ipv4']],
    ['an address outside', () => on(made.tiny, { ipv4: '10.2.1.1' }), InvalidInput, ['networks', '0', 'ipv4']],
    ['no address at all', () => on(made.tiny, { ipv4: '10.2.0.x' }), InvalidInput, ['networks', '0', 'ipv4']],
    [
      'an address where there is no IPv4',
      () => on(made.v6, { ipv4: '10.2.0.3' }),
      InvalidInput,
      ['networks', '0', 'ipv4'],
    ],
    [
      'one address twice',
      () => ({ networks: [0, 1].map(() => ({ networkId: env.ids.networkId, ipv4: '10.9.0.77' })) }),
      AddressInUse,
      ['networks', '1', 'ipv4'],
    ],
    ['a taken name', () => ({ name: 'building' }), NameTaken, ['name']],
    ['a template that no backend offers', () => ({ flavorId: made.plainFlavor }), NoBackendFits, null],
    [
      'a template that the wanted backend does not offer',
      () => ({ flavorId: made.plainFlavor, backendId: env.ids.backendId }),
      NoBackendFits,
      ['backendId'],
    ],
    ['a drained backend, asked for', () => ({ backendId: bare.backendId }), BackendUnavailable, ['backendId']],
  ])('%s', async (_, more, kind, path) => {
    await isRefused((idempotencyKey) => build(env, 'refused', { idempotencyKey, ...more() }), kind, path);
  });

  it.each(['', 'x'.repeat(201), 'naïve', 'tab\t', 'zero\0'])('an idempotency key like %j', async (idempotencyKey) => {
    await isRefused(() => build(env, 'refused', { idempotencyKey }), InvalidInput, ['idempotencyKey']);
    await isRefused(() => startVirtualMachine(env, LOCAL_ADMIN, { id: made.stopped, idempotencyKey }), InvalidInput, [
      'idempotencyKey',
    ]);
  });

  it('a drained or offline backend: BackendUnavailable when it was asked for, else NoBackendFits', async () => {
    const refuse = async () => {
      await isRefused(
        (idempotencyKey) => build(env, 'refused', { idempotencyKey, backendId: env.ids.backendId }),
        BackendUnavailable,
        ['backendId'],
      );
      return isRefused((idempotencyKey) => build(env, 'refused', { idempotencyKey }), NoBackendFits, null);
    };
    await drainBackend(env, LOCAL_ADMIN, env.ids.backendId);
    expect((await refuse()).message).toContain('simulated drained');
    await setBackendOffline(env, LOCAL_ADMIN, env.ids.backendId);
    await undrainBackend(env, LOCAL_ADMIN, env.ids.backendId);
    expect((await refuse()).message).toContain('simulated offline');
    await setBackendOnline(env, LOCAL_ADMIN, env.ids.backendId);
  });

  it('a backend drained between the choice and the lock', async () => {
    const racing = {
      ...env,
      // The choice still sees it undrained: the drain lands right after it.
      pool: new Proxy(env.pool, {
        get(pool, property) {
          if (property !== 'query') {
            const value = Reflect.get(pool, property) as unknown;
            return typeof value === 'function' ? value.bind(pool) : value;
          }
          return async (statement: string, values: unknown[]) => {
            const result = await pool.query(statement, values);
            if (statement.includes('nextval'))
              await db.pool.query(`UPDATE "Backend" SET "isDrained" = true WHERE "id" = $1`, [env.ids.backendId]);
            return result;
          };
        },
      }),
    };
    const before = await fingerprint(db.pool);
    expect((await refusal(build(racing, 'refused'), BackendUnavailable)).path).toBeNull();
    expect(await fingerprint(db.pool)).toEqual(before);
    await undrainBackend(env, LOCAL_ADMIN, env.ids.backendId);
  });
});

describe('a refused action leaves no trace (I3)', () => {
  const act = {
    start: startVirtualMachine,
    shutdown: shutdownVirtualMachine,
    reboot: (e: TestEnvironment, v: typeof LOCAL_ADMIN, input: { id: number; idempotencyKey?: string }) =>
      rebootVirtualMachine(e, v, { ...input, type: 'SOFT' }),
    delete: deleteVirtualMachine,
  };

  it.each<[keyof typeof act, string, () => number, abstract new (...args: never[]) => UserError]>([
    ['start', 'an unknown machine', () => MISSING, NotFound],
    ['delete', 'an unknown machine', () => MISSING, NotFound],
    ['start', 'a started machine', () => made.started, InvalidState],
    ['shutdown', 'a stopped machine', () => made.stopped, InvalidState],
    ['start', 'a failed machine', () => made.failed, InvalidState],
    ['reboot', 'a failed machine', () => made.failed, InvalidState],
  ])('%s of %s', async (name, _, id, kind) => {
    await isRefused((idempotencyKey) => act[name](env, LOCAL_ADMIN, { id: id(), idempotencyKey }), kind, ['id']);
  });

  it.each(['start', 'shutdown', 'reboot', 'delete'] as const)('%s during a build: ResourceBusy', async (name) => {
    await isRefused(
      (idempotencyKey) => act[name](env, LOCAL_ADMIN, { id: made.building, idempotencyKey }),
      ResourceBusy,
      null,
    );
  });

  it('any, on an offline backend; on a drained one machines may be worked with', async () => {
    await setBackendOffline(env, LOCAL_ADMIN, env.ids.backendId);
    await isRefused(
      (idempotencyKey) => startVirtualMachine(env, LOCAL_ADMIN, { id: made.stopped, idempotencyKey }),
      BackendUnavailable,
      ['id'],
    );
    await isRefused(
      (idempotencyKey) => deleteVirtualMachine(env, LOCAL_ADMIN, { id: made.failed, idempotencyKey }),
      BackendUnavailable,
      ['id'],
    );
    await setBackendOnline(env, LOCAL_ADMIN, env.ids.backendId);
    await drainBackend(env, LOCAL_ADMIN, env.ids.backendId);
    const admitted = await startVirtualMachine(env, LOCAL_ADMIN, {
      id: await storeMachine(env, 'on a drained one', 'STOPPED'),
    });
    expect(admitted.isReplayed).toBe(false);
    await undrainBackend(env, LOCAL_ADMIN, env.ids.backendId);
  });

  it('a machine deleted while the request waited for its locks', async () => {
    const id = await storeMachine(env, 'going', 'STOPPED');
    await db.pool.query(`UPDATE "VirtualMachine" SET "operState" = 'DESTROYED', "deletedAt" = now() WHERE "id" = $1`, [
      id,
    ]);
    await isRefused((idempotencyKey) => deleteVirtualMachine(env, LOCAL_ADMIN, { id, idempotencyKey }), NotFound, [
      'id',
    ]);
  });
});

describe('a refused network leaves no trace (I3)', () => {
  it.each<[string, object, abstract new (...args: never[]) => UserError, string[]]>([
    ['a taken name', { name: 'network' }, NameTaken, ['name']],
    ['another flavor', { flavor: 'MAC_FILTERED' }, Unsupported, ['flavor']],
    ['no range', { subnet: null }, InvalidInput, ['subnet']],
    ['host bits', { subnet: '10.3.0.1/24' }, InvalidInput, ['subnet']],
    ['a range too wide', { subnet: '10.0.0.0/16' }, InvalidInput, ['subnet']],
    ['a gateway outside', { gateway: '10.4.0.1' }, InvalidInput, ['gateway']],
    ['an empty name', { name: '' }, InvalidInput, ['name']],
  ])('%s', async (_, more, kind, path) => {
    const input = { name: 'refused', flavor: 'CUSTOM' as const, subnet: '10.3.0.0/24', dhcp: false, isPublic: false };
    await isRefused(
      (idempotencyKey) => createNetwork(env, LOCAL_ADMIN, { ...input, ...more, idempotencyKey }),
      kind,
      path,
    );
  });
});

describe('the key of a refused request', () => {
  it('was refused in all cases above and is still free', async () => {
    expect(await db.prisma.operation.count({ where: { idempotencyKey: 'refused' } })).toBe(0);
    const admitted = await build(env, 'at last', { idempotencyKey: 'refused' });
    expect(admitted.isReplayed).toBe(false);
  });

  it.each(['x', ' ', '~'.repeat(200)])('%j is one', async (idempotencyKey) => {
    const first = await admitBare(bare, { wanted: [], idempotencyKey });
    expect(await admitBare(bare, { wanted: [[key(1), 'SHARED']], idempotencyKey })).toMatchObject({
      operationId: first.operationId,
      isReplayed: true,
    });
  });

  it('whose first request is admitted, and ended, while its repeat still looks at the world', async () => {
    const request = { wanted: [], idempotencyKey: 'overtaken' };
    let first: { operationId: string } | undefined;
    const overtaken = {
      kind: 'test',
      input: {},
      idempotencyKey: 'overtaken',
      describe: async () => {
        first = await admitBare(bare, request);
        throw new NotFound('There is no such virtual machine.', ['id']);
      },
    };
    const answer = await admit(bare, LOCAL_ADMIN, overtaken);
    expect(answer).toEqual({ operationId: first?.operationId, isReplayed: true });
  });
});
