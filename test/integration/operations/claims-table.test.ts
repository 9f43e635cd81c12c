import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { sqlState } from '../../../src/database/transaction.ts';
import { createNetwork } from '../../../src/modules/network/network.service.ts';
import {
  deleteVirtualMachine,
  rebootVirtualMachine,
  shutdownVirtualMachine,
  startVirtualMachine,
} from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { ResourceBusy } from '../../../src/operations/user-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment } from '../../support/environment.ts';
import {
  admitBare,
  type BareEnvironment,
  bareEnvironment,
  build,
  claimsOf,
  key,
  refusal,
  storedClaims,
  storeMachine,
} from './world.ts';

let db: TestDatabase;
let env: TestEnvironment;
let bare: BareEnvironment;

beforeAll(async () => {
  db = await createTestDatabase({ max: 5 });
  // No dispatcher: whatever is admitted stays open.
  env = await createTestEnvironment(db);
  bare = await bareEnvironment(db);
  await db.pool.query(`UPDATE "Backend" SET "isDrained" = true WHERE "id" = $1`, [bare.backendId]);
});

afterAll(async () => {
  await env.close();
  await db.drop();
});

describe('what each mutation claims (6-claims, section 5)', () => {
  it('createVirtualMachine: the new machine X; its backend, image, networks and their copies S', async () => {
    const second = await createNetwork(env, LOCAL_ADMIN, {
      name: 'second',
      flavor: 'CUSTOM',
      subnet: '10.8.0.0/24',
      dhcp: false,
      isPublic: false,
    });
    const { backendId, imageId, networkId } = env.ids;
    const networks = [networkId, second.networkId as number, networkId].map((id) => ({ networkId: id }));
    const admitted = await build(env, 'two networks, three NICs', { networks });
    expect(await claimsOf(db.pool, admitted.operationId)).toEqual(
      [
        `vm:${admitted.virtualMachineId} X`,
        `backend:${backendId} S`,
        `image:${imageId} S`,
        `network:${networkId} S`,
        `backendnetwork:${networkId}:${backendId} S`,
        `network:${second.networkId} S`,
        `backendnetwork:${second.networkId}:${backendId} S`,
      ].sort(),
    );
    expect(await db.prisma.operation.findUniqueOrThrow({ where: { id: admitted.operationId } })).toMatchObject({
      status: 'ADMITTED',
      kind: 'createVirtualMachine',
      actor: LOCAL_ADMIN.id,
      backendId,
      virtualMachineId: admitted.virtualMachineId,
      finalizedAt: null,
    });
  });

  it.each([
    ['startVirtualMachine', 'STOPPED', 'STARTING', startVirtualMachine],
    ['shutdownVirtualMachine', 'STARTED', 'STOPPING', shutdownVirtualMachine],
    [
      'rebootVirtualMachine',
      'STARTED',
      'REBOOTING',
      (e: TestEnvironment, v: typeof LOCAL_ADMIN, input: { id: number }) =>
        rebootVirtualMachine(e, v, { ...input, type: 'SOFT' }),
    ],
    ['deleteVirtualMachine', 'ERROR', 'DESTROYING', deleteVirtualMachine],
  ] as const)('%s: the machine X, its backend S', async (kind, operState, task, act) => {
    const id = await storeMachine(env, kind, operState);
    const { operationId, isReplayed } = await act(env, LOCAL_ADMIN, { id });
    expect(isReplayed).toBe(false);
    expect(await claimsOf(db.pool, operationId)).toEqual([`backend:${env.ids.backendId} S`, `vm:${id} X`]);
    expect(await db.prisma.virtualMachine.findUniqueOrThrow({ where: { id } })).toMatchObject({ operState, task });
    expect(await db.prisma.operationJob.findMany({ where: { operationId } })).toMatchObject([
      { step: 0, state: 'PLANNED' },
    ]);
  });

  it('createNetwork: SUCCESS in its own transaction, no claim, no job', async () => {
    const claimsBefore = await storedClaims(db.pool);
    const { operationId, networkId } = await createNetwork(env, LOCAL_ADMIN, {
      name: 'third',
      flavor: 'CUSTOM',
      subnet: '10.7.0.0/24',
      dhcp: true,
      isPublic: false,
    });
    expect(await storedClaims(db.pool)).toEqual(claimsBefore);
    const operation = await db.prisma.operation.findUniqueOrThrow({
      where: { id: operationId },
      include: { jobs: true },
    });
    expect(operation).toMatchObject({ status: 'SUCCESS', networkId, finalizedAt: expect.any(Date), jobs: [] });
    expect(await db.prisma.network.findUniqueOrThrow({ where: { id: networkId as number } })).toMatchObject({
      state: 'ACTIVE',
    });
  });

  it('a delete during a build is refused and names the create (trap 12); so is any other action', async () => {
    const create = await build(env, 'being built');
    const id = create.virtualMachineId as number;
    for (const act of [deleteVirtualMachine, startVirtualMachine, shutdownVirtualMachine]) {
      const busy = await refusal(act(env, LOCAL_ADMIN, { id }), ResourceBusy);
      expect(busy.conflicts).toEqual([{ resource: `vm:${id}`, mode: 'EXCLUSIVE', operationId: create.operationId }]);
      expect(busy).toMatchObject({ code: 'RESOURCE_BUSY', retryable: true });
    }
    expect(await db.prisma.virtualMachine.findUniqueOrThrow({ where: { id } })).toMatchObject({
      operState: 'BUILD',
      task: 'BUILDING',
    });
  });

  it('of two deletes at once one is admitted, the other is refused and names it; with the key it is replayed (trap 19)', async () => {
    const id = await storeMachine(env, 'deleted twice', 'STOPPED');
    const first = await deleteVirtualMachine(env, LOCAL_ADMIN, { id, idempotencyKey: 'delete once' });
    const busy = await refusal(deleteVirtualMachine(env, LOCAL_ADMIN, { id }), ResourceBusy);
    expect(busy.conflicts.map((conflict) => conflict.operationId)).toEqual([first.operationId]);
    expect(await deleteVirtualMachine(env, LOCAL_ADMIN, { id, idempotencyKey: 'delete once' })).toEqual({
      ...first,
      isReplayed: true,
    });
  });

  it('names every conflict, in the order of the keys, and all holders of a shared one', async () => {
    const one = await admitBare(bare, {
      wanted: [
        [key(21), 'SHARED'],
        [key(23), 'EXCLUSIVE'],
      ],
    });
    const two = await admitBare(bare, {
      wanted: [
        [key(21), 'SHARED'],
        [key(22), 'SHARED'],
      ],
    });
    const busy = await refusal(
      admitBare(bare, {
        wanted: [
          [key(23), 'SHARED'],
          [key(22), 'SHARED'],
          [key(21), 'EXCLUSIVE'],
          [key(24), 'EXCLUSIVE'],
        ],
      }),
      ResourceBusy,
    );
    expect(busy.conflicts.map(({ resource, mode }) => [resource, mode])).toEqual([
      [key(21), 'SHARED'],
      [key(21), 'SHARED'],
      [key(23), 'EXCLUSIVE'],
    ]);
    expect(new Set(busy.conflicts.slice(0, 2).map((conflict) => conflict.operationId))).toEqual(
      new Set([one.operationId, two.operationId]),
    );
    expect(busy.conflicts[2]?.operationId).toBe(one.operationId);
  });

  it('a child ignores its parent’s claims, reuses its keys and may not raise them; siblings conflict', async () => {
    const parent = await admitBare(bare, {
      wanted: [
        [key(31), 'EXCLUSIVE'],
        [key(32), 'SHARED'],
      ],
    });
    const child = await admitBare(bare, {
      wanted: [
        [key(31), 'SHARED'],
        [key(33), 'EXCLUSIVE'],
      ],
      parentOperationId: parent.operationId,
    });
    expect(await claimsOf(db.pool, child.operationId)).toEqual([`${key(33)} X`]);
    const sibling = admitBare(bare, { wanted: [[key(33), 'EXCLUSIVE']], parentOperationId: parent.operationId });
    expect((await refusal(sibling, ResourceBusy)).conflicts.map((c) => c.operationId)).toEqual([child.operationId]);
    const raise = await refusal(
      admitBare(bare, { wanted: [[key(32), 'EXCLUSIVE']], parentOperationId: parent.operationId }),
      Error,
    );
    expect(raise).not.toBeInstanceOf(ResourceBusy);
    const stranger = await refusal(admitBare(bare, { wanted: [[key(31), 'SHARED']] }), ResourceBusy);
    expect(stranger.conflicts.map((c) => c.operationId)).toEqual([parent.operationId]);
  });
});

describe('the constraints of the table, behind the code', () => {
  const insert = (resource: string, mode: string, more: Record<string, unknown> = {}) => {
    const row = {
      resource,
      mode,
      holderReplicaId: randomUUID(),
      holderRequestId: 'request',
      expiresAt: '2100-01-01',
      ...more,
    };
    const columns = Object.keys(row).map((column) => `"${column}"`);
    const values = columns.map((column, at) => (column === '"mode"' ? `$${at + 1}::"ClaimMode"` : `$${at + 1}`));
    return db.pool.query(
      `INSERT INTO "Claim" (${columns.join(', ')}) VALUES (${values.join(', ')})`,
      Object.values(row),
    );
  };
  const violation = async (promise: Promise<unknown>) => {
    const error = await refusal(promise, Error);
    return [sqlState(error), (error as Error & { constraint?: string }).constraint];
  };

  it('accept two SHARED, and one EXCLUSIVE alone', async () => {
    await insert('test:1', 'SHARED');
    await insert('test:1', 'SHARED');
    await insert('test:2', 'EXCLUSIVE');
  });

  it('refuse two EXCLUSIVE, and SHARED beside EXCLUSIVE in either order', async () => {
    await insert('test:3', 'EXCLUSIVE');
    expect(await violation(insert('test:3', 'EXCLUSIVE'))).toEqual(['23505', 'Claim_one_exclusive']);
    expect(await violation(insert('test:3', 'SHARED'))).toEqual(['23P01', 'Claim_one_mode']);
    await insert('test:4', 'SHARED');
    expect(await violation(insert('test:4', 'EXCLUSIVE'))).toEqual(['23P01', 'Claim_one_mode']);
  });

  it('refuse a claim of nobody, of two holders, and one that never expires', async () => {
    const { operationId } = await admitBare(bare, { wanted: [] });
    const check = ['23514', 'Claim_one_holder'];
    expect(await violation(insert('test:5', 'SHARED', { operationId }))).toEqual(check);
    expect(
      await violation(insert('test:5', 'SHARED', { operationId, holderReplicaId: null, holderRequestId: null })),
    ).toEqual(check);
    expect(await violation(insert('test:5', 'SHARED', { expiresAt: null }))).toEqual(check);
    expect(await violation(insert('test:5', 'SHARED', { holderReplicaId: null }))).toEqual(check);
    expect(await violation(insert('test:5', 'SHARED', { holderRequestId: null }))).toEqual(check);
    expect(
      await violation(insert('test:5', 'SHARED', { holderReplicaId: null, holderRequestId: null, expiresAt: null })),
    ).toEqual(check);
  });

  it('keep an operation that has claims from being deleted', async () => {
    const { operationId } = await admitBare(bare, { wanted: [[key(41), 'SHARED']] });
    await db.pool.query(`DELETE FROM "OperationJob" WHERE "operationId" = $1`, [operationId]);
    expect((await violation(db.pool.query(`DELETE FROM "Operation" WHERE "id" = $1`, [operationId])))[0]).toBe('23514');
  });

  it.each(['EXCLUSIVE', 'SHARED'] as const)(
    'turn a hole in the admission into ResourceBusy and an alarm, never into two claims (beside %s)',
    async (mode) => {
      const resource = mode === 'EXCLUSIVE' ? key(51) : key(52);
      const broken = admitBare(bare, {
        wanted: [[resource, 'EXCLUSIVE']],
        // What code that takes no locks could do between the check and the insert.
        prepare: async (tx) => {
          await tx.query(
            `INSERT INTO "Claim" ("resource", "mode", "holderReplicaId", "holderRequestId", "expiresAt")
             VALUES ($1, $2::"ClaimMode", gen_random_uuid(), 'rogue', clock_timestamp() + interval '1 minute')`,
            [resource, mode],
          );
          return { steps: [] };
        },
      });
      const logged = bare.log.length;
      expect((await refusal(broken, ResourceBusy)).conflicts).toEqual([]);
      expect(bare.log.slice(logged).filter((line) => line.includes('"alarm":"claim-constraint"'))).toHaveLength(1);
      expect((await storedClaims(db.pool)).filter((claim) => claim.resource === resource)).toEqual([]);
    },
  );
});
