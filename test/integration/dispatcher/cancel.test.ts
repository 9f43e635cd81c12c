import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { cancelOperation } from '../../../src/modules/operation/operation.service.ts';
import { createVirtualMachine } from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment, untilEnded, untilStatus } from '../../support/environment.ts';

let db: TestDatabase;
let env: TestEnvironment;

beforeAll(async () => {
  db = await createTestDatabase();
  env = await createTestEnvironment(db);
});

afterAll(async () => {
  await env.close();
  await db.drop();
});

const create = (name: string) =>
  createVirtualMachine(env, LOCAL_ADMIN, {
    name,
    flavorId: env.ids.flavorId,
    imageId: env.ids.imageId,
    start: true,
    networks: [{ networkId: env.ids.networkId }],
  });

describe('cancelOperation', () => {
  it('before anything was sent: no create job, the build has failed; the network that another build waits for still comes', async () => {
    const first = await create('canceled');
    const second = await create('waits for the first one’s network');
    await cancelOperation(env, LOCAL_ADMIN, first.operationId);
    await env.startDispatcher();
    expect(await untilEnded(env, second.operationId)).toBe('SUCCESS');
    expect(await untilEnded(env, first.operationId)).toBe('CANCELED');
    const jobs = env.simulator.cluster.jobs().map((job) => job.op.OP_ID);
    expect(jobs).toEqual(['OP_NETWORK_ADD', 'OP_NETWORK_CONNECT', 'OP_INSTANCE_CREATE']);
    const machine = await db.prisma.virtualMachine.findUniqueOrThrow({
      where: { id: first.virtualMachineId as number },
    });
    expect(machine).toMatchObject({ operState: 'ERROR', task: null });
    await expectNoClaims(db.pool);
  });

  it('of a running build is a hint: the job’s own end decides, and the claims stay until then', async () => {
    const admitted = await create('runs on');
    await untilStatus(env, admitted.operationId, ['RUNNING']);
    await cancelOperation(env, LOCAL_ADMIN, admitted.operationId);
    expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
    await expect(cancelOperation(env, LOCAL_ADMIN, admitted.operationId)).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
  });
});
