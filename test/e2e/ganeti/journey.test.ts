import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServerIdentity, fingerprintOf } from '../../../src/simulator/index.ts';
import { type ContractTarget, openTarget } from '../../contract/target.ts';
import { expectType, TestClient, type Transport } from '../../support/client.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import * as documents from '../../support/graphql/graphql.ts';
import { startTestProduct, type TestProduct } from '../../support/product.ts';

// A new user's way through the product, from outside, on a cluster that the target names: unchanged on the simulator
// (npm test) and on a real Ganeti (npm run test:ganeti).
let target: ContractTarget;
let closeTarget: () => Promise<void>;
let db: TestDatabase;
let product: TestProduct;
let client: TestClient;
const SECRET = 'an-image-password-that-nobody-may-see';
const ids = { backend: '', flavor: '', image: '', failing: '', network: '', machine: '' };

beforeAll(async () => {
  ({ target, close: closeTarget } = await openTarget());
  db = await createTestDatabase();
  product = await startTestProduct(db.url, {
    SIMULATED_CLUSTERS: '0',
    CALLBACK_LISTEN: `${target.callbackHost}:0`,
    RAPI_TIMEOUT_MS: '15000',
    SETTLE_MS: '20000',
    POLL_BUSY_MS: '300',
  });
  client = new TestClient(product.url);
});

afterAll(async () => {
  await product.close();
  await db.drop();
  await closeTarget();
});

function backendInput(changes: object = {}) {
  return {
    name: 'the cluster',
    endpoints: [target.url],
    username: target.username,
    password: target.password,
    certificateFingerprint: target.fingerprint,
    ...changes,
  };
}

async function addBackend(changes: object = {}) {
  return (await client.request(documents.AddBackendDocument, { input: backendInput(changes) })).addBackend;
}

/** Watches an operation to its end. @returns its statuses in order */
async function untilEnded(id: string, transport: Transport = 'graphql-ws') {
  const statuses: string[] = [];
  for await (const { operationChanged } of client.subscribe(transport, documents.WatchOperationDocument, { id })) {
    const { status } = operationChanged.operation ?? { status: 'GONE' };
    if (statuses.at(-1) !== status) statuses.push(status);
    if (['SUCCESS', 'ERROR', 'CANCELED', 'INDETERMINATE', 'GONE'].includes(status)) break;
  }
  return statuses;
}

async function machine(id = ids.machine) {
  return (await client.request(documents.VirtualMachineDocument, { id })).virtualMachine;
}

describe('adding a cluster', () => {
  it.each([
    ['a wrong password', { password: 'not-the-password' }, 'BackendAuthenticationFailed', ['password']],
    [
      'a wrong fingerprint',
      { certificateFingerprint: 'ab'.repeat(32) },
      'BackendCertificateMismatch',
      ['certificateFingerprint'],
    ],
    ['a host where nobody listens', { endpoints: ['https://127.0.0.1:9'] }, 'BackendUnreachable', ['endpoints']],
  ])('%s is refused, and said which', async (_, changes, type, path) => {
    expect(await addBackend(changes)).toMatchObject({ __typename: type, path });
    expect(await db.prisma.backend.count()).toBe(0);
  });

  it('something that is no Ganeti is refused as such', async () => {
    const identity = createServerIdentity();
    const stranger = createServer({ key: identity.keyPem, cert: identity.certificatePem }, (_request, response) => {
      response.setHeader('content-type', 'text/html').end('<h1>It works!</h1>');
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    const changes = { endpoints: [`https://127.0.0.1:${port}`], certificateFingerprint: fingerprintOf(identity) };
    expect(await addBackend(changes)).toMatchObject({ __typename: 'NotAGanetiCluster' });
    stranger.closeAllConnections();
    await new Promise((resolve) => stranger.close(resolve));
  });

  it('the right ones are taken, once', async () => {
    const added = expectType(await addBackend(), 'AddBackendSuccess');
    ids.backend = added.backend.id;
    expect(added.backend.health.reachable).toBe(true);
    expect(await addBackend({ name: 'the same under another name' })).toMatchObject({
      __typename: 'NameTaken',
      path: ['endpoints'],
    });
  });
});

describe('building a virtual machine', () => {
  it('needs a flavor, an image and a network', async () => {
    const flavor = await client.request(documents.CreateFlavorDocument, {
      input: { cpu: 1, memoryMiB: 256, diskGiB: 1, diskTemplate: target.diskTemplate },
    });
    ids.flavor = expectType(flavor.createFlavor, 'CreateFlavorSuccess').flavor.id;
    const image = async (name: string, osParameters: Record<string, string>) =>
      expectType(
        (
          await client.request(documents.CreateImageDocument, {
            input: {
              name,
              osType: target.osName,
              osParameters,
              secretParameters: ['img_password'],
              progressParameter: 'progress_url',
            },
          })
        ).createImage,
        'CreateImageSuccess',
      ).image.id;
    ids.image = await image('lab image', { img_password: SECRET });
    ids.failing = await image('lab image that fails', { img_password: SECRET, fail: 'yes' });
    const network = await client.request(documents.CreateNetworkDocument, {
      input: { name: 'journey', flavor: 'CUSTOM', subnet: '10.55.0.0/24', gateway: '10.55.0.1' },
    });
    const created = expectType(network.createNetwork, 'CreateNetworkSuccess');
    expect(created.operation.status).toBe('SUCCESS');
    ids.network = created.network.id;
  });

  it('is live: percentages with their phase rise to 100 and STARTED, over both transports alike', async () => {
    const all = client.subscribe('graphql-ws', documents.WatchVirtualMachinesDocument, {});
    const created = await create('web', ids.image);
    ids.machine = created.virtualMachine.id;
    const follow = async (transport: Transport) => {
      const events: { percentage: number; phase: string; operState: string }[] = [];
      for await (const { buildProgress } of client.subscribe(transport, documents.BuildProgressDocument, {
        virtualMachineId: ids.machine,
      })) {
        events.push(buildProgress);
      }
      return events;
    };
    const streams = await Promise.all([follow('graphql-ws'), follow('SSE'), untilEnded(created.operation.id)]);
    for (const events of streams.slice(0, 2) as { percentage: number; phase: string; operState: string }[][]) {
      const percentages = events.map((event) => event.percentage);
      expect(percentages).toEqual([...percentages].sort((a, b) => a - b));
      expect(new Set(percentages).size).toBeGreaterThan(4);
      expect(events.some((event) => event.phase === 'IMAGE' && event.percentage > 5 && event.percentage < 100)).toBe(
        true,
      );
      expect(events.at(-1)).toMatchObject({ percentage: 100, operState: 'STARTED' });
    }
    expect(streams[2]?.at(-1)).toBe('SUCCESS');
    const seen: string[] = [];
    for await (const { virtualMachinesChanged: event } of all) {
      if (event.virtualMachine?.id !== ids.machine) continue;
      seen.push(event.kind);
      if (event.changes.some((change) => change.field === 'operState' && change.to === 'STARTED')) break;
    }
    expect(new Set(seen)).toEqual(new Set(['CHANGE']));
  });

  it('leaves a machine with address and MAC, its jobs and its log', async () => {
    const built = await machine();
    expect(built).toMatchObject({
      operState: 'STARTED',
      task: null,
      buildPercentage: 100,
      currentOperation: null,
      lastJob: { opcode: 'OP_INSTANCE_CREATE', status: 'SUCCESS' },
    });
    expect(built?.nics).toMatchObject([{ state: 'ACTIVE', ipv4: '10.55.0.2', mac: expect.stringMatching(/^aa:00:0/) }]);
    expect(built?.diagnostics.nodes.map((diagnostic) => diagnostic.source)).toContain('labimage');
    const { operations } = await client.request(documents.OperationHistoryDocument, { first: 1 });
    const operation = operations.nodes[0];
    expect(operation).toMatchObject({ kind: 'createVirtualMachine', status: 'SUCCESS', claims: [] });
    expect(operation?.jobs.map((job) => job.opcode)).toEqual([
      'OP_NETWORK_ADD',
      'OP_NETWORK_CONNECT',
      'OP_INSTANCE_CREATE',
    ]);
    const lines: string[] = [];
    for await (const { operationLog } of client.subscribe('SSE', documents.OperationLogDocument, {
      id: operation?.id ?? '',
    }))
      lines.push(operationLog.message);
    expect(lines).toContain('* running the instance OS create scripts...');
    expect(lines.at(-1)).toMatch(/starting instance/);
  });

  it('refuses to start what runs, and stores nothing', async () => {
    const before = await db.prisma.operation.count();
    const answer = await client.request(documents.StartVirtualMachineDocument, { input: { id: ids.machine } });
    expect(answer.startVirtualMachine).toMatchObject({ __typename: 'InvalidState', path: ['id'] });
    expect(await db.prisma.operation.count()).toBe(before);
  });
});

describe('a deployer that reports nothing', () => {
  it('is followed by the job’s log: phases in order, never falling, to 100', async () => {
    const answer = await client.request(documents.CreateImageDocument, {
      input: { name: 'silent image', osType: target.osName },
    });
    const image = expectType(answer.createImage, 'CreateImageSuccess').image.id;
    const created = await create('silent', image);
    const events: { percentage: number; phase: string; operState: string }[] = [];
    for await (const { buildProgress } of client.subscribe('graphql-ws', documents.BuildProgressDocument, {
      virtualMachineId: created.virtualMachine.id,
    })) {
      events.push(buildProgress);
    }
    const percentages = events.map((event) => event.percentage);
    expect(percentages).toEqual([...percentages].sort((a, b) => a - b));
    expect(events.some((event) => event.phase === 'IMAGE' && event.percentage >= 40)).toBe(true);
    expect(events.at(-1)).toMatchObject({ percentage: 100, operState: 'STARTED' });
    await untilEnded(created.operation.id);
    await remove(created.virtualMachine.id);
  });
});

describe('its life', () => {
  it('shuts down, starts, reboots soft and hard', async () => {
    const shutDown = await client.request(documents.ShutdownVirtualMachineDocument, { input: { id: ids.machine } });
    await ends(expectType(shutDown.shutdownVirtualMachine, 'ShutdownVirtualMachineSuccess').operation.id, 'STOPPED');
    const started = await client.request(documents.StartVirtualMachineDocument, { input: { id: ids.machine } });
    await ends(expectType(started.startVirtualMachine, 'StartVirtualMachineSuccess').operation.id, 'STARTED');
    for (const type of ['SOFT', 'HARD'] as const) {
      const rebooted = await client.request(documents.RebootVirtualMachineDocument, {
        input: { id: ids.machine, type },
      });
      await ends(expectType(rebooted.rebootVirtualMachine, 'RebootVirtualMachineSuccess').operation.id, 'STARTED');
    }
  });

  it.each(['graphql-ws', 'SSE'] as const)(
    'is told again after a drop, nothing missed and nothing doubled, over %s',
    async (transport) => {
      const first = client.subscribe(transport, documents.WatchVirtualMachineDocument, { id: ids.machine });
      const snapshot = (await first.next()).value as documents.WatchVirtualMachineSubscription;
      await first.return?.();
      const { cursor, version } = snapshot.virtualMachineChanged;
      expect(snapshot.virtualMachineChanged.kind).toBe('SNAPSHOT');

      const rebooted = await client.request(documents.RebootVirtualMachineDocument, { input: { id: ids.machine } });
      await ends(expectType(rebooted.rebootVirtualMachine, 'RebootVirtualMachineSuccess').operation.id, 'STARTED');
      const now = (await machine())?.version ?? 0;
      const versions: number[] = [];
      for await (const { virtualMachineChanged: event } of client.subscribe(
        transport,
        documents.WatchVirtualMachineDocument,
        { id: ids.machine, after: cursor },
      )) {
        expect(event.kind).toBe('CHANGE');
        versions.push(event.version);
        if (event.version >= now) break;
      }
      expect(versions).toEqual(Array.from({ length: now - version }, (_, at) => version + 1 + at));
    },
  );

  it('a build that fails ends in ERROR, says why, keeps its address, and is deleted', async () => {
    const created = await create('broken', ids.failing);
    expect((await untilEnded(created.operation.id, 'SSE')).at(-1)).toBe('ERROR');
    const broken = await machine(created.virtualMachine.id);
    expect(broken).toMatchObject({ operState: 'ERROR', task: null, nics: [{ state: 'ERROR', ipv4: '10.55.0.3' }] });
    expect(broken?.buildPercentage).toBeLessThan(100);
    expect(broken?.diagnostics.nodes[0]).toMatchObject({
      level: 'ERROR',
      message: expect.stringContaining('OS create script failed'),
    });
    await remove(created.virtualMachine.id);
  });

  it('is deleted, and nothing is left', async () => {
    await remove(ids.machine);
    expect(await machine()).toMatchObject({ operState: 'DESTROYED', deletedAt: expect.any(String) });
    expect(await db.prisma.address.count()).toBe(0);
    await expectNoClaims(db.pool);
    expect(await db.prisma.setAsideJob.count()).toBe(0);
  });

  it('nobody saw a secret: not in the log, not in any row', async () => {
    const { rows } = await db.pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    const dumps = await Promise.all(
      rows.map(({ name }) => db.pool.query<{ text: string }>(`SELECT to_jsonb(t)::text AS text FROM "${name}" t`)),
    );
    const texts = [...product.log, ...dumps.flatMap((dump) => dump.rows.map((row) => row.text))];
    expect(texts.length).toBeGreaterThan(100);
    for (const secret of [SECRET, target.password, /\/progress\/[0-9a-f-]{36}\.[0-9a-f]{8,}/]) {
      const leaks = texts.filter((text) => (typeof secret === 'string' ? text.includes(secret) : secret.test(text)));
      expect(leaks, `${secret} leaked`).toEqual([]);
    }
  });
});

async function create(name: string, imageId: string) {
  const answer = await client.request(documents.CreateVirtualMachineDocument, {
    input: { name, flavorId: ids.flavor, imageId, networks: [{ networkId: ids.network }] },
  });
  return expectType(answer.createVirtualMachine, 'CreateVirtualMachineSuccess');
}

async function ends(operationId: string, operState: string): Promise<void> {
  expect((await untilEnded(operationId)).at(-1)).toBe('SUCCESS');
  expect(await machine()).toMatchObject({ operState, task: null });
}

async function remove(id: string): Promise<void> {
  const answer = await client.request(documents.DeleteVirtualMachineDocument, { input: { id } });
  expect(
    (await untilEnded(expectType(answer.deleteVirtualMachine, 'DeleteVirtualMachineSuccess').operation.id)).at(-1),
  ).toBe('SUCCESS');
}
