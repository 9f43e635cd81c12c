import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../../src/graphql/global-id.ts';
import { createWorld, seed, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await seed(world, 1);
});
afterAll(() => world.close());

const ERROR = '__typename ... on UserError { message code path retryable }';
const CREATE = `mutation Create($input: CreateVirtualMachineInput!) { createVirtualMachine(input: $input) { ${ERROR}
  ... on CreateVirtualMachineSuccess {
    isReplayed
    virtualMachine { id name operState task buildPercentage backend { name } flavor { cpu } image { name }
      nics { index ipv4 state network { name } } currentOperation { id }
      buildProgress { phase percentage message updatedAt } lastJob { jobId } changes { nodes { version changes { field from to } operation { id } } } }
    operation { id kind status actor idempotencyKey version error { code } submittedAt finalizedAt virtualMachine { name } network { name }
      jobs { step role opcode status jobId backend { name } log { message } } claims { resource mode } }
  } } }`;

const input = (name: string, more: object = {}) => ({
  name,
  flavorId: encodeGlobalId('Flavor', 1),
  imageId: encodeGlobalId('Image', 1),
  networks: [{ networkId: encodeGlobalId('Network', 2) }],
  ...more,
});

describe('createVirtualMachine', () => {
  it('answers with the machine, its open operation, planned jobs and claims', async () => {
    const { data, errors } = await world.run(CREATE, { input: input('ünicode ✓', { idempotencyKey: 'k1' }) });
    expect(errors).toBeUndefined();
    const { virtualMachine, operation, isReplayed } = data.createVirtualMachine;
    expect(isReplayed).toBe(false);
    expect(virtualMachine).toMatchObject({
      name: 'ünicode ✓',
      operState: 'BUILD',
      task: 'BUILDING',
      buildPercentage: 0,
      backend: { name: 'one' },
      nics: [{ index: 0, state: 'BUILD', network: { name: 'back' } }],
      currentOperation: { id: operation.id },
      buildProgress: { phase: 'QUEUED', percentage: 0, message: null },
      lastJob: null,
    });
    expect(virtualMachine.changes.nodes[0]).toMatchObject({ version: 1, operation: { id: operation.id } });
    expect(operation).toMatchObject({
      kind: 'createVirtualMachine',
      status: 'ADMITTED',
      actor: 'local',
      idempotencyKey: 'k1',
      error: null,
      finalizedAt: null,
      virtualMachine: { name: 'ünicode ✓' },
    });
    expect(operation.jobs.at(-1)).toMatchObject({
      role: 'create',
      status: null,
      jobId: null,
      backend: { name: 'one' },
      log: [],
    });
    expect(operation.claims.map(({ mode }: { mode: string }) => mode)).toContain('EXCLUSIVE');
  });

  it('is replayed under the same key, and refused with another input', async () => {
    const again = await world.run(CREATE, { input: input('ünicode ✓', { idempotencyKey: 'k1' }) });
    expect(again.data.createVirtualMachine).toMatchObject({ isReplayed: true, virtualMachine: { name: 'ünicode ✓' } });
    const other = await world.run(CREATE, { input: input('other', { idempotencyKey: 'k1' }) });
    expect(other.data.createVirtualMachine).toMatchObject({
      __typename: 'IdempotencyKeyReused',
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('shows addresses in use in the counts of the network, for many networks in one statement', async () => {
    const document = '{ networks { nodes { name totalAddresses freeAddresses reservedAddresses } } }';
    let answer: Awaited<ReturnType<World['run']>> | undefined;
    const statements = await world.statements(async () => {
      answer = await world.run(document);
    });
    expect(statements).toHaveLength(3);
    const [front, back] = answer?.data.networks.nodes ?? [];
    expect(front).toEqual({ name: 'front', totalAddresses: 65536, reservedAddresses: 3, freeAddresses: 65533 });
    expect(back).toEqual({ name: 'back', totalAddresses: 256, reservedAddresses: 3, freeAddresses: 252 });
  });
});

describe('actions', () => {
  const START = `mutation Start($input: StartVirtualMachineInput!) { startVirtualMachine(input: $input) { ${ERROR}
    ... on ResourceBusy { resource mode blockingOperation { kind status } conflicts { resource blockingOperation { kind } } } } }`;

  it('are refused with the blocker while something else is at work', async () => {
    const { data } = await world.run('{ virtualMachines(filter: { operState: [BUILD] }) { nodes { id } } }');
    const [{ id }] = data.virtualMachines.nodes;
    const busy = await world.run(START, { input: { id } });
    expect(busy.data.startVirtualMachine).toMatchObject({
      __typename: 'ResourceBusy',
      retryable: true,
      mode: 'EXCLUSIVE',
      blockingOperation: { kind: 'createVirtualMachine', status: 'ADMITTED' },
      conflicts: [{ blockingOperation: { kind: 'createVirtualMachine' } }],
    });
  });

  it('are refused in the wrong state and for what is not there', async () => {
    const started = await world.run(START, { input: { id: encodeGlobalId('VirtualMachine', 1) } });
    expect(started.data.startVirtualMachine).toMatchObject({ __typename: 'InvalidState' });
    const missing = await world.run(START, { input: { id: encodeGlobalId('VirtualMachine', 999) } });
    expect(missing.data.startVirtualMachine).toMatchObject({ __typename: 'NotFound', path: ['id'] });
  });

  it('that need no job are done at once', async () => {
    const drain = await world.run(
      `mutation Drain($id: ID!) { drainNetwork(input: { id: $id }) { ... on DrainNetworkSuccess { network { isDrained version } } } }`,
      { id: encodeGlobalId('Network', 1) },
    );
    expect(drain.data.drainNetwork).toEqual({ network: { isDrained: true, version: 2 } });
    const offline = await world.run(
      `mutation Off($id: ID!) { setBackendOffline(input: { id: $id }) { ... on SetBackendOfflineSuccess { backend { isOffline } } } }`,
      { id: encodeGlobalId('Backend', 1) },
    );
    expect(offline.data.setBackendOffline).toEqual({ backend: { isOffline: true } });
  });
});

describe('the catalog', () => {
  it('keeps secret parameters to itself', async () => {
    const { data } = await world.run(
      `mutation Image($input: CreateImageInput!) { createImage(input: $input) { ${ERROR} ... on CreateImageSuccess {
        image { name osParameters secretParameters } } } }`,
      {
        input: {
          name: 'secretive',
          osType: 'noop',
          osParameters: { size: '1', key: 'hush-hush' },
          secretParameters: ['key'],
        },
      },
    );
    expect(data.createImage.image).toEqual({
      name: 'secretive',
      osParameters: { size: '1' },
      secretParameters: ['key'],
    });
    expect(JSON.stringify(data)).not.toContain('hush-hush');
  });

  it('hides what was withdrawn from lists', async () => {
    const create = `mutation { createFlavor(input: { cpu: 2, memoryMiB: 512, diskGiB: 1, diskTemplate: "plain" }) { ... on CreateFlavorSuccess { flavor { id } } } }`;
    const { id } = (await world.run(create)).data.createFlavor.flavor;
    const remove =
      'mutation D($id: ID!) { deleteFlavor(input: { id: $id }) { __typename ... on DeleteFlavorSuccess { flavor { id deletedAt } } } }';
    expect((await world.run(remove, { id })).data.deleteFlavor.flavor.deletedAt).toEqual(expect.any(String));
    expect((await world.run(remove, { id })).data.deleteFlavor.__typename).toBe('NotFound');
    const ids = async (filter: string) =>
      (await world.run(`{ flavors(filter: ${filter}) { nodes { id } } }`)).data.flavors.nodes.map(
        (node: { id: string }) => node.id,
      );
    expect(await ids('{}')).not.toContain(id);
    expect(await ids('{ includeDeleted: true }')).toContain(id);
  });
});

describe('what else is asked', () => {
  it('is who asks, and how the clusters are', async () => {
    const { data, errors } = await world.run(
      '{ viewer { id name isAdmin } health { clusters { name reachable lastSeenAt backend { id } } setAsideJobs { jobId } warnings } }',
    );
    expect(errors).toBeUndefined();
    expect(data.viewer).toEqual({ id: 'local', name: 'Local administrator', isAdmin: true });
    expect(data.health.clusters).toEqual([
      { name: 'one', reachable: true, lastSeenAt: null, backend: { id: encodeGlobalId('Backend', 1) } },
    ]);
  });

  it('a cluster with its lists', async () => {
    const { data, errors } = await world.run(
      `{ backends { nodes { name health { reachable } createDefaults virtualMachines(first: 1) { totalCount } jobs { nodes { jobId } }
         networks { nodes { operState network { name } missingGroups lastJob { jobId } } } operations { totalCount } } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.backends.nodes[0]).toMatchObject({
      virtualMachines: { totalCount: 2 },
      jobs: { nodes: [] },
      networks: { nodes: [{ operState: 'PENDING', network: { name: 'back' } }] },
      operations: { totalCount: 1 },
    });
  });
});
