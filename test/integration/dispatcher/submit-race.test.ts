import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { noCheckpoint } from '../../../src/dispatcher/checkpoint.ts';
import { submitReadySteps } from '../../../src/dispatcher/submit.ts';
import { jobReason } from '../../../src/ganeti/index.ts';
import { createVirtualMachine } from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment } from '../../support/environment.ts';

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

it('many lanes at once send each step once: a lane never takes what another has just marked', async () => {
  const client = await env.clusters.get(env.ids.backendId);
  for (let round = 0; round < 25; round += 1) {
    await createVirtualMachine(env, LOCAL_ADMIN, {
      name: `raced ${round}`,
      flavorId: env.ids.flavorId,
      imageId: env.ids.imageId,
      start: true,
      networks: [{ networkId: env.ids.networkId }],
    });
    // Two calls of two lanes each, as two replicas would that both believe to hold the cluster.
    await Promise.all([1, 2].map(() => submitReadySteps(env, client, env.ids.backendId, noCheckpoint)));
  }
  const reasons = env.simulator.cluster.jobs().map((job) => jobReason({ ops: [job.op] }));
  expect(reasons).toHaveLength(new Set(reasons).size);
  expect(await db.prisma.operationJob.count({ where: { sendCount: { gt: 1 } } })).toBe(0);
});
