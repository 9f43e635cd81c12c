import { execute, parse, validate } from 'graphql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LOCAL_ADMIN } from '../../../src/auth/viewer.ts';
import { encodeGlobalId } from '../../../src/graphql/global-id.ts';
import * as backends from '../../../src/modules/backend/backend.service.ts';
import * as services from '../../../src/modules/virtual-machine/virtual-machine.service.ts';
import * as errors from '../../../src/operations/user-error.ts';
import { schema } from '../../../src/schema.ts';

vi.mock(import('../../../src/modules/virtual-machine/virtual-machine.service.ts'), async (original) => ({
  ...(await original()),
  createVirtualMachine: vi.fn(),
}));
vi.mock(import('../../../src/modules/backend/backend.service.ts'), async (original) => ({
  ...(await original()),
  addBackend: vi.fn(),
}));

const create = vi.mocked(services.createVirtualMachine);
const add = vi.mocked(backends.addBackend);
afterEach(() => void vi.clearAllMocks());

const ERROR = '__typename ... on UserError { message code path retryable }';
const CREATE = `mutation Create($input: CreateVirtualMachineInput!) { createVirtualMachine(input: $input) { ${ERROR}
  ... on ResourceBusy { resource mode blockingOperation { id } conflicts { resource mode blockingOperation { id } } } } }`;
const ADD = `mutation Add($input: AddBackendInput!) { addBackend(input: $input) { ${ERROR} } }`;

async function run(source: string, input: object) {
  const document = parse(source);
  expect(validate(schema, document)).toEqual([]);
  const contextValue = { viewer: LOCAL_ADMIN, requestId: 'r', environment: {} };
  // biome-ignore lint/suspicious/noExplicitAny: what is in the data is asserted
  return (await execute({ schema, document, variableValues: { input }, contextValue })) as any;
}

const machine = {
  name: 'a',
  flavorId: encodeGlobalId('Flavor', 1),
  imageId: encodeGlobalId('Image', 1),
  networks: [{ networkId: encodeGlobalId('Network', 1) }],
};
const cluster = { name: 'a', endpoints: ['https://127.0.0.1:5080'], username: 'u', password: 'p' };

describe('an expected failure becomes the type of its class', () => {
  it.each([
    new errors.InvalidInput('m', ['name']),
    new errors.NotFound('m', ['flavorId']),
    new errors.InvalidState('m', ['networks', '0', 'networkId']),
    new errors.NameTaken('m', ['name']),
    new errors.IdempotencyKeyReused('m', ['idempotencyKey']),
    new errors.BackendUnavailable('m', ['backendId']),
    new errors.NoBackendFits('m'),
    new errors.PoolExhausted('m', ['networks', '0']),
    new errors.AddressInUse('m', ['networks', '0', 'ipv4']),
    new errors.Unsupported('m', ['networks', '0', 'firewallProfile']),
  ])('$name of createVirtualMachine', async (failure) => {
    create.mockRejectedValueOnce(failure);
    expect(await run(CREATE, machine)).toEqual({
      data: {
        createVirtualMachine: {
          __typename: failure.name,
          message: 'm',
          code: failure.code,
          path: failure.path,
          retryable: failure.retryable,
        },
      },
    });
  });

  it.each([
    new errors.BackendUnreachable('m', ['endpoints', '0']),
    new errors.BackendAuthenticationFailed('m', ['password']),
    new errors.BackendCertificateMismatch('m', ['certificateFingerprint']),
    new errors.NotAGanetiCluster('m', ['endpoints', '0']),
    new errors.NameTaken('m', ['name']),
  ])('$name of addBackend', async (failure) => {
    add.mockRejectedValueOnce(failure);
    const { data } = await run(ADD, cluster);
    expect(data.addBackend).toMatchObject({ __typename: failure.name, code: failure.code, path: failure.path });
  });

  it('ResourceBusy with its conflicts, the first repeated at the top', async () => {
    create.mockRejectedValueOnce(
      new errors.ResourceBusy([
        { resource: 'vm:7', mode: 'EXCLUSIVE', operationId: null },
        { resource: 'image:1', mode: 'SHARED', operationId: null },
      ]),
    );
    const { data } = await run(CREATE, machine);
    expect(data.createVirtualMachine).toEqual({
      __typename: 'ResourceBusy',
      message: 'Held: vm:7 (exclusive), image:1 (shared).',
      code: 'RESOURCE_BUSY',
      path: null,
      retryable: true,
      resource: 'vm:7',
      mode: 'EXCLUSIVE',
      blockingOperation: null,
      conflicts: [
        { resource: 'vm:7', mode: 'EXCLUSIVE', blockingOperation: null },
        { resource: 'image:1', mode: 'SHARED', blockingOperation: null },
      ],
    });
  });

  it('ResourceBusy without a conflict: too many at once', async () => {
    create.mockRejectedValueOnce(new errors.ResourceBusy([]));
    const { data } = await run(CREATE, machine);
    expect(data.createVirtualMachine).toMatchObject({ resource: 'contended', mode: 'EXCLUSIVE', conflicts: [] });
  });

  it('outside the union a top-level error with its code, never a wrong type', async () => {
    create.mockRejectedValueOnce(new errors.QuotaExceeded('m', ['flavorId']));
    const {
      data,
      errors: [error],
    } = await run(CREATE, machine);
    expect(data).toBeNull();
    expect(error).toMatchObject({ message: 'm', extensions: { code: 'QUOTA_EXCEEDED', path: ['flavorId'] } });
  });

  it('a bug stays a bug, for the server to mask', async () => {
    const bug = new TypeError('secret');
    create.mockRejectedValueOnce(bug);
    const {
      data,
      errors: [error],
    } = await run(CREATE, machine);
    expect(data).toBeNull();
    expect(error.originalError).toBe(bug);
  });
});

describe('what is refused before the service is asked', () => {
  const wrong = encodeGlobalId('Backend', 1);

  it.each([
    [{ ...machine, flavorId: wrong }, ['flavorId']],
    [{ ...machine, imageId: 'x' }, ['imageId']],
    [{ ...machine, backendId: encodeGlobalId('Flavor', 1) }, ['backendId']],
    [{ ...machine, networks: [...machine.networks, { networkId: wrong }] }, ['networks', '1', 'networkId']],
    [{ ...machine, name: 'a\0b' }, ['name']],
  ])('%j', async (input, path) => {
    const { data } = await run(CREATE, input);
    expect(data.createVirtualMachine).toMatchObject({ __typename: 'InvalidInput', code: 'INVALID_INPUT', path });
    expect(create).not.toHaveBeenCalled();
  });

  it('NUL within a JSON object, as key or value', async () => {
    for (const createDefaults of [{ a: ['\0'] }, { 'a\0': 1 }]) {
      const { data } = await run(ADD, { ...cluster, createDefaults });
      expect(data.addBackend.path[0]).toBe('createDefaults');
    }
    expect(add).not.toHaveBeenCalled();
  });
});

describe('what the service is given', () => {
  it('has the defaults, ids read', async () => {
    create.mockRejectedValueOnce(new errors.NotFound(''));
    await run(CREATE, { ...machine, start: null, backendId: encodeGlobalId('Backend', 3) });
    expect(create.mock.calls[0]?.[2]).toMatchObject({
      flavorId: 1,
      imageId: 1,
      backendId: 3,
      start: true,
      networks: [{ networkId: 1 }],
    });
    add.mockRejectedValueOnce(new errors.NotFound(''));
    await run(ADD, cluster);
    expect(add.mock.calls[0]?.[2]).toEqual({ ...cluster, isPublic: true, isDrained: false });
  });
});
