import type { Viewer } from '../../auth/viewer.ts';
import type { VirtualMachine } from '../../database/generated/client.ts';
import { builder, type SchemaTypes } from '../../graphql/builder.ts';
import {
  AddressInUse,
  BackendUnavailable,
  IdempotencyKeyReused,
  InvalidState,
  NameTaken,
  NoBackendFits,
  NotFound,
  PoolExhausted,
  Unsupported,
} from '../../graphql/error-types.ts';
import { inputId } from '../../graphql/global-id.ts';
import { defineMutation } from '../../graphql/mutation.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import type { Admitted } from '../../operations/admit.ts';
import type { Environment } from '../../operations/environment.ts';
import { BackendNode } from '../backend/backend.graphql.ts';
import { FlavorNode } from '../catalog/flavor.graphql.ts';
import { ImageNode } from '../catalog/image.graphql.ts';
import { NetworkNode } from '../network/network.graphql.ts';
import { FirewallProfileEnum } from '../network-interface/network-interface.graphql.ts';
import { admissionFields, IDEMPOTENCY_KEY } from '../operation/admission.graphql.ts';
import { ResourceBusy } from '../operation/resource-busy.graphql.ts';
import { VirtualMachineNode, VirtualMachineType, virtualMachineRows } from './virtual-machine.graphql.ts';
import {
  createVirtualMachine,
  deleteVirtualMachine,
  rebootVirtualMachine,
  shutdownVirtualMachine,
  startVirtualMachine,
} from './virtual-machine.service.ts';

const successFields = (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Admitted>) => ({
  virtualMachine: t.field({
    type: VirtualMachineType,
    description: 'The virtual machine as it is now.',
    resolve: async ({ virtualMachineId }, _args, context, info) =>
      (await loadRow<VirtualMachine>(virtualMachineRows, context, info, String(virtualMachineId))) as VirtualMachine,
  }),
  ...admissionFields(t),
});

const CreateVirtualMachineNetworkInput = builder.inputType('CreateVirtualMachineNetworkInput', {
  description: 'One network interface of a new virtual machine.',
  fields: (t) => ({
    networkId: t.id({ required: true, description: 'The network that it is on.' }),
    ipv4: t.field({ type: 'IPv4', description: 'The address that it gets; without it, the next free one.' }),
    firewallProfile: t.field({ type: FirewallProfileEnum, description: 'How it is guarded.' }),
  }),
});

defineMutation({
  name: 'CreateVirtualMachine',
  description:
    'Builds a virtual machine. It gets its addresses and its cluster at once; the build goes on by itself and can be followed with buildProgress.',
  input: (t) => ({
    name: t.string({ required: true, description: 'What to call it, 1 to 255 characters; unique among its owner’s.' }),
    flavorId: t.id({ required: true, description: 'Its size.' }),
    imageId: t.id({ required: true, description: 'What to build it from.' }),
    backendId: t.id({
      description: 'The cluster to build it on; without it, the one with the fewest machines that can.',
    }),
    start: t.boolean({ defaultValue: true, description: 'Whether to start it once it is built.' }),
    networks: t.field({
      type: [CreateVirtualMachineNetworkInput],
      description: 'Its network interfaces in order, 1 to 8.',
    }),
    idempotencyKey: t.string({ description: IDEMPOTENCY_KEY }),
  }),
  errors: [
    NotFound,
    InvalidState,
    NameTaken,
    NoBackendFits,
    BackendUnavailable,
    PoolExhausted,
    AddressInUse,
    Unsupported,
    ResourceBusy,
    IdempotencyKeyReused,
  ],
  success: successFields,
  resolve: (input, { environment, viewer }) =>
    createVirtualMachine(environment, viewer, {
      name: input.name,
      flavorId: inputId(FlavorNode, input.flavorId, ['flavorId']),
      imageId: inputId(ImageNode, input.imageId, ['imageId']),
      backendId: input.backendId == null ? null : inputId(BackendNode, input.backendId, ['backendId']),
      start: input.start ?? true,
      networks: (input.networks ?? []).map(({ networkId, ipv4, firewallProfile }, index) => ({
        networkId: inputId(NetworkNode, networkId, ['networks', String(index), 'networkId']),
        ipv4: ipv4 ?? null,
        firewallProfile: firewallProfile ?? null,
      })),
      idempotencyKey: input.idempotencyKey,
    }),
});

const actionInput = (t: PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>) => ({
  id: t.id({ required: true, description: 'The virtual machine.' }),
  idempotencyKey: t.string({ description: IDEMPOTENCY_KEY }),
});

const ACTION_ERRORS = [NotFound, InvalidState, BackendUnavailable, ResourceBusy, IdempotencyKeyReused];

interface MachineInput {
  readonly id: number;
  readonly idempotencyKey?: string | null | undefined;
}

/** A mutation that does something to one machine and needs to know no more. */
function defineAction(
  name: string,
  description: string,
  act: (environment: Environment, viewer: Viewer, input: MachineInput) => Promise<Admitted>,
): void {
  defineMutation({
    name,
    description,
    input: actionInput,
    errors: ACTION_ERRORS,
    success: successFields,
    resolve: ({ id, idempotencyKey }, { environment, viewer }) =>
      act(environment, viewer, { id: inputId(VirtualMachineNode, id, ['id']), idempotencyKey }),
  });
}

defineAction('StartVirtualMachine', 'Starts a virtual machine that is STOPPED.', startVirtualMachine);
defineAction('ShutdownVirtualMachine', 'Shuts a virtual machine down that is STARTED.', shutdownVirtualMachine);
defineAction(
  'DeleteVirtualMachine',
  'Destroys a virtual machine and its disks, and frees its addresses. A build is canceled with cancelOperation first.',
  deleteVirtualMachine,
);

const RebootTypeEnum = builder.enumType('RebootType', {
  description: 'How a virtual machine is rebooted.',
  values: {
    SOFT: { description: 'Its own operating system is asked to.' },
    HARD: { description: 'It is switched off and on.' },
  } as const,
});

defineMutation({
  name: 'RebootVirtualMachine',
  description: 'Reboots a virtual machine that is STARTED.',
  input: (t) => ({
    ...actionInput(t),
    type: t.field({ type: RebootTypeEnum, defaultValue: 'SOFT', description: 'How.' }),
  }),
  errors: ACTION_ERRORS,
  success: successFields,
  resolve: ({ id, type, idempotencyKey }, { environment, viewer }) =>
    rebootVirtualMachine(environment, viewer, {
      id: inputId(VirtualMachineNode, id, ['id']),
      type: type ?? 'SOFT',
      idempotencyKey,
    }),
});
