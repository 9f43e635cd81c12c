import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { createPool } from '../../../src/database/pool.ts';
import { createNetwork } from '../../../src/modules/network/network.service.ts';
import { lockNumber } from '../../../src/operations/resource-key.ts';
import { AddressInUse, NameTaken, PoolExhausted, type ResourceBusy } from '../../../src/operations/user-error.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import { createTestEnvironment, type TestEnvironment, untilEnded } from '../../support/environment.ts';
import {
  admitBare,
  type BareEnvironment,
  bareEnvironment,
  build,
  end,
  holdLock,
  key,
  outcomes,
  patiently,
  storedClaims,
} from './world.ts';

let db: TestDatabase;
let env: TestEnvironment;
/** A second replica: the same store, another pool. */
let there: TestEnvironment;
let otherPool: pg.Pool;

beforeAll(async () => {
  db = await createTestDatabase({ max: 8 });
  env = await createTestEnvironment(db, { groups: ['default', 'second'] });
  otherPool = createPool(db.url, { max: 5 });
  there = { ...env, pool: otherPool };
});

afterAll(async () => {
  await env.close();
  await otherPool.end();
  await db.drop();
});

const network = async (name: string, subnet: string, more: object = {}) =>
  (await createNetwork(env, LOCAL_ADMIN, { name, flavor: 'CUSTOM', subnet, dhcp: false, isPublic: false, ...more }))
    .networkId as number;

const ten = <T>(make: (at: number, replica: TestEnvironment) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: 10 }, (_, at) => patiently(() => make(at, at % 2 === 0 ? env : there)))).then(
    outcomes,
  );

/** What builds leave in the store, for one network or all. */
async function left(networkId: number) {
  const nics = await db.prisma.networkInterface.findMany({ where: { networkId } });
  const addresses = await db.prisma.address.findMany({ where: { networkId } });
  return { nics, addresses };
}

describe('the last address (trap 43)', () => {
  it.each([
    ['with a gateway', { gateway: '10.20.0.1' }, 5],
    ['without one', { subnet: '10.20.1.0/29' }, 6],
  ])('a /29 %s: as many win as there are addresses, the others leave nothing', async (name, more, free) => {
    const networkId = await network(`small ${name}`, '10.20.0.0/29', more);
    const machinesBefore = await db.prisma.virtualMachine.count();
    const { won, lost } = await ten((at, replica) =>
      build(replica, `small ${name} ${at}`, { networks: [{ networkId }] }),
    );
    expect(won).toHaveLength(free);
    expect(lost.map((error) => (error as Error).constructor)).toEqual(
      Array.from({ length: 10 - free }, () => PoolExhausted),
    );
    for (const error of lost) expect((error as PoolExhausted).path).toEqual(['networks', '0', 'networkId']);
    const { nics, addresses } = await left(networkId);
    expect(new Set(addresses.map((address) => address.nicId))).toEqual(new Set(nics.map((nic) => nic.id)));
    expect(new Set(addresses.map((address) => address.address)).size).toBe(free);
    if ('gateway' in more) expect(addresses.map((address) => address.address)).not.toContain(more.gateway);
    expect(new Map(nics.map((nic) => [nic.id, nic.ipv4]))).toEqual(
      new Map(addresses.map((address) => [address.nicId, address.address])),
    );
    expect(nics).toHaveLength(free);
    expect(await db.prisma.virtualMachine.count()).toBe(machinesBefore + free);
    expect((await storedClaims(db.pool)).filter((claim) => claim.resource === `network:${networkId}`)).toHaveLength(
      free,
    );
  });

  it('one address asked for by ten: one gets it, the others are told where', async () => {
    const networkId = await network('asked for', '10.21.0.0/24');
    const { won, lost } = await ten((at, replica) =>
      build(replica, `asked for ${at}`, { networks: [{ networkId }, { networkId, ipv4: '10.21.0.9' }] }),
    );
    expect(won).toHaveLength(1);
    expect(lost).toHaveLength(9);
    for (const error of lost) {
      expect(error).toBeInstanceOf(AddressInUse);
      expect((error as AddressInUse).path).toEqual(['networks', '1', 'ipv4']);
    }
    expect((await left(networkId)).addresses.map((address) => address.address).sort()).toEqual([
      '10.21.0.1',
      '10.21.0.9',
    ]);
  });
});

describe('the last name', () => {
  it('ten machines of one name: one is admitted', async () => {
    const { won, lost } = await ten((_, replica) => build(replica, 'Zwölf'.normalize('NFD')));
    expect(won).toHaveLength(1);
    for (const error of lost) {
      expect(error).toBeInstanceOf(NameTaken);
      expect((error as NameTaken).path).toEqual(['name']);
    }
    expect(lost).toHaveLength(9);
    expect(await db.prisma.virtualMachine.count({ where: { name: 'Zwölf' } })).toBe(1);
  });

  it('ten networks of one name: one is made, and has an operation', async () => {
    const { won, lost } = await ten((_, replica) =>
      createNetwork(replica, LOCAL_ADMIN, {
        name: 'one',
        flavor: 'CUSTOM',
        subnet: '10.22.0.0/24',
        dhcp: false,
        isPublic: false,
      }),
    );
    expect(won).toHaveLength(1);
    for (const error of lost) expect(error).toBeInstanceOf(NameTaken);
    expect(await db.prisma.operation.count({ where: { networkId: won[0]?.networkId as number } })).toBe(1);
    expect(await db.prisma.network.count({ where: { name: 'one' } })).toBe(1);
  });

  it('twenty creates under one key are one machine with one address', async () => {
    const networkId = await network('keyed', '10.23.0.0/24');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        patiently(() =>
          build(at % 2 ? env : there, 'keyed', { networks: [{ networkId }], idempotencyKey: 'build it' }),
        ),
      ),
    );
    expect(new Set(answers.map((answer) => answer.operationId)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.virtualMachineId)).size).toBe(1);
    expect(answers.filter((answer) => answer.isReplayed)).toHaveLength(19);
    expect((await left(networkId)).addresses).toHaveLength(1);
  });
});

describe('admission stays READ COMMITTED', () => {
  it('also where the database’s default is REPEATABLE READ: of two that waited for the lock one wins, by the code and not by the constraint', async () => {
    const name = new URL(db.url).pathname.slice(1);
    await db.pool.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`);
    const pool = createPool(db.url, { max: 8 });
    try {
      expect((await pool.query('SHOW transaction_isolation')).rows).toEqual([
        { transaction_isolation: 'repeatable read' },
      ]);
      const bare: BareEnvironment = await bareEnvironment(db, pool);
      for (let round = 1; round <= 3; round += 1) {
        const lock = await holdLock(db, lockNumber(key(round)));
        const levels: string[] = [];
        const race = Promise.allSettled(
          Array.from({ length: 6 }, (_, at) =>
            admitBare(bare, {
              wanted: [[key(round), at % 3 === 2 ? 'SHARED' : 'EXCLUSIVE']],
              prepare: async (tx) => {
                const { rows } = await tx.query<{ transaction_isolation: string }>('SHOW transaction_isolation');
                levels.push(rows[0]?.transaction_isolation as string);
                return { steps: [] };
              },
            }),
          ),
        );
        // All are past the point where a REPEATABLE READ snapshot would be taken.
        await lock.waiters(6);
        await lock.release();
        const { won, lost } = outcomes(await race);
        const held = (await storedClaims(db.pool)).filter((claim) => claim.resource === key(round));
        expect(held).toHaveLength(won.length);
        expect(held.length === 1 || held.every((claim) => claim.mode === 'SHARED')).toBe(true);
        for (const error of lost) {
          const conflicts = (error as ResourceBusy).conflicts;
          // Who came before it, by then: a SHARED one may still be let in beside the first after an EXCLUSIVE was refused.
          expect(conflicts.length).toBeGreaterThan(0);
          expect(won.map((w) => w.operationId)).toEqual(
            expect.arrayContaining(conflicts.map((conflict) => conflict.operationId)),
          );
        }
        expect(new Set(levels)).toEqual(new Set(['read committed']));
        for (const { operationId } of won) await end(pool, operationId);
      }
      expect(bare.log.filter((line) => line.includes('claim-constraint'))).toEqual([]);
      await db.pool.query(`UPDATE "Backend" SET "deletedAt" = now() WHERE "id" = $1`, [bare.backendId]);
    } finally {
      await pool.end();
      await db.pool.query(`ALTER DATABASE ${name} RESET default_transaction_isolation`);
    }
  });
});

describe('the locks of an admission', () => {
  it('are taken in the order of their numbers, whatever the order of the keys', async () => {
    const bare = await bareEnvironment(db);
    const keys = Array.from({ length: 8 }, (_, at) => key(500 + at));
    const sorted = [...keys].sort((a, b) => (lockNumber(a) < lockNumber(b) ? -1 : 1));
    // The third lock is not to be had: exactly the two before it are held meanwhile.
    const third = await holdLock(db, lockNumber(sorted[2] as (typeof sorted)[0]));
    const admitted = admitBare(bare, { wanted: keys.map((each) => [each, 'EXCLUSIVE']) });
    await third.waiters(1);
    const { rows } = await db.pool.query<{ number: string }>(
      `SELECT ((classid::bigint << 32) | objid::bigint)::text AS number FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND pid <> pg_backend_pid()`,
    );
    const held = new Set(rows.map((row) => BigInt(row.number)));
    expect(sorted.map((each) => held.has(lockNumber(each)))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    await third.release();
    await end(db.pool, (await admitted).operationId);
    await db.pool.query(`UPDATE "Backend" SET "deletedAt" = now() WHERE "id" = $1`, [bare.backendId]);
  });

  it('of a shared key do not make admissions wait for each other', async () => {
    const bare = await bareEnvironment(db);
    let inside = 0;
    const both = [1, 2].map((at) =>
      admitBare(bare, {
        wanted: [
          [key(600), 'SHARED'],
          [key(600 + at), 'EXCLUSIVE'],
        ],
        prepare: async () => {
          inside += 1;
          while (inside < 2) await new Promise((resolve) => setTimeout(resolve, 5));
          return { steps: [] };
        },
      }),
    );
    for (const { operationId } of await Promise.all(both)) await end(db.pool, operationId);
    await db.pool.query(`UPDATE "Backend" SET "deletedAt" = now() WHERE "id" = $1`, [bare.backendId]);
  });
});

describe('the first use of a network (traps 27 and 28)', () => {
  it('ten creates make one copy and one set of jobs; the others’ wait for them; all succeed', async () => {
    const networkId = await network('fresh', '10.24.0.0/24');
    // What the tests above admitted is not to be built.
    await db.pool.query(
      `UPDATE "OperationJob" SET "state" = 'CANCELED';
       UPDATE "Operation" SET "status" = 'CANCELED', "finalizedAt" = now() WHERE "finalizedAt" IS NULL;
       DELETE FROM "Claim"`,
    );
    const { won, lost } = await ten((at, replica) =>
      build(replica, `fresh ${at}`, { start: false, networks: [{ networkId }] }),
    );
    expect(lost).toEqual([]);
    const copies = await db.prisma.backendNetwork.findMany({ where: { networkId } });
    expect(copies).toHaveLength(1);
    const steps = await db.prisma.operationJob.findMany({
      where: { operationId: { in: won.map((w) => w.operationId) } },
      orderBy: { step: 'asc' },
    });
    const copySteps = steps.filter((step) => step.backendNetworkId !== null);
    expect(copySteps.map((step) => [step.opcode, step.role])).toEqual([
      ['OP_NETWORK_ADD', `add:${networkId}`],
      ['OP_NETWORK_CONNECT', `connect:${networkId}:default`],
      ['OP_NETWORK_CONNECT', `connect:${networkId}:second`],
    ]);
    expect(new Set(copySteps.map((step) => step.operationId)).size).toBe(1);
    const creates = steps.filter((step) => step.opcode === 'OP_INSTANCE_CREATE');
    expect(creates).toHaveLength(10);
    for (const create of creates) expect([...create.dependsOn].sort()).toEqual(copySteps.map((step) => step.id).sort());

    await env.startDispatcher();
    expect(await Promise.all(won.map(({ operationId }) => untilEnded(env, operationId)))).toEqual(
      won.map(() => 'SUCCESS'),
    );
    const opcodes = env.simulator.cluster.jobs().map((job) => job.op.OP_ID);
    expect(opcodes.filter((opcode) => opcode === 'OP_NETWORK_ADD')).toHaveLength(1);
    expect(opcodes.filter((opcode) => opcode === 'OP_NETWORK_CONNECT')).toHaveLength(2);
    expect(opcodes.filter((opcode) => opcode === 'OP_INSTANCE_CREATE')).toHaveLength(10);
    expect(await db.prisma.backendNetwork.findMany({ where: { networkId } })).toMatchObject([
      { operState: 'ACTIVE', connectedGroups: ['default', 'second'], missingGroups: [] },
    ]);
    await expectNoClaims(db.pool);
  });

  it('a create after that plans no network job', async () => {
    const networkId = (await db.prisma.network.findFirstOrThrow({ where: { name: 'fresh' } })).id;
    const { operationId } = await build(env, 'eleventh', { start: false, networks: [{ networkId }] });
    expect(await db.prisma.operationJob.findMany({ where: { operationId } })).toMatchObject([
      { role: 'create', dependsOn: [] },
    ]);
    expect(await untilEnded(env, operationId)).toBe('SUCCESS');
  });
});
