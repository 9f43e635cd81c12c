import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import {
  createVirtualMachine,
  deleteVirtualMachine,
  rebootVirtualMachine,
  shutdownVirtualMachine,
  startVirtualMachine,
} from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment, untilEnded } from '../../support/environment.ts';

let db: TestDatabase;
let env: TestEnvironment;

beforeAll(async () => {
  db = await createTestDatabase();
  env = await createTestEnvironment(db);
  await env.startDispatcher();
});

afterAll(async () => {
  await env.close();
  await db.drop();
});

async function machine(id: number) {
  return db.prisma.virtualMachine.findUniqueOrThrow({ where: { id }, include: { nics: true } });
}

describe('a machine’s life on a cluster', () => {
  let id: number;

  it('is built: its network is brought up first, its NIC gets address and MAC, progress ends at 100', async () => {
    const admitted = await createVirtualMachine(env, LOCAL_ADMIN, {
      name: 'wéb',
      flavorId: env.ids.flavorId,
      imageId: env.ids.imageId,
      start: true,
      networks: [{ networkId: env.ids.networkId }],
    });
    id = admitted.virtualMachineId as number;
    expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
    const built = await machine(id);
    expect(built).toMatchObject({ operState: 'STARTED', task: null, buildPercentage: 100, ganetiName: `snf-${id}` });
    expect(built.observedAt).toBeInstanceOf(Date);
    expect(built.ganetiUuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(built.nics).toMatchObject([{ state: 'ACTIVE', ipv4: '10.9.0.1', mac: expect.stringMatching(/^aa:00:00:/) }]);
    const jobs = await db.prisma.operationJob.findMany({
      where: { operationId: admitted.operationId },
      orderBy: { step: 'asc' },
    });
    expect(jobs.map((job) => [job.opcode, job.state, job.jobStatus])).toEqual([
      ['OP_NETWORK_ADD', 'DONE', 'SUCCESS'],
      ['OP_NETWORK_CONNECT', 'DONE', 'SUCCESS'],
      ['OP_INSTANCE_CREATE', 'DONE', 'SUCCESS'],
    ]);
    expect(env.simulator.cluster.instanceStatus(`snf-${id}`)).toBe('running');
    await expectNoClaims(db.pool);
  });

  it('told every percentage in order, none falling', async () => {
    const changes = await db.prisma.change.findMany({
      where: { entityType: 'VIRTUAL_MACHINE', entityId: String(id) },
      orderBy: { version: 'asc' },
    });
    expect(changes.map((change) => change.version)).toEqual(changes.map((_, at) => at + 1));
    const percentages = changes.flatMap((change) =>
      (change.changes as { field: string; to: number }[])
        .filter((step) => step.field === 'buildPercentage')
        .map((step) => step.to),
    );
    expect(percentages).toEqual([...percentages].sort((a, b) => a - b));
    expect(percentages.length).toBeGreaterThan(5);
    expect(percentages.at(-1)).toBe(100);
  });

  it.each([
    ['shut down', () => shutdownVirtualMachine(env, LOCAL_ADMIN, { id }), 'STOPPED'],
    ['started', () => startVirtualMachine(env, LOCAL_ADMIN, { id }), 'STARTED'],
    ['rebooted softly', () => rebootVirtualMachine(env, LOCAL_ADMIN, { id, type: 'SOFT' as const }), 'STARTED'],
    ['rebooted hard', () => rebootVirtualMachine(env, LOCAL_ADMIN, { id, type: 'HARD' as const }), 'STARTED'],
  ])('is %s', async (_, act, operState) => {
    expect(await untilEnded(env, (await act()).operationId)).toBe('SUCCESS');
    expect(await machine(id)).toMatchObject({ operState, task: null });
  });

  it('is deleted: its address is free again, its network stays', async () => {
    const admitted = await deleteVirtualMachine(env, LOCAL_ADMIN, { id });
    expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
    expect(await machine(id)).toMatchObject({ operState: 'DESTROYED', deletedAt: expect.any(Date) });
    expect(await db.prisma.address.count()).toBe(0);
    expect(env.simulator.cluster.instanceStatus(`snf-${id}`)).toBeNull();
    expect(await db.prisma.network.findUniqueOrThrow({ where: { id: env.ids.networkId } })).toMatchObject({
      state: 'ACTIVE',
    });
    await expectNoClaims(db.pool);
  });
});
