import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { startupInstance } from '../../../src/ganeti/index.ts';
import { setBackendOffline, setBackendOnline } from '../../../src/modules/backend/backend.service.ts';
import { readHealth } from '../../../src/modules/backend/health.ts';
import {
  createVirtualMachine,
  deleteVirtualMachine,
  rebootVirtualMachine,
  shutdownVirtualMachine,
  startVirtualMachine,
} from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment, untilEnded, untilStatus } from '../../support/environment.ts';

let db: TestDatabase;
let env: TestEnvironment;
let id: number;

beforeAll(async () => {
  db = await createTestDatabase();
  env = await createTestEnvironment(db, { settleMs: 2_500 });
  await env.startDispatcher();
  id = await build('the machine');
});

afterAll(async () => {
  await env.close();
  await db.drop();
});

async function admitBuild(name: string) {
  return createVirtualMachine(env, LOCAL_ADMIN, {
    name,
    flavorId: env.ids.flavorId,
    imageId: env.ids.imageId,
    start: true,
    networks: [{ networkId: env.ids.networkId }],
  });
}

async function build(name: string): Promise<number> {
  const admitted = await admitBuild(name);
  expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
  return admitted.virtualMachineId as number;
}

const machine = () => db.prisma.virtualMachine.findUniqueOrThrow({ where: { id } });

/** Waits for a change of a machine that `isIt`, from now on. */
async function untilChanged(isIt: (cause: string) => boolean): Promise<void> {
  const stream = env.feed.streamEntity({
    entityType: 'VIRTUAL_MACHINE',
    entityId: String(id),
    currentVersion: async () => (await machine()).version,
  });
  for await (const event of stream) if (isIt(event.cause ?? '')) return;
}

describe('a cluster that others use, too', () => {
  it('a shutdown by its administrator shows, and is told as changed outside', async () => {
    const client = await env.clusters.get(env.ids.backendId);
    const changed = untilChanged((cause) => cause.startsWith('changed outside'));
    await client.submit(
      { opcode: 'OP_INSTANCE_SHUTDOWN', method: 'PUT', path: `/2/instances/snf-${id}/shutdown`, body: {} },
      { reason: 'by hand' },
    );
    await changed;
    expect(await machine()).toMatchObject({ operState: 'STOPPED' });
    const again = untilChanged((cause) => cause.startsWith('changed outside'));
    await client.submit(startupInstance(`snf-${id}`), { reason: 'by hand' });
    await again;
    expect(await machine()).toMatchObject({ operState: 'STARTED' });
  });
});

describe('what a tick costs', () => {
  it('does not grow with the number of jobs: one job query a tick, four connections at most', async () => {
    const queries = () => env.simulator.cluster.requests.filter((request) => request.path === '/2/query/job').length;
    const before = queries();
    const builds = await Promise.all(Array.from({ length: 12 }, (_, at) => admitBuild(`many ${at}`)));
    for (const { operationId } of builds) expect(await untilEnded(env, operationId)).toBe('SUCCESS');
    const steps = await db.prisma.operationJob.count({
      where: { operation: { id: { in: builds.map((b) => b.operationId) } } },
    });
    const ticks = queries() - before;
    const reads = env.simulator.cluster.requests.filter((request) => /^\/2\/jobs\/\d+$/.test(request.path));
    expect(steps).toBe(12);
    expect(reads).toEqual([]);
    expect(ticks).toBeGreaterThan(0);
    expect(env.simulator.cluster.connections.peak).toBeLessThanOrEqual(4);
  });
});

describe('a REMOVE that fails', () => {
  it('while the cluster cannot tell whether the instance is there, nothing is concluded; then the machine keeps its state (traps 15 and 16)', async () => {
    await env.simulator.faults.set({
      jobError: { times: 1, opcode: 'OP_INSTANCE_REMOVE', message: 'cannot remove', code: 'environment_error' },
      garbage: { times: 2, method: 'GET', path: `^/2/instances/snf-${id}$` },
    });
    const admitted = await deleteVirtualMachine(env, LOCAL_ADMIN, { id });
    expect(await untilEnded(env, admitted.operationId)).toBe('ERROR');
    expect(await machine()).toMatchObject({ operState: 'STARTED', task: null, deletedAt: null });
    expect(await db.prisma.address.count({ where: { nic: { virtualMachineId: id } } })).toBe(1);
    expect(env.log.filter((line) => line.includes('could not be followed')).length).toBeGreaterThan(0);
    await env.simulator.faults.clear();
  });
});

describe('a job that cannot be applied', () => {
  it('is set aside and shown, others go on; it is tried again and ends (trap 9)', async () => {
    await db.pool.query(
      `ALTER TABLE "VirtualMachine" ADD CONSTRAINT poison CHECK ("id" <> ${id} OR "operState" <> 'STOPPED')`,
    );
    const poisoned = await shutdownVirtualMachine(env, LOCAL_ADMIN, { id });
    expect(await build('another one')).toBeGreaterThan(0);
    const health = await readHealth(env);
    expect(health.setAsideJobs).toMatchObject([
      { backendId: env.ids.backendId, error: expect.stringContaining('poison') },
    ]);
    await db.pool.query(`ALTER TABLE "VirtualMachine" DROP CONSTRAINT poison`);
    expect(await untilEnded(env, poisoned.operationId)).toBe('SUCCESS');
    expect(await machine()).toMatchObject({ operState: 'STOPPED', task: null });
    await expectNoClaims(db.pool);
  });
});

describe('a job that Ganeti forgot', () => {
  let forgotten = 990_000;

  it('is decided by the machine itself: it does not run, so the start failed', async () => {
    await env.simulator.faults.set({ dropBeforeSubmit: { method: 'PUT', path: '/startup$' } });
    const admitted = await startVirtualMachine(env, LOCAL_ADMIN, { id });
    await untilStatus(env, admitted.operationId, ['SUBMITTING']);
    await forgetSending(admitted.operationId);
    expect(await untilEnded(env, admitted.operationId)).toBe('ERROR');
    expect(await machine()).toMatchObject({ operState: 'STOPPED', task: null });
    await env.simulator.faults.clear();
    await expectNoClaims(db.pool);
  });

  it('or cannot be decided: INDETERMINATE, its claims stay, and health tells', async () => {
    const started = await startVirtualMachine(env, LOCAL_ADMIN, { id });
    expect(await untilEnded(env, started.operationId)).toBe('SUCCESS');
    await env.simulator.faults.set({ dropBeforeSubmit: { method: 'POST', path: '/reboot$' } });
    const admitted = await rebootVirtualMachine(env, LOCAL_ADMIN, { id, type: 'SOFT' });
    await untilStatus(env, admitted.operationId, ['SUBMITTING']);
    await forgetSending(admitted.operationId);
    expect(await untilEnded(env, admitted.operationId)).toBe('INDETERMINATE');
    expect(await db.prisma.claim.count({ where: { operationId: admitted.operationId } })).toBe(2);
    expect((await readHealth(env)).warnings).toEqual([expect.stringContaining('INDETERMINATE')]);
    await env.simulator.faults.clear();
  });

  /** Gives a step that is being sent a job that the cluster never knew. */
  async function forgetSending(operationId: string): Promise<void> {
    await db.pool.query(
      `UPDATE "OperationJob" SET "state" = 'SUBMITTED', "jobId" = $2 WHERE "operationId" = $1 AND "state" = 'SENDING'`,
      [operationId, forgotten++],
    );
  }
});

describe('an offline backend', () => {
  it('is not called; what was admitted before pauses, and goes on when it is back', async () => {
    const other = await build('for the pause');
    await env.simulator.faults.set({ drained: true });
    const admitted = await shutdownVirtualMachine(env, LOCAL_ADMIN, { id: other });
    await setBackendOffline(env, LOCAL_ADMIN, env.ids.backendId);
    await expect(startVirtualMachine(env, LOCAL_ADMIN, { id: other })).rejects.toMatchObject({ code: 'RESOURCE_BUSY' });
    await expect(admitBuild('nowhere')).rejects.toMatchObject({ code: 'NO_BACKEND_FITS' });
    await env.simulator.faults.clear();
    await setBackendOnline(env, LOCAL_ADMIN, env.ids.backendId);
    expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
  });
});
