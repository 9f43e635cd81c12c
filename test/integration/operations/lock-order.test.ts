import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { takeReport } from '../../../src/dispatcher/progress.ts';
import { PROGRESS_TOKEN } from '../../../src/dispatcher/progress-token.ts';
import { drainBackend, undrainBackend } from '../../../src/modules/backend/backend.service.ts';
import { createNetwork, drainNetwork, undrainNetwork } from '../../../src/modules/network/network.service.ts';
import {
  deleteVirtualMachine,
  rebootVirtualMachine,
  shutdownVirtualMachine,
  startVirtualMachine,
} from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import { UserError } from '../../../src/operations/user-error.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment, untilEnded } from '../../support/environment.ts';
import { build, deadlocksSeen } from './world.ts';

const ROUNDS = 300;
const CLIENTS = 8;

let db: TestDatabase;
let env: TestEnvironment;

beforeAll(async () => {
  db = await createTestDatabase({ max: 12 });
  env = await createTestEnvironment(db, { speed: 200, subnet: '10.30.0.0/27', groups: ['default', 'second'] });
});

afterAll(async () => {
  await env.close();
  await db.drop();
});

/** The same numbers in each run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

it(`${ROUNDS} rounds of creates, actions, deletes, reports and drains at once: no deadlock (trap 42)`, async () => {
  const networks = [env.ids.networkId];
  for (const at of [1, 2]) {
    const made = await createNetwork(env, LOCAL_ADMIN, {
      name: `network ${at}`,
      flavor: 'CUSTOM',
      subnet: `10.3${at}.0.0/28`,
      dhcp: false,
      isPublic: false,
    });
    networks.push(made.networkId as number);
  }
  await env.startDispatcher();

  const roll = dice(42);
  const machines: number[] = [];
  const operations: string[] = [];
  const unexpected: unknown[] = [];
  let admitted = 0;
  const pick = <T>(from: readonly T[]): T => from[roll(from.length)] as T;

  const round = async (at: number): Promise<void> => {
    const note = (answer: { operationId: string; virtualMachineId?: number }) => {
      admitted += 1;
      operations.push(answer.operationId);
      if (answer.virtualMachineId !== undefined && !machines.includes(answer.virtualMachineId))
        machines.push(answer.virtualMachineId);
    };
    const what = machines.length === 0 ? 0 : roll(20);
    // The newest are the busiest.
    const id = machines[Math.max(0, machines.length - 1 - roll(8))] as number;
    if (what < 5) {
      // In either order, so that whoever locks networks as they are named would meet the other one.
      const wanted = [pick(networks), pick(networks)].map((networkId) => ({ networkId }));
      note(await build(env, `machine ${at}`, { start: roll(2) === 0, networks: wanted }));
    } else if (what < 9) note(await deleteVirtualMachine(env, LOCAL_ADMIN, { id }));
    else if (what < 12) note(await startVirtualMachine(env, LOCAL_ADMIN, { id }));
    else if (what < 14) note(await shutdownVirtualMachine(env, LOCAL_ADMIN, { id }));
    else if (what < 15) note(await rebootVirtualMachine(env, LOCAL_ADMIN, { id, type: 'HARD' }));
    else if (what < 18) {
      const token = env.secrets.token(PROGRESS_TOKEN, pick(operations));
      await takeReport(env, token, roll(2) ? { progress: roll(100) } : { message: 'still at it' });
    } else if (what < 19) {
      const networkId = pick(networks);
      await drainNetwork(env, LOCAL_ADMIN, networkId);
      await undrainNetwork(env, LOCAL_ADMIN, networkId);
    } else {
      await drainBackend(env, LOCAL_ADMIN, env.ids.backendId);
      await undrainBackend(env, LOCAL_ADMIN, env.ids.backendId);
    }
  };
  let next = 0;
  const client = async (): Promise<void> => {
    // On a fast machine most rounds meet a busy one: go on until enough went through to have met each other.
    for (let at = next++; at < ROUNDS || (admitted <= 20 && at < 10 * ROUNDS); at = next++) {
      await round(at).catch((error: unknown) => {
        if (!(error instanceof UserError)) unexpected.push(error);
      });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await undrainBackend(env, LOCAL_ADMIN, env.ids.backendId);
  expect(unexpected).toEqual([]);
  expect(admitted).toBeGreaterThan(20);

  const ends = await Promise.all([...new Set(operations)].map((id) => untilEnded(env, id)));
  expect(ends.filter((status) => status === 'INDETERMINATE')).toEqual([]);
  await expectNoClaims(db.pool);

  // I7: every address is held by the one live NIC that shows it, and every live NIC has its address.
  const { rows: astray } = await db.pool.query(
    `SELECT n."id" AS nic, n."ipv4", n."deletedAt", a."address" FROM "NetworkInterface" n
       FULL JOIN "Address" a ON a."nicId" = n."id" AND a."networkId" = n."networkId" AND a."address" = n."ipv4"
      WHERE (n."deletedAt" IS NULL) <> (a."id" IS NOT NULL) OR n."id" IS NULL`,
  );
  expect(astray).toEqual([]);
  const { rows: orphans } = await db.pool.query(
    `SELECT n."id" FROM "NetworkInterface" n JOIN "VirtualMachine" vm ON vm."id" = n."virtualMachineId"
      WHERE n."deletedAt" IS NULL AND vm."deletedAt" IS NOT NULL`,
  );
  expect(orphans).toEqual([]);
  // A machine is there in the cluster exactly when it is here.
  const live = await db.prisma.virtualMachine.findMany({
    where: { deletedAt: null, operState: { not: 'ERROR' } },
    orderBy: { id: 'asc' },
  });
  const there = new Set(env.simulator.cluster.instances().map((instance) => instance.name));
  expect(live.filter((machine) => !there.has(machine.ganetiName))).toEqual([]);
  expect(live.filter((machine) => machine.task !== null)).toEqual([]);
  const gone = await db.prisma.virtualMachine.findMany({ where: { deletedAt: { not: null } } });
  expect(gone.filter((machine) => there.has(machine.ganetiName))).toEqual([]);
  // Whatever is told of an entity has no holes (versions are raised under its lock).
  const { rows: holes } = await db.pool.query(
    `SELECT "entityType", "entityId" FROM "Change" GROUP BY 1, 2 HAVING count(*) <> max("version") - min("version") + 1`,
  );
  expect(holes).toEqual([]);

  expect(env.log.filter((line) => /40P01|deadlock|claim-constraint/.test(line))).toEqual([]);
  // A broken deadlock would have been tried again and not been seen: the server counts them when sessions end.
  await env.close();
  await db.pool.end();
  expect(await deadlocksSeen(db)).toBe(0);
});
