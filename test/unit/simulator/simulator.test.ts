import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connectNetwork,
  createInstance,
  createNetwork,
  deleteInstance,
  GanetiClient,
  type GanetiJob,
  type GanetiRequest,
  isFinal,
  type JobDependency,
  jobError,
  rebootInstance,
  shutdownInstance,
  startupInstance,
} from '../../../src/ganeti/index.ts';
import {
  type SimInstance,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../../src/simulator/index.ts';

let simulator: Simulator;
let client: GanetiClient;
afterEach(async () => {
  await client.close();
  await simulator.close();
});

async function start(options: SimulatorOptions = {}): Promise<void> {
  simulator = await startSimulator({ speed: 500, ...options });
  client = clientAs(simulator.username, simulator.password);
}

function clientAs(username: string, password: string): GanetiClient {
  return new GanetiClient({
    endpoints: [simulator.url],
    username,
    password,
    tls: { fingerprint: simulator.fingerprint },
  });
}

const submit = (request: GanetiRequest, depends: JobDependency[] = []): Promise<number> =>
  client.submit(request, { reason: 'unit', depends });

async function finished(id: number): Promise<GanetiJob> {
  for (;;) {
    const job = await client.getJob(id);
    if (job === null) throw new Error(`job ${id} is unknown`);
    if (isFinal(job.status)) return job;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function run(request: GanetiRequest, depends: JobDependency[] = []): Promise<GanetiJob> {
  return finished(await submit(request, depends));
}

async function addNetwork(cidr = '10.0.0.0/16'): Promise<void> {
  await run(createNetwork({ name: 'net', network: cidr, conflictsCheck: false, tags: [] }));
  for (const { name: group } of await client.listGroups()) {
    await run(connectNetwork({ network: 'net', group, mode: 'bridged', link: 'br0', conflictsCheck: false }));
  }
}

function instance(name: string, changes: Partial<Parameters<typeof createInstance>[0]> = {}): GanetiRequest {
  return createInstance({
    name,
    osType: 'simimage+default',
    diskTemplate: 'file',
    disks: [{ sizeMiB: 1024 }],
    nics: [{ network: 'net', ip: 'pool', name: `${name}-nic` }],
    vcpus: 1,
    memoryMiB: 128,
    osParameters: {},
    start: true,
    ...changes,
  });
}

describe('instances', () => {
  it('crash without a job, and are repaired by a start', async () => {
    await start();
    await addNetwork();
    await run(instance('vm'));
    const before = await client.getInstance('vm');
    simulator.faults.crashInstance('vm');
    expect(await client.getInstance('vm')).toMatchObject({
      status: 'ERROR_down',
      operState: false,
      operMemoryMiB: null,
      adminState: 'up',
      serialNo: before?.serialNo,
      modifiedAtS: before?.modifiedAtS,
    });
    expect(simulator.cluster.lastJobId()).toBe(3);
    await run(startupInstance('vm'));
    expect(await client.getInstance('vm')).toMatchObject({ status: 'running', serialNo: before?.serialNo });
  });

  it('of an offline node answer nulls, and refuse to be touched', async () => {
    await start({ nodes: 1 });
    await addNetwork();
    await run(instance('vm'));
    const [node] = await client.listNodes();
    simulator.faults.setNodeOffline(node?.name ?? '', true);
    expect(await client.getInstance('vm')).toMatchObject({ status: 'ERROR_nodeoffline', operState: null });
    expect((await client.listNodes())[0]).toMatchObject({ offline: true, memoryFreeMiB: null, memoryTotalMiB: null });
    expect(jobError(await run(shutdownInstance('vm')))).toMatchObject({ code: 'wrong_state' });
  });

  it('under kvm have a port and a VNC console', async () => {
    await start({ hypervisor: 'kvm' });
    await addNetwork();
    await run(instance('vm'));
    const vm = await client.getInstance('vm');
    expect(vm?.networkPort).toBeGreaterThanOrEqual(11_000);
    expect(vm?.hvparams).toMatchObject({ serial_console: false });
    expect(await client.getConsole('vm')).toMatchObject({ kind: 'vnc', host: vm?.primaryNode, port: vm?.networkPort });
  });

  it('of an ext template need a provider', async () => {
    await start({ diskTemplates: ['ext', 'file'] });
    await addNetwork();
    const disk = { sizeMiB: 1024, provider: 'vlmc', origin: 'checksum' };
    expect(await run(instance('vm', { diskTemplate: 'ext', disks: [disk] }))).toMatchObject({ status: 'success' });
    expect(jobError(await run(instance('other', { diskTemplate: 'ext' })))).toEqual({
      message: "Missing provider for template 'ext'",
      code: 'unknown_entity',
    });
  });

  it('go to groups their network is connected to', async () => {
    await start({ groups: ['one', 'two'], nodes: 4 });
    await run(createNetwork({ name: 'net', network: '10.0.0.0/24', conflictsCheck: false, tags: [] }));
    await run(connectNetwork({ network: 'net', group: 'two', mode: 'bridged', link: 'br7', conflictsCheck: false }));
    await run(instance('vm'));
    const placed = await client.getInstance('vm');
    expect(placed?.nics[0]).toMatchObject({ link: 'br7' });
    const node = (await client.listNodes()).find(({ name }) => name === placed?.primaryNode);
    const sibling = (await client.listNodes()).filter(({ groupUuid }) => groupUuid === node?.groupUuid);
    expect(sibling).toHaveLength(2);
  });

  it('find no address in a full pool', async () => {
    await start();
    await addNetwork('10.0.0.0/30');
    const jobs = [];
    for (const name of ['a', 'b', 'c']) jobs.push(await run(instance(name)));
    expect(jobs.map(({ status }) => status)).toEqual(['success', 'success', 'error']);
    expect(jobError(jobs[2] as GanetiJob)).toEqual({
      message: 'Unable to get a free IP for NIC 0 from the address pool',
      code: 'wrong_state',
    });
  });
});

describe('the queue', () => {
  it('runs one job at a time on an instance, and at most 20 in all', async () => {
    await start({ speed: 20 });
    await addNetwork();
    await run(instance('vm', { osParameters: { progress_step_seconds: '0' } }));
    const ids: number[] = [];
    const seen = { rebooting: 0, started: 0 };
    const watch = setInterval(() => {
      const active = simulator.cluster.jobs().filter(({ status }) => status === 'running' || status === 'waiting');
      const rebooting = active.filter(({ status, op }) => status === 'running' && op.OP_ID === 'OP_INSTANCE_REBOOT');
      seen.rebooting = Math.max(seen.rebooting, rebooting.length);
      seen.started = Math.max(seen.started, active.length);
    }, 1);
    for (let time = 0; time < 12; time += 1) ids.push(await submit(rebootInstance('vm', 'hard')));
    for (let time = 0; time < 15; time += 1) ids.push(await submit(instance(`vm${time}`)));
    for (const id of ids) await finished(id);
    clearInterval(watch);
    expect(seen.rebooting).toBe(1);
    expect(seen.started).toBeGreaterThan(5);
    expect(seen.started).toBeLessThanOrEqual(20);
  });

  it('cancels a job that waits for a lock, after a while', async () => {
    await start({ speed: 20 });
    await addNetwork();
    const build = await submit(instance('vm'));
    await until(build, 'running');
    // Both are looked up before the instance exists if they come too early.
    while ((await client.getInstance('vm')) === null);
    const waiting = await submit(rebootInstance('vm', 'hard'));
    await until(waiting, 'waiting');
    expect(await client.cancelJob(waiting)).toEqual({ canceled: true, message: 'Job successfully cancelled' });
    const job = await client.getJob(waiting);
    expect(job).toMatchObject({ status: 'canceled', opResult: ['Job canceled by request'] });
    expect(job && jobError(job)).toEqual({ message: 'Job canceled by request', code: null });
    expect(await finished(build)).toMatchObject({ status: 'success' });
  });

  it('reads a negative dependency as a distance', async () => {
    await start();
    await run(deleteInstance('none'));
    // The client refuses to send it; the opcode is what a careless one would have made.
    const job = await run({ ...startupInstance('none'), body: { depends: [[-1, ['success']]] } });
    expect(jobError(job)?.message).toMatch(/^Dependency job 1 finished with status 'error'/);
  });

  it('fails jobs on demand', async () => {
    await start();
    await addNetwork();
    await simulator.faults.set({
      jobError: { opcode: 'OP_INSTANCE_CREATE', times: 1, message: 'no nodes', code: 'temp_insufficient_resources' },
    });
    expect(jobError(await run(instance('vm')))).toEqual({ message: 'no nodes', code: 'temp_insufficient_resources' });
    expect(await run(instance('vm'))).toMatchObject({ status: 'success' });
  });
});

describe('users', () => {
  it('without the write option only read', async () => {
    await start({
      accounts: [
        { username: 'reader', password: 'r', access: ['read'] },
        { username: 'none', password: 'n', access: [] },
      ],
    });
    const reader = clientAs('reader', 'r');
    expect(await reader.lastJobId()).toBe(0);
    await expect(reader.submit(startupInstance('x'), { reason: 'unit' })).rejects.toMatchObject({
      kind: 'rejected',
      reason: 'forbidden',
      status: 403,
    });
    const none = clientAs('none', 'n');
    expect(await none.listGroups()).toEqual([{ name: 'default' }]);
    await expect(none.lastJobId()).rejects.toMatchObject({ reason: 'forbidden' });
    await reader.close();
    await none.close();
  });
});

describe('load', () => {
  it('lists thousands of instances, and builds the next', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'simulator-'));
    try {
      await start({ dataDir, nodeMemoryMiB: 4 * 1024 * 1024 });
      await addNetwork();
      await run(instance('vm', { osParameters: { progress_step_seconds: '0' } }));
      await client.close();
      await simulator.close();
      await multiplyInstance(join(dataDir, 'journal.ndjson'), 5_000);

      await start({ dataDir });
      const before = performance.now();
      const instances = await client.listInstances();
      expect(performance.now() - before).toBeLessThan(10_000);
      expect(instances).toHaveLength(5_001);
      expect(new Set(instances.map(({ nics }) => nics[0]?.ip)).size).toBe(5_001);
      expect(await run(instance('next', { osParameters: { progress_step_seconds: '0' } }))).toMatchObject({
        status: 'success',
      });
      expect((await client.getNetwork('net'))?.instances).toHaveLength(5_002);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });
});

/** Writes copies of a journal's last instance, each with its own names and address. */
async function multiplyInstance(journal: string, copies: number): Promise<void> {
  const lines = (await readFile(journal, 'utf8')).trim().split('\n');
  const last = JSON.parse(lines.findLast((line) => line.startsWith('{"instance":')) ?? '{}') as {
    instance: SimInstance;
  };
  const made = Array.from({ length: copies }, (_, index) => {
    const [nic] = last.instance.nics;
    const ip = `10.0.${Math.floor(index / 250) + 1}.${(index % 250) + 1}`;
    return JSON.stringify({
      instance: {
        ...last.instance,
        name: `copy${index}`,
        uuid: randomUUID(),
        nics: [{ ...nic, uuid: randomUUID(), ip }],
      },
    });
  });
  await appendFile(journal, `${made.join('\n')}\n`);
}

async function until(id: number, status: string): Promise<void> {
  while ((await client.getJob(id))?.status !== status) await new Promise((resolve) => setTimeout(resolve, 2));
}
