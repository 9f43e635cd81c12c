import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  connectNetwork,
  createInstance,
  createNetwork,
  GanetiClient,
  isFinal,
  jobError,
  startupInstance,
} from '../../../src/ganeti/index.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Description {
  url: string;
  username: string;
  password: string;
  fingerprint: string;
  controlUrl: string;
}

let folder: string;
let child: ChildProcess | null = null;
let client: GanetiClient | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulator-'));
});
afterEach(async () => {
  await kill();
  await rm(folder, { recursive: true });
});

async function start(): Promise<Description> {
  const flags = ['--json', '--data-dir', folder, '--speed', '50', '--control-port', '0'];
  child = spawn(process.execPath, ['--import', 'tsx', 'src/simulator/main.ts', ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('no output');
  const lines = createInterface(child.stdout);
  for await (const line of lines) {
    lines.close();
    const description = JSON.parse(line) as Description;
    const { url, username, password, fingerprint } = description;
    client = new GanetiClient({ endpoints: [url], username, password, tls: { fingerprint } });
    return description;
  }
  throw new Error('the simulator said nothing');
}

async function kill(): Promise<void> {
  await client?.close();
  const process = child;
  child = null;
  if (process === null || process.exitCode !== null) return;
  const ended = new Promise((resolve) => process.once('exit', resolve));
  process.kill('SIGKILL');
  await ended;
}

it('a cluster that is killed is there again, with what it told anybody', async () => {
  const before = await start();
  const rapi = client as GanetiClient;
  const submit = async (request: Parameters<GanetiClient['submit']>[0], parent?: number): Promise<number> =>
    rapi.submit(request, { reason: 'unit', ...(parent === undefined ? {} : { depends: [[parent, ['success']]] }) });
  const build = (name: string, step: string) =>
    createInstance({
      name,
      osType: 'simimage+default',
      diskTemplate: 'file',
      disks: [{ sizeMiB: 1024 }],
      nics: [{ network: 'net', ip: 'pool', name }],
      vcpus: 1,
      memoryMiB: 128,
      osParameters: { progress_step_seconds: step },
      start: true,
    });
  const network = await submit(
    createNetwork({ name: 'net', network: '10.0.0.0/24', gateway: '10.0.0.1', conflictsCheck: false, tags: ['t'] }),
  );
  const link = { network: 'net', group: 'default', mode: 'bridged', link: 'br0', conflictsCheck: false };
  const connected = await submit(connectNetwork(link), network);
  const done = await submit(build('done', '0'), connected);
  const slow = await submit(build('slow', '1000'), done);
  const queued = await submit(startupInstance('done'), slow);
  while ((await rapi.getInstance('slow')) === null) await new Promise((resolve) => setTimeout(resolve, 10));
  const instance = await rapi.getInstance('done');
  await kill();

  const after = await start();
  const again = client as GanetiClient;
  expect({ ...after, controlUrl: '' }).toEqual({ ...before, controlUrl: '' });
  expect(await again.getInstance('done')).toEqual(instance);
  expect((await again.getNetwork('net'))?.map?.slice(0, 5)).toBe('XXXX.');
  expect((await again.getNetwork('net'))?.groups).toHaveLength(1);
  expect(await again.getJob(done)).toMatchObject({ status: 'success' });
  const died = await again.getJob(slow);
  expect(died && jobError(died)).toEqual({ message: `Detected death of job ${slow}`, code: null });
  for (;;) {
    const job = await again.getJob(queued);
    if (job !== null && isFinal(job.status)) {
      expect(jobError(job)?.message).toMatch(/^Dependency job/);
      break;
    }
  }
  expect(await again.submit(startupInstance('done'), { reason: 'unit' })).toBe(queued + 1);
});

it('a cluster in another process does what the control endpoint says', async () => {
  const { controlUrl } = await start();
  const control = async (path: string, body: unknown = {}): Promise<unknown> => {
    const reply = await fetch(controlUrl + path, { method: 'POST', body: JSON.stringify(body) });
    return reply.json();
  };
  const rapi = client as GanetiClient;
  await control('/faults', { drained: true });
  await expect(rapi.submit(startupInstance('x'), { reason: 'unit' })).rejects.toMatchObject({
    reason: 'queue-drained',
  });
  await control('/faults', { down: true });
  await expect(rapi.getInfo()).rejects.toMatchObject({ reason: 'unreachable' });
  await control('/faults/clear');
  expect(await rapi.submit(startupInstance('x'), { reason: 'unit' })).toBe(1);
  expect(await control('/jobs')).toMatchObject([{ id: 1 }]);
  expect(await control('/crash-instance', { name: 'x' })).toEqual({ error: 'there is no instance x' });
  expect(await control('/nonsense')).toMatchObject({ error: expect.stringMatching(/^no such action/) });
});
