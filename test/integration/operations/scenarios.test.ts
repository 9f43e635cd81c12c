import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { createPool } from '../../../src/database/pool.ts';
import { createFlavor, deleteFlavor } from '../../../src/modules/catalog/catalog.service.ts';
import {
  deleteVirtualMachine,
  rebootVirtualMachine,
  startVirtualMachine,
} from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { IdempotencyKeyReused, InvalidState, NotFound, ResourceBusy } from '../../../src/operations/user-error.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment, untilEnded } from '../../support/environment.ts';
import { build, claimsOf, fingerprint, gate, outcomes, patiently, refusal, until } from './world.ts';

let db: TestDatabase;
let env: TestEnvironment;
/** Three replicas, each with a pool of its own. */
let replicas: TestEnvironment[];
const pools: pg.Pool[] = [];
const starts = gate('OP_INSTANCE_STARTUP');
const reboots = gate('OP_INSTANCE_REBOOT');
let id: number;
let build1: { operationId: string; virtualMachineId?: number };
let flavorId: number;

beforeAll(async () => {
  db = await createTestDatabase({ max: 6 });
  env = await createTestEnvironment(db);
  replicas = Array.from({ length: 3 }, () => {
    const pool = createPool(db.url, { max: 4 });
    pools.push(pool);
    return { ...env, pool };
  });
  await env.startDispatcher((name, opcode) => starts.checkpoint(name, opcode) ?? reboots.checkpoint(name, opcode));
  flavorId = (await createFlavor(env, LOCAL_ADMIN, { cpu: 2, memoryMiB: 128, diskGiB: 1, diskTemplate: 'file' }))
    .flavorId;
  build1 = await build(env, 'machine', { start: false, flavorId, idempotencyKey: 'build it' });
  id = build1.virtualMachineId as number;
  expect(await untilEnded(env, build1.operationId)).toBe('SUCCESS');
});

afterAll(async () => {
  starts.open();
  reboots.open();
  await env.close();
  await Promise.all(pools.map((pool) => pool.end()));
  await db.drop();
});

const jobs = (opcode: string) => env.simulator.cluster.jobs().filter((job) => job.op.OP_ID === opcode);
const on = (at: number): TestEnvironment => replicas[at % replicas.length] as TestEnvironment;

describe('scenario 15: fifty clients start one machine', () => {
  it('one operation, 49 ResourceBusy that name it; afterwards no claim and one job', async () => {
    const settled = await Promise.allSettled(
      Array.from({ length: 50 }, (_, at) =>
        patiently(() => startVirtualMachine(on(at), LOCAL_ADMIN, { id, idempotencyKey: `start ${at}` })),
      ),
    );
    const { won, lost } = outcomes(settled);
    expect(won).toMatchObject([{ isReplayed: false, virtualMachineId: id }]);
    const operationId = won[0]?.operationId as string;
    expect(lost).toHaveLength(49);
    for (const error of lost) {
      expect(error).toBeInstanceOf(ResourceBusy);
      expect((error as ResourceBusy).conflicts).toEqual([{ resource: `vm:${id}`, mode: 'EXCLUSIVE', operationId }]);
    }
    expect(await db.prisma.operation.count({ where: { kind: 'startVirtualMachine' } })).toBe(1);
    expect(await claimsOf(db.pool, operationId)).toEqual([`backend:${env.ids.backendId} S`, `vm:${id} X`]);

    starts.open();
    expect(await untilEnded(env, operationId)).toBe('SUCCESS');
    await expectNoClaims(db.pool);
    expect(jobs('OP_INSTANCE_STARTUP')).toHaveLength(1);
    expect(await db.prisma.virtualMachine.findUniqueOrThrow({ where: { id } })).toMatchObject({
      operState: 'STARTED',
      task: null,
    });
  });

  it('a start of the started machine is INVALID_STATE, and leaves nothing', async () => {
    const before = await fingerprint(db.pool);
    const error = await refusal(
      startVirtualMachine(env, LOCAL_ADMIN, { id, idempotencyKey: 'start it again' }),
      InvalidState,
    );
    expect(error.path).toEqual(['id']);
    expect(await fingerprint(db.pool)).toEqual(before);
  });
});

describe('scenario 16: one key, many requests', () => {
  let operationId: string;

  it('twenty at once are one operation, 19 of them replayed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        patiently(() => rebootVirtualMachine(on(at), LOCAL_ADMIN, { id, type: 'HARD', idempotencyKey: 'reboot it' })),
      ),
    );
    operationId = answers[0]?.operationId as string;
    expect(new Set(answers.map((answer) => answer.operationId))).toEqual(new Set([operationId]));
    expect(answers.filter((answer) => answer.isReplayed)).toHaveLength(19);
    expect(answers.every((answer) => answer.virtualMachineId === id)).toBe(true);
    expect(await db.prisma.operation.count({ where: { idempotencyKey: 'reboot it' } })).toBe(1);
  });

  it('with one field changed, or for another mutation, the key is refused, and that leaves nothing', async () => {
    // It is as far as the gate lets it go.
    await until(
      async () => (await db.prisma.operation.count({ where: { id: operationId, status: 'SUBMITTING' } })) === 1,
    );
    const before = await fingerprint(db.pool);
    for (const other of [
      () => rebootVirtualMachine(env, LOCAL_ADMIN, { id, type: 'SOFT', idempotencyKey: 'reboot it' }),
      () => rebootVirtualMachine(env, LOCAL_ADMIN, { id: id + 1, type: 'HARD', idempotencyKey: 'reboot it' }),
      () => startVirtualMachine(env, LOCAL_ADMIN, { id, idempotencyKey: 'reboot it' }),
      () => build(env, 'another', { idempotencyKey: 'reboot it' }),
    ]) {
      expect((await refusal(other(), IdempotencyKeyReused)).path).toEqual(['idempotencyKey']);
    }
    expect(await fingerprint(db.pool)).toEqual(before);
  });

  it('keys are per user: another viewer’s equal key is another request', async () => {
    const stranger = { ...LOCAL_ADMIN, id: 'somebody else' };
    const busy = rebootVirtualMachine(env, stranger, { id, type: 'HARD', idempotencyKey: 'reboot it' });
    expect((await refusal(busy, ResourceBusy)).conflicts.map((conflict) => conflict.operationId)).toEqual([
      operationId,
    ]);
  });

  it('a refused request has consumed nothing: after the Busy its key is used again and succeeds', async () => {
    const again = () => rebootVirtualMachine(env, LOCAL_ADMIN, { id, type: 'SOFT', idempotencyKey: 'reboot later' });
    await refusal(again(), ResourceBusy);
    reboots.open();
    expect(await untilEnded(env, operationId)).toBe('SUCCESS');
    const admitted = await again();
    expect(admitted.isReplayed).toBe(false);
    expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
    expect(jobs('OP_INSTANCE_REBOOT')).toHaveLength(2);
  });
});

describe('a key is kept whatever became of its operation', () => {
  it('of one that ended in ERROR: the same operation, not a new try', async () => {
    await env.simulator.faults.set({
      jobError: { times: 1, opcode: 'OP_INSTANCE_REBOOT', message: 'the node is on fire' },
    });
    const failing = () =>
      rebootVirtualMachine(env, LOCAL_ADMIN, { id, type: 'SOFT', idempotencyKey: 'reboot in vain' });
    const { operationId } = await failing();
    expect(await untilEnded(env, operationId)).toBe('ERROR');
    expect(await failing()).toEqual({ operationId, isReplayed: true, virtualMachineId: id });
    expect(await db.prisma.operation.count({ where: { kind: 'rebootVirtualMachine', status: 'ERROR' } })).toBe(1);
    await expectNoClaims(db.pool);
  });

  it('of a create whose flavor was deleted since', async () => {
    await deleteFlavor(env, LOCAL_ADMIN, flavorId);
    const again = (key: string, name: string) => build(env, name, { start: false, flavorId, idempotencyKey: key });
    expect(await again('build it', 'machine')).toEqual({
      operationId: build1.operationId,
      isReplayed: true,
      virtualMachineId: id,
    });
    expect((await refusal(again('build another', 'another'), NotFound)).path).toEqual(['flavorId']);
  });

  it('of a delete whose machine is gone', async () => {
    const remove = (idempotencyKey?: string) => deleteVirtualMachine(env, LOCAL_ADMIN, { id, idempotencyKey });
    const admitted = await remove('remove it');
    expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
    expect(await remove('remove it')).toEqual({ ...admitted, isReplayed: true });
    expect((await refusal(remove(), NotFound)).path).toEqual(['id']);
    expect(await db.prisma.address.count()).toBe(0);
    await expectNoClaims(db.pool);
  });
});
