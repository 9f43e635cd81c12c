import { describe, expect, it } from 'vitest';
import {
  ANY_FINAL_STATUS,
  asDryRun,
  type CreateInstanceSpec,
  connectNetwork,
  createInstance,
  createNetwork,
  deleteInstance,
  deleteNetwork,
  disconnectNetwork,
  type GanetiRequest,
  GanetiRequestError,
  isAscii,
  rebootInstance,
  shutdownInstance,
  startupInstance,
} from '../../../src/ganeti/index.ts';
import { recorded } from './fixture.ts';

const SPEC: CreateInstanceSpec = {
  name: 'snf-1',
  osType: 'labimage+default',
  diskTemplate: 'file',
  disks: [{ sizeMiB: 1024 }],
  nics: [{ network: 'snf-net-1', ip: 'pool', name: 'snf-nic-1' }],
  vcpus: 1,
  memoryMiB: 256,
  osParameters: { img_id: 'debian', img_format: 'diskdump', step: '0.1' },
  start: true,
  opportunisticLocking: true,
};

describe('a builder', () => {
  const network = { network: 'snf-net-1', group: 'default' };
  it.each<[string, GanetiRequest]>([
    ['09', createInstance(SPEC)],
    [
      '17',
      createInstance({
        ...SPEC,
        name: 'snf-4',
        nics: [{ network: 'snf-net-1', ip: '10.0.0.77', name: 'snf-nic-4' }],
        start: false,
      }),
    ],
    [
      '04',
      createNetwork({
        name: 'snf-net-1',
        network: '10.0.0.0/24',
        gateway: '10.0.0.1',
        macPrefix: 'aa:00:01',
        conflictsCheck: false,
        tags: ['nfdhcpd', 'private'],
      }),
    ],
    ['07', connectNetwork({ ...network, mode: 'bridged', link: 'br0', conflictsCheck: false })],
    ['18', shutdownInstance('snf-1', { timeoutS: 0 })],
    ['19', startupInstance('snf-1')],
    ['20', rebootInstance('snf-1', 'soft')],
    ['21', rebootInstance('snf-1', 'hard')],
    ['42', deleteInstance('snf-1')],
    ['43', disconnectNetwork(network)],
    ['44', deleteNetwork('snf-net-1')],
  ])('makes recording %s', (name, request) => {
    const { request: sent, job } = recorded(name);
    expect(request.method).toBe(sent.method);
    const [path = '', query = ''] = sent.path.split('?');
    expect(request.path).toBe(path);
    const type = new URLSearchParams(query).get('type');
    expect(request.query).toEqual(type === null ? undefined : { type });
    // `start` is Ganeti's default; we always say it.
    const start = path === '/2/instances' ? { start: true } : {};
    expect(request.body).toEqual(sent.body === undefined ? undefined : { ...start, ...sent.body });
    expect(job?.ops).toMatchObject([{ OP_ID: request.opcode }]);
  });

  it('leaves out what is not asked for', () => {
    expect(deleteInstance('a', { shutdownTimeoutS: 5 }).body).toEqual({ shutdown_timeout: 5 });
    expect(shutdownInstance('a').body).toBeUndefined();
    const { body } = createInstance({ ...SPEC, nics: [{ network: 'n', ip: null, name: 'x' }] });
    expect(body?.nics).toEqual([{ network: 'n', name: 'x' }]);
  });

  it('is plain JSON', () => {
    const request = createInstance(SPEC);
    expect(JSON.parse(JSON.stringify(request))).toEqual(request);
    expect(ANY_FINAL_STATUS).toEqual(['success', 'error', 'canceled']);
  });

  it('can be made a rehearsal', () => {
    expect(asDryRun(rebootInstance('a', 'hard')).query).toEqual({ type: 'hard', 'dry-run': '1' });
  });
});

describe('create defaults', () => {
  const body = (extra: Record<string, unknown>) => createInstance({ ...SPEC, extra }).body ?? {};

  it('fill what the product leaves open, key by key', () => {
    expect(
      body({ wait_for_sync: false, beparams: { auto_balance: false, vcpus: 9 }, hvparams: { serial_console: false } }),
    ).toMatchObject({
      wait_for_sync: false,
      beparams: { auto_balance: false, vcpus: 1, memory: 256 },
      hvparams: { serial_console: false },
    });
    expect(body({ osparams: { img_id: 'other', more: 'x' } })).toMatchObject({
      osparams: { img_id: 'debian', more: 'x' },
    });
    expect(body({ tags: ['a'], opportunistic_locking: false })).toMatchObject({
      tags: ['a'],
      opportunistic_locking: true,
    });
  });

  it('override nothing the product owns, under any of its names', () => {
    const extra = {
      mode: 'import',
      name: 'x',
      instance_name: 'x',
      os: 'x',
      os_type: 'x',
      nics: [],
      disks: [],
      disk_template: 'plain',
      ip_check: true,
      name_check: true,
      start: false,
      reason: 'x',
      depends: [],
      dry_run: true,
    };
    expect(body(extra)).toEqual(createInstance(SPEC).body);
    expect(body({ beparams: { minmem: 1, maxmem: 2 } }).beparams).toEqual({
      auto_balance: true,
      vcpus: 1,
      memory: 256,
    });
  });

  it('that are no objects are refused', () => {
    expect(() => body({ beparams: [] })).toThrow(GanetiRequestError);
    expect(() => body({ osparams: { img_id: 1, other: 2 } })).toThrow(GanetiRequestError);
  });
});

describe('a builder refuses', () => {
  it.each([
    ['a name with a slash', () => startupInstance('a/b')],
    ['an empty name', () => startupInstance('')],
    ['a name that leaves the path', () => deleteNetwork('../instances/x?a=')],
    [
      'a name with a space',
      () => createNetwork({ name: 'bad name', network: '10.0.0.0/24', conflictsCheck: false, tags: [] }),
    ],
    ['a NIC name', () => createInstance({ ...SPEC, nics: [{ network: 'n', ip: null, name: 'a b' }] })],
    ['a group name', () => disconnectNetwork({ network: 'n', group: 'a b' })],
    ['a letter that is not ASCII in a name', () => startupInstance('snf-é')],
    ['one in a tag', () => createInstance({ ...SPEC, tags: ['né'] })],
    ['one in an OS parameter', () => createInstance({ ...SPEC, osParameters: { motd: 'grüße' } })],
    ['one in a key', () => createInstance({ ...SPEC, osParameters: { clé: 'x' } })],
    ['one in a default', () => createInstance({ ...SPEC, extra: { hvparams: { x: { y: ['ß'] } } } })],
    ['an OS parameter that is no text', () => createInstance({ ...SPEC, osParameters: { a: 1 as unknown as string } })],
  ])('%s', (_what, build) => {
    expect(build).toThrow(GanetiRequestError);
  });

  it('nothing that is ASCII', () => {
    expect(isAscii('a ~\u007f')).toBe(true);
    expect(isAscii('\u0080')).toBe(false);
  });
});
