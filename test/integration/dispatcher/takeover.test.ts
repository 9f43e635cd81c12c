import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { createVirtualMachine } from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment, untilEnded } from '../../support/environment.ts';

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

it('a replica that lost its session lets go of its clusters, and takes them again with the next one', async () => {
  const dispatcher = await env.startDispatcher();
  expect(dispatcher.watched()).toEqual([env.ids.backendId]);
  const lost = new Promise((resolve) => env.replica.session.addEventListener('abort', resolve, { once: true }));
  await db.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ganeti-graphql replica' AND datname = current_database()`,
  );
  await lost;
  expect(dispatcher.watched()).toEqual([]);
  const admitted = await createVirtualMachine(env, LOCAL_ADMIN, {
    name: 'admitted meanwhile',
    flavorId: env.ids.flavorId,
    imageId: env.ids.imageId,
    start: true,
    networks: [{ networkId: env.ids.networkId }],
  });
  expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
  expect(dispatcher.watched()).toEqual([env.ids.backendId]);
});
