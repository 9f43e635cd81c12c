import type { Viewer } from '../../auth/viewer.ts';
import type { Backend } from '../../database/generated/client.ts';
import type { SchemaTypes } from '../../graphql/builder.ts';
import {
  BackendAuthenticationFailed,
  BackendCertificateMismatch,
  BackendUnreachable,
  NameTaken,
  NotAGanetiCluster,
  NotFound,
} from '../../graphql/error-types.ts';
import { inputId } from '../../graphql/global-id.ts';
import { defineMutation } from '../../graphql/mutation.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import type { Environment } from '../../operations/environment.ts';
import { BackendNode, BackendType, backendRows } from './backend.graphql.ts';
import { addBackend, drainBackend, setBackendOffline, setBackendOnline, undrainBackend } from './backend.service.ts';

const backendField = (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, { backendId: number }>) => ({
  backend: t.field({
    type: BackendType,
    description: 'The backend as it is now.',
    resolve: async ({ backendId }, _args, context, info) =>
      (await loadRow<Backend>(backendRows, context, info, String(backendId))) as Backend,
  }),
});

defineMutation({
  name: 'AddBackend',
  description:
    'Adds a Ganeti cluster, which is looked at first: it must answer with this user and password. Its certificate is verified before the password is sent.',
  input: (t) => ({
    name: t.string({ required: true, description: 'What to call it here, 1 to 255 characters; unique in any case.' }),
    endpoints: t.field({
      type: ['URL'],
      required: true,
      description: 'Where its remote API listens, 1 to 8 https addresses, tried in turn.',
    }),
    username: t.string({ required: true, description: 'A user of the remote API with write access.' }),
    password: t.string({ required: true, description: 'The user’s password; kept encrypted and never shown again.' }),
    caPem: t.string({ description: 'The certificate authority of its certificate, in PEM; without it, the system’s.' }),
    certificateFingerprint: t.string({
      description: 'The SHA-256 fingerprint of its certificate, when it is signed by itself.',
    }),
    hypervisor: t.string({ description: 'The hypervisor that new machines get; without it, the cluster’s default.' }),
    isPublic: t.boolean({ defaultValue: true, description: 'Whether everyone’s machines may go to it.' }),
    isDrained: t.boolean({ defaultValue: false, description: 'Whether to keep new machines off it at first.' }),
    createDefaults: t.field({
      type: 'JSONObject',
      description: 'Parameters that each new instance on it gets, by Ganeti’s names.',
    }),
  }),
  errors: [NameTaken, BackendUnreachable, BackendAuthenticationFailed, BackendCertificateMismatch, NotAGanetiCluster],
  success: backendField,
  resolve: ({ isPublic, isDrained, ...input }, { environment, viewer }) =>
    addBackend(environment, viewer, { ...input, isPublic: isPublic ?? true, isDrained: isDrained ?? false }),
});

/** A mutation that turns one of a backend's switches. */
function defineSwitch(
  name: string,
  description: string,
  turn: (environment: Environment, viewer: Viewer, backendId: number) => Promise<void>,
): void {
  defineMutation({
    name,
    description,
    input: (t) => ({ id: t.id({ required: true, description: 'The backend.' }) }),
    errors: [NotFound],
    success: backendField,
    resolve: async ({ id }, { environment, viewer }) => {
      const backendId = inputId(BackendNode, id, ['id']);
      await turn(environment, viewer, backendId);
      return { backendId };
    },
  });
}

defineSwitch(
  'DrainBackend',
  'Keeps new machines off a cluster; those on it stay and can be worked with.',
  drainBackend,
);
defineSwitch('UndrainBackend', 'Lets new machines go to a cluster again.', undrainBackend);
defineSwitch(
  'SetBackendOffline',
  'Leaves a cluster alone altogether: it is not called, and operations under way wait.',
  setBackendOffline,
);
defineSwitch('SetBackendOnline', 'Goes back to a cluster; operations that waited go on.', setBackendOnline);
