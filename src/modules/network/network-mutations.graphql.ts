import type { Network } from '../../database/generated/client.ts';
import type { SchemaTypes } from '../../graphql/builder.ts';
import { IdempotencyKeyReused, NameTaken, NotFound, Unsupported } from '../../graphql/error-types.ts';
import { inputId } from '../../graphql/global-id.ts';
import { defineMutation } from '../../graphql/mutation.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import { admissionFields, IDEMPOTENCY_KEY } from '../operation/admission.graphql.ts';
import { ResourceBusy } from '../operation/resource-busy.graphql.ts';
import { NetworkFlavorEnum, NetworkNode, NetworkType, networkRows } from './network.graphql.ts';
import { createNetwork, drainNetwork, undrainNetwork } from './network.service.ts';

type SuccessFields = PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, { networkId?: number }>;

const networkField = (t: SuccessFields) => ({
  network: t.field({
    type: NetworkType,
    description: 'The network as it is now.',
    resolve: async ({ networkId }, _args, context, info) =>
      (await loadRow<Network>(networkRows, context, info, String(networkId))) as Network,
  }),
});

defineMutation({
  name: 'CreateNetwork',
  description:
    'Makes a network. It costs no Ganeti job: a cluster gets its copy with the first machine that needs one there, so the operation is SUCCESS at once.',
  input: (t) => ({
    name: t.string({ required: true, description: 'Its name, 1 to 255 characters; unique among its owner’s.' }),
    flavor: t.field({ type: NetworkFlavorEnum, required: true, description: 'How its traffic is kept apart.' }),
    subnet: t.field({ type: 'CIDRv4', description: 'Its IPv4 network, if it has one.' }),
    gateway: t.field({ type: 'IPv4', description: 'Its IPv4 gateway, within the subnet.' }),
    subnet6: t.field({ type: 'CIDRv6', description: 'Its IPv6 network, if it has one.' }),
    gateway6: t.field({ type: 'IPv6', description: 'Its IPv6 gateway, within the IPv6 network.' }),
    dhcp: t.boolean({ defaultValue: false, description: 'Whether machines on it get their addresses by DHCP.' }),
    isPublic: t.boolean({ defaultValue: false, description: 'Whether everyone’s machines may be on it.' }),
    idempotencyKey: t.string({ description: IDEMPOTENCY_KEY }),
  }),
  errors: [NameTaken, Unsupported, ResourceBusy, IdempotencyKeyReused],
  resolve: ({ dhcp, isPublic, ...input }, { environment, viewer }) =>
    createNetwork(environment, viewer, { ...input, dhcp: dhcp ?? false, isPublic: isPublic ?? false }),
  success: (t) => ({ ...networkField(t as unknown as SuccessFields), ...admissionFields(t) }),
});

defineMutation({
  name: 'DrainNetwork',
  description: 'Keeps new interfaces off a network; those on it stay.',
  input: (t) => ({ id: t.id({ required: true, description: 'The network.' }) }),
  errors: [NotFound],
  success: networkField,
  resolve: async ({ id }, { environment, viewer }) => {
    const networkId = inputId(NetworkNode, id, ['id']);
    await drainNetwork(environment, viewer, networkId);
    return { networkId };
  },
});

defineMutation({
  name: 'UndrainNetwork',
  description: 'Lets new interfaces onto a network again.',
  input: (t) => ({ id: t.id({ required: true, description: 'The network.' }) }),
  errors: [NotFound],
  success: networkField,
  resolve: async ({ id }, { environment, viewer }) => {
    const networkId = inputId(NetworkNode, id, ['id']);
    await undrainNetwork(environment, viewer, networkId);
    return { networkId };
  },
});
