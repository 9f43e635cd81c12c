import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ADMIN } from '../../src/auth/viewer.ts';
import type { CheckpointName } from '../../src/dispatcher/checkpoint.ts';
import { jobReason } from '../../src/ganeti/index.ts';
import * as machines from '../../src/modules/virtual-machine/virtual-machine.service.ts';
import type { Admitted } from '../../src/operations/admit.ts';
import { stepReason } from '../../src/operations/operation.store.ts';
import type { CrashOrder } from '../support/crash-child.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../support/database.ts';
import { createTestEnvironment, type TestEnvironment, untilEnded } from '../support/environment.ts';

// The parent admits and holds the cluster; the child, which follows it, is killed and started again.
let db: TestDatabase;
let env: TestEnvironment;
let child: ChildProcess | null = null;
let machineId: number;

beforeAll(async () => {
  db = await createTestDatabase();
  env = await createTestEnvironment(db, { speed: 40 });
  machineId = await build('the machine that is acted on');
  await startChild();
});

afterAll(async () => {
  if (child?.connected) {
    child.disconnect();
    await once(child, 'exit');
  }
  await env.close();
  await db.drop();
});

async function build(name: string): Promise<number> {
  const dispatcher = await env.startDispatcher();
  const admitted = await create(name);
  expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
  await dispatcher.close();
  return admitted.virtualMachineId as number;
}

function create(name: string): Promise<Admitted> {
  return machines.createVirtualMachine(env, LOCAL_ADMIN, {
    name,
    flavorId: env.ids.flavorId,
    imageId: env.ids.imageId,
    start: true,
    networks: [{ networkId: env.ids.networkId }],
  });
}

async function startChild(): Promise<void> {
  child = fork(fileURLToPath(new URL('../support/crash-child.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URL: db.url,
      SECRET_KEY: 'a-secret-key-of-the-test-suite',
      SIMULATED_CLUSTERS: '0',
      CALLBACK_URL: env.settings.callbackUrl,
      POLL_BUSY_MS: '50',
      POLL_IDLE_MS: '200',
      RAPI_TIMEOUT_MS: '2000',
      SETTLE_MS: '4000',
    },
  });
  await reply(child, 'ready');
}

async function reply(from: ChildProcess, expected: string): Promise<void> {
  const [message] = await Promise.race([once(from, 'message'), once(from, 'exit').then(() => ['exited'])]);
  expect(message).toBe(expected);
}

/** Arms the child, does the act, waits for the kill, starts another child, and waits for the operation's end. */
async function crashAt(
  order: CrashOrder,
  act: () => Promise<Admitted>,
): Promise<{ admitted: Admitted; status: string }> {
  if (child?.exitCode !== null || child.signalCode !== null) await startChild();
  const victim = child as ChildProcess;
  victim.send(order);
  await reply(victim, 'armed');
  const died = once(victim, 'exit');
  const admitted = await act();
  expect((await died)[1]).toBe('SIGKILL');
  await startChild();
  return { admitted, status: await untilEnded(env, admitted.operationId) };
}

/** The jobs in the cluster that bear the text of an operation's steps, by step. */
async function jobsPerStep(operationId: string): Promise<number[]> {
  const steps = await db.prisma.operationJob.findMany({ where: { operationId }, orderBy: { step: 'asc' } });
  const reasons = env.simulator.cluster.jobs().map((job) => jobReason({ ops: [job.op] }));
  return steps.map((step) => reasons.filter((reason) => reason === stepReason(operationId, step.step)).length);
}

const POINTS: CheckpointName[] = [
  'before-send',
  'sending-recorded',
  'answered',
  'submitted-recorded',
  'final-read',
  'final-applied',
];
const START: CheckpointName[] = ['sending-recorded', 'answered', 'final-read'];

describe('killed with SIGKILL', () => {
  it.each(POINTS)('at %s of a create: one job, and a machine that runs', async (at) => {
    const { admitted, status } = await crashAt({ at, opcode: 'OP_INSTANCE_CREATE' }, () =>
      create(`created over ${at}`),
    );
    expect(status).toBe('SUCCESS');
    expect(await jobsPerStep(admitted.operationId)).toEqual([1]);
    const machine = await db.prisma.virtualMachine.findUniqueOrThrow({
      where: { id: admitted.virtualMachineId as number },
      include: { nics: true },
    });
    expect(machine).toMatchObject({
      operState: 'STARTED',
      task: null,
      buildPercentage: 100,
      nics: [{ state: 'ACTIVE' }],
    });
    await expectNoClaims(db.pool);
  });

  const acts: [string, string, () => Promise<Admitted>, string][] = [
    [
      'shutdown',
      'OP_INSTANCE_SHUTDOWN',
      () => machines.shutdownVirtualMachine(env, LOCAL_ADMIN, { id: machineId }),
      'STOPPED',
    ],
    [
      'start',
      'OP_INSTANCE_STARTUP',
      () => machines.startVirtualMachine(env, LOCAL_ADMIN, { id: machineId }),
      'STARTED',
    ],
    [
      'reboot',
      'OP_INSTANCE_REBOOT',
      () => machines.rebootVirtualMachine(env, LOCAL_ADMIN, { id: machineId, type: 'HARD' }),
      'STARTED',
    ],
  ];
  for (const at of START) {
    it.each(acts)(`at ${at} of a %s: one job`, async (_, opcode, act, operState) => {
      const { admitted, status } = await crashAt({ at, opcode }, act);
      expect(status).toBe('SUCCESS');
      expect(await jobsPerStep(admitted.operationId)).toEqual([1]);
      expect(await db.prisma.virtualMachine.findUniqueOrThrow({ where: { id: machineId } })).toMatchObject({
        operState,
        task: null,
      });
      await expectNoClaims(db.pool);
    });
  }

  it.each(START)('at %s of a delete: one job, the address is free once', async (at) => {
    const victim = await db.prisma.virtualMachine.findFirstOrThrow({
      where: { operState: 'STARTED', id: { not: machineId } },
    });
    const before = await db.prisma.address.count();
    const act = () => machines.deleteVirtualMachine(env, LOCAL_ADMIN, { id: victim.id });
    const { admitted, status } = await crashAt({ at, opcode: 'OP_INSTANCE_REMOVE' }, act);
    expect(status).toBe('SUCCESS');
    expect(await jobsPerStep(admitted.operationId)).toEqual([1]);
    expect(await db.prisma.address.count()).toBe(before - 1);
    await expectNoClaims(db.pool);
  });
});

describe('an answer that never came', () => {
  it.each([
    ['the job was made, the connection reset', { dropAfterSubmit: 1 }],
    ['the job was not made, the connection reset', { dropBeforeSubmit: 1 }],
    ['the job was made, 504', { error504: 1 }],
    ['the queue is drained for a while', { drained: true }],
  ])('%s: one job', async (_, faults) => {
    await env.simulator.faults.set(faults);
    const admitted = await machines.rebootVirtualMachine(env, LOCAL_ADMIN, { id: machineId, type: 'SOFT' });
    if ('drained' in faults) {
      await untilPutBack();
      await env.simulator.faults.clear();
    }
    expect(await untilEnded(env, admitted.operationId)).toBe('SUCCESS');
    expect(await jobsPerStep(admitted.operationId)).toEqual([1]);
    await expectNoClaims(db.pool);
    await env.simulator.faults.clear();
  });
});

/** A refused submission puts its step back; that is the event to wait for. */
async function untilPutBack(): Promise<void> {
  while ((await db.prisma.operationJob.count({ where: { state: 'PLANNED', sendCount: { gt: 0 } } })) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
