import { describe, expect, it } from 'vitest';
import { GanetiRequestError } from '../../../../src/ganeti/index.ts';
import { createVirtualMachineKind } from '../../../../src/modules/virtual-machine/operations/create.ts';
import { deleteVirtualMachineKind } from '../../../../src/modules/virtual-machine/operations/delete.ts';
import { rebootVirtualMachineKind } from '../../../../src/modules/virtual-machine/operations/reboot.ts';
import { shutdownVirtualMachineKind } from '../../../../src/modules/virtual-machine/operations/shutdown.ts';
import { startVirtualMachineKind } from '../../../../src/modules/virtual-machine/operations/start.ts';
import type { OperState } from '../../../../src/modules/virtual-machine/virtual-machine.rules.ts';
import type { MachineKeys, MachineSubject } from '../../../../src/modules/virtual-machine/virtual-machine-subject.ts';
import type { OperationKind } from '../../../../src/operations/operation-kind.ts';
import { recording } from '../../dispatcher/recorded.ts';
import { failure } from '../failure.ts';
import { COPY, NEW_COPY, SUBJECT } from './subject.ts';

const KEYS: MachineKeys = { virtualMachineId: 1, backendId: 3, imageId: 5, networkIds: [1, 2] };
const SECRETS = { progressUrl: 'http://127.0.0.1:4000/progress/token' };

type Kind = OperationKind<MachineKeys, MachineSubject>;
const ACTIONS: readonly Kind[] = [
  startVirtualMachineKind,
  shutdownVirtualMachineKind,
  rebootVirtualMachineKind,
  deleteVirtualMachineKind,
];

/** A request as it goes over the line, without the reason that `submit` adds. */
function sent(kind: Kind, role: string, subject = SUBJECT, parameters = {}) {
  const { method, path, query = {}, body } = kind.request(role, subject, parameters, SECRETS);
  const text = new URLSearchParams(query as Record<string, string>).toString();
  return { method, path: text === '' ? path : `${path}?${text}`, ...(body === undefined ? {} : { body }) };
}

/** A recorded request without its reason. */
function recorded(name: string) {
  const { path, ...request } = recording(name).request;
  return { ...request, path: path.replace(/[?&]reason=[^&]*/, '') };
}

describe('claims (6-claims, section 5)', () => {
  it('a create holds its machine, and shares cluster, image, networks and their copies', () => {
    expect([...createVirtualMachineKind.claims(KEYS)]).toEqual([
      ['vm:1', 'EXCLUSIVE'],
      ['backend:3', 'SHARED'],
      ['image:5', 'SHARED'],
      ['network:1', 'SHARED'],
      ['backendnetwork:1:3', 'SHARED'],
      ['network:2', 'SHARED'],
      ['backendnetwork:2:3', 'SHARED'],
    ]);
    expect(createVirtualMachineKind.locks(KEYS)).toEqual(['ippool:1', 'ippool:2']);
  });

  it.each(ACTIONS)('$name holds its machine and shares the cluster', (kind) => {
    expect([...kind.claims(KEYS)]).toEqual([
      ['vm:1', 'EXCLUSIVE'],
      ['backend:3', 'SHARED'],
    ]);
    expect(kind.locks(KEYS)).toEqual([]);
  });
});

describe('what a machine shows meanwhile', () => {
  it.each([
    [createVirtualMachineKind, 'BUILDING'],
    [startVirtualMachineKind, 'STARTING'],
    [shutdownVirtualMachineKind, 'STOPPING'],
    [rebootVirtualMachineKind, 'REBOOTING'],
    [deleteVirtualMachineKind, 'DESTROYING'],
  ] as const)('$name: %s', (kind, task) => {
    expect(kind.task).toBe(task);
  });
});

describe('who may do what, when (3-domain e1)', () => {
  const STATES: readonly OperState[] = ['BUILD', 'ERROR', 'STOPPED', 'STARTED', 'DESTROYED'];
  it.each<[kind: Kind, states: OperState[]]>([
    [startVirtualMachineKind, ['STOPPED']],
    [shutdownVirtualMachineKind, ['STARTED']],
    [rebootVirtualMachineKind, ['STOPPED', 'STARTED']],
    [deleteVirtualMachineKind, ['BUILD', 'ERROR', 'STOPPED', 'STARTED', 'DESTROYED']],
  ])('$name', (kind, states) => {
    const allows = (operState: OperState): boolean => {
      try {
        kind.allow({ ...SUBJECT, operState });
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_STATE', path: ['id'] });
        return false;
      }
    };
    expect(STATES.filter(allows)).toEqual(states);
  });

  it('a refusal says what the machine is and what it has to be', () => {
    expect(() => rebootVirtualMachineKind.allow({ ...SUBJECT, operState: 'ERROR' })).toThrow(
      'A virtual machine that is ERROR cannot be rebooted; it has to be STARTED or STOPPED.',
    );
  });

  it.each(ACTIONS)('$name: a deleted machine is not there', (kind) => {
    const subject = { ...SUBJECT, operState: 'STARTED' as const, isDeleted: true, isSuspended: true };
    expect(failure(() => kind.allow(subject))).toEqual({ code: 'NOT_FOUND', path: ['id'] });
  });

  it.each([startVirtualMachineKind, shutdownVirtualMachineKind, rebootVirtualMachineKind])(
    '$name: not while an administrator has suspended it',
    (kind) => {
      for (const operState of ['STARTED', 'STOPPED'] as const) {
        const subject = { ...SUBJECT, operState, isSuspended: true };
        expect(failure(() => kind.allow(subject))).toEqual({ code: 'INVALID_STATE', path: ['id'] });
      }
    },
  );
});

describe('the plan of an action', () => {
  it.each([
    [startVirtualMachineKind, 'OP_INSTANCE_STARTUP'],
    [shutdownVirtualMachineKind, 'OP_INSTANCE_SHUTDOWN'],
    [rebootVirtualMachineKind, 'OP_INSTANCE_REBOOT'],
    [deleteVirtualMachineKind, 'OP_INSTANCE_REMOVE'],
  ] as const)('$name is one job, which decides', (kind, opcode) => {
    expect(kind.plan(SUBJECT)).toEqual([{ role: kind.decidedBy, opcode, backendId: 3 }]);
    expect(kind.request(kind.decidedBy, SUBJECT, {}, SECRETS).opcode).toBe(opcode);
  });
});

describe('the plan of a create', () => {
  it('the create alone where the network is there', () => {
    expect(createVirtualMachineKind.plan(SUBJECT)).toEqual([
      { role: 'create', opcode: 'OP_INSTANCE_CREATE', backendId: 3, after: [], afterSteps: [] },
    ]);
  });

  it('decision 8: whoever inserts the copy adds it and connects each group first', () => {
    const copies = [{ ...NEW_COPY, missingGroups: ['default', 'rack:2'] }];
    const at = { backendId: 3, backendNetworkId: 11 };
    expect(createVirtualMachineKind.plan({ ...SUBJECT, copies })).toEqual([
      { ...at, role: 'add:1', opcode: 'OP_NETWORK_ADD' },
      { ...at, role: 'connect:1:default', opcode: 'OP_NETWORK_CONNECT', after: ['add:1'] },
      { ...at, role: 'connect:1:rack:2', opcode: 'OP_NETWORK_CONNECT', after: ['add:1'] },
      {
        role: 'create',
        opcode: 'OP_INSTANCE_CREATE',
        backendId: 3,
        after: ['add:1', 'connect:1:default', 'connect:1:rack:2'],
        afterSteps: [],
      },
    ]);
  });

  it('trap 28: a copy that another operation brings up is waited for, not added again', () => {
    const copies = [
      { ...NEW_COPY, openStepIds: ['step-a', 'step-b'] },
      { ...COPY, networkId: 2 },
    ];
    expect(createVirtualMachineKind.plan({ ...SUBJECT, copies })).toEqual([
      { role: 'create', opcode: 'OP_INSTANCE_CREATE', backendId: 3, after: [], afterSteps: ['step-a', 'step-b'] },
    ]);
  });

  it('every planned step has a request of its opcode, and a role of its own', () => {
    const copies = [NEW_COPY, { ...NEW_COPY, backendNetworkId: 12, networkId: 2, ganetiName: 'snf-net-2' }];
    const subject = { ...SUBJECT, copies };
    const steps = createVirtualMachineKind.plan(subject);
    expect(new Set(steps.map((step) => step.role)).size).toBe(5);
    for (const { role, opcode } of steps) {
      expect(createVirtualMachineKind.request(role, subject, {}, SECRETS).opcode).toBe(opcode);
    }
    expect(steps.at(-1)?.role).toBe(createVirtualMachineKind.decidedBy);
  });

  it.each(['add:9', 'connect:9:default', 'job', ''])(
    'the role %j, which is none of its, asks for nothing at all',
    (role) => {
      expect(() => createVirtualMachineKind.request(role, SUBJECT, {}, SECRETS)).toThrow(GanetiRequestError);
    },
  );
});

describe('requests as Ganeti took them', () => {
  it.each<[name: string, kind: Kind, role: string, parameters: object]>([
    ['04-network-add', createVirtualMachineKind, 'add:1', {}],
    ['07-network-connect', createVirtualMachineKind, 'connect:1:default', {}],
    ['19-startup', startVirtualMachineKind, 'job', {}],
    ['20-reboot-soft', rebootVirtualMachineKind, 'job', { type: 'SOFT' }],
    ['21-reboot-hard', rebootVirtualMachineKind, 'job', { type: 'HARD' }],
    ['42-remove', deleteVirtualMachineKind, 'job', {}],
  ])('%s', (name, kind, role, parameters) => {
    expect(sent(kind, role, SUBJECT, parameters)).toEqual(recorded(name));
  });

  it('18-shutdown, without the recorded timeout: the guest gets Ganeti’s own', () => {
    const { body: _timeout, ...request } = recorded('18-shutdown');
    expect(sent(shutdownVirtualMachineKind, 'job')).toEqual(request);
  });

  it('09-create-success, which left start and hypervisor to their defaults', () => {
    const { body, ...request } = recorded('09-create-success');
    expect(sent(createVirtualMachineKind, 'create')).toEqual({
      ...request,
      body: { ...body, start: true, hypervisor: 'fake' },
    });
  });

  it('17-create-without-start', () => {
    const subject: MachineSubject = {
      ...SUBJECT,
      ganetiName: 'snf-4',
      nics: [{ id: 4, name: 'snf-nic-4', networkName: 'snf-net-1', ipv4: '10.0.0.77' }],
    };
    const { body, ...request } = recorded('17-create-without-start');
    expect(sent(createVirtualMachineKind, 'create', subject, { start: false })).toEqual({
      ...request,
      body: { ...body, hypervisor: 'fake' },
    });
  });
});

describe('the create’s parameters (decision 13)', () => {
  function body(change: Partial<MachineSubject>, parameters = {}): Record<string, unknown> {
    return sent(createVirtualMachineKind, 'create', { ...SUBJECT, ...change }, parameters).body as Record<
      string,
      unknown
    >;
  }

  it('the deployer learns where to report where the image says how', () => {
    expect(body({ progressParameter: 'progress_url' })['osparams']).toEqual({
      step: '0.1',
      img_id: 'debian',
      img_format: 'diskdump',
      progress_url: SECRETS.progressUrl,
    });
    expect(JSON.stringify(body({}))).not.toContain(SECRETS.progressUrl);
  });

  it('nobody overrides what the product owns; the rest of the defaults goes through', () => {
    const createDefaults = {
      mode: 'import',
      name: 'other',
      instance_name: 'other',
      nics: [],
      disks: [],
      start: false,
      hypervisor: 'kvm',
      hvparams: { serial_console: false },
      wait_for_sync: false,
      beparams: { memory: 1, vcpus: 64, auto_balance: false, spindle_use: 2 },
      osparams: { step: '9', img_id: 'other', locale: 'C' },
    };
    expect(body({ createDefaults })).toMatchObject({
      mode: 'create',
      instance_name: 'snf-1',
      start: true,
      hypervisor: 'fake',
      hvparams: { serial_console: false },
      wait_for_sync: false,
      beparams: { memory: 256, vcpus: 1, auto_balance: false, spindle_use: 2 },
      osparams: { step: '0.1', img_id: 'debian', img_format: 'diskdump', locale: 'C' },
    });
    expect(body({ createDefaults })).not.toHaveProperty('name');
  });

  it('an image without id and format sends neither', () => {
    expect(body({ backendImageId: null, imageFormat: null })['osparams']).toEqual({ step: '0.1' });
  });

  it('a NIC without an address asks for none', () => {
    const nics = [{ id: 1, name: 'snf-nic-1', networkName: 'snf-net-1', ipv4: null }];
    expect(body({ nics })['nics']).toEqual([{ name: 'snf-nic-1', network: 'snf-net-1' }]);
  });

  it('disks are in MiB, and a diskless machine has none for the policy to judge', () => {
    expect(body({ diskGiB: 20 })['disks']).toEqual([{ size: 20_480 }]);
    expect(body({ diskGiB: 0, diskTemplate: 'diskless' })['disks']).toEqual([]);
  });

  it('a text that Ganeti could not store is not sent', () => {
    expect(() => body({ osParameters: { motd: 'Grüße' } })).toThrow(GanetiRequestError);
  });
});
