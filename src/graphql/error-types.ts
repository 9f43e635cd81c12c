import type { ObjectFieldsShape, ObjectRef } from '@pothos/core';
import * as errors from '../operations/user-error.ts';
import { builder, type SchemaTypes } from './builder.ts';

/** The codes of what this version's mutations can answer; the enum grows with them. */
const CODES = {
  INVALID_INPUT: 'A value outside its stated domain; `path` leads to it.',
  NOT_FOUND: 'No such object, or none that you may see.',
  INVALID_STATE: 'The state of the object does not allow this.',
  NAME_TAKEN: 'Another object bears the name.',
  RESOURCE_BUSY: 'Another operation is at work on the same thing.',
  IDEMPOTENCY_KEY_REUSED: 'The idempotency key belongs to another request.',
  BACKEND_UNAVAILABLE: 'The cluster takes no new work: it is drained or offline.',
  BACKEND_UNREACHABLE: 'The cluster did not answer.',
  BACKEND_AUTHENTICATION_FAILED: 'The cluster refused the user name or password.',
  BACKEND_CERTIFICATE_MISMATCH: 'The cluster showed a certificate that was not expected.',
  NOT_A_GANETI_CLUSTER: 'Something answered, but not as a Ganeti cluster.',
  NO_BACKEND_FITS: 'No cluster can take the machine.',
  POOL_EXHAUSTED: 'The network has no free address left.',
  ADDRESS_IN_USE: 'The address is taken.',
  UNSUPPORTED: 'Known, but not offered by this version or this cluster.',
} as const satisfies Partial<Record<errors.ErrorCode, string>>;

export const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description: 'What went wrong, for programs.',
  values: Object.fromEntries(
    Object.entries(CODES).map(([code, description]) => [code, { value: code as errors.ErrorCode, description }]),
  ),
});

/** A UserError as a value: graphql-js throws whatever is an Error, also when a resolver returns it. */
export class Refusal<Failure extends errors.UserError = errors.UserError> {
  readonly error: Failure;

  constructor(error: Failure) {
    this.error = error;
  }
}

export const UserErrorInterface = builder.interfaceRef<Refusal>('UserError').implement({
  description: 'An expected failure. Nothing was changed, and nothing was sent to a cluster.',
  fields: (t) => ({
    message: t.string({ description: 'What went wrong, for people.', resolve: ({ error }) => error.message }),
    code: t.field({
      type: ErrorCodeEnum,
      description: 'What went wrong, for programs.',
      resolve: ({ error }) => error.code,
    }),
    path: t.stringList({
      nullable: true,
      description: 'The field of the input at fault, such as ["networks", "0", "ipv4"]; null when it is no one field.',
      resolve: ({ error }) => error.path,
    }),
    retryable: t.boolean({
      description: 'Whether the same request may succeed later.',
      resolve: ({ error }) => error.retryable,
    }),
  }),
});

type ErrorClass<Failure extends errors.UserError> = abstract new (...args: never[]) => Failure;

/** An error type that a mutation's union may hold, with the class whose instances become it. */
export interface ErrorType {
  readonly errorClass: ErrorClass<errors.UserError>;
  readonly ref: ObjectRef<SchemaTypes, Refusal>;
}

/** Defines the object type of one class of the closed set; the two bear the same name. */
export function defineErrorType<Failure extends errors.UserError>(
  errorClass: ErrorClass<Failure>,
  description: string,
  fields?: ObjectFieldsShape<SchemaTypes, Refusal<Failure>>,
): ErrorType {
  const ref = builder.objectRef<Refusal<Failure>>(errorClass.name).implement({
    description,
    interfaces: [UserErrorInterface] as never,
    ...(fields ? { fields } : {}),
  });
  return { errorClass, ref: ref as unknown as ErrorType['ref'] };
}

export const InvalidInput = defineErrorType(
  errors.InvalidInput,
  'A value outside its stated domain: wrong length, wrong characters, out of range, the id of something else.',
);
export const NotFound = defineErrorType(errors.NotFound, 'No such object, or none that you may see.');
export const InvalidState = defineErrorType(errors.InvalidState, 'The state of the object does not allow this.');
export const NameTaken = defineErrorType(errors.NameTaken, 'Another living object bears the name.');
export const IdempotencyKeyReused = defineErrorType(
  errors.IdempotencyKeyReused,
  'The idempotency key was used before, with another mutation or another input.',
);
export const BackendUnavailable = defineErrorType(
  errors.BackendUnavailable,
  'The cluster takes no new work: it is drained or offline.',
);
export const BackendUnreachable = defineErrorType(errors.BackendUnreachable, 'The cluster did not answer in time.');
export const BackendAuthenticationFailed = defineErrorType(
  errors.BackendAuthenticationFailed,
  'The cluster refused the user name or password.',
);
export const BackendCertificateMismatch = defineErrorType(
  errors.BackendCertificateMismatch,
  'The cluster showed a certificate that neither the CA nor the fingerprint vouches for.',
);
export const NotAGanetiCluster = defineErrorType(
  errors.NotAGanetiCluster,
  'Something answers at the address, but not as the remote API of a Ganeti cluster.',
);
export const NoBackendFits = defineErrorType(
  errors.NoBackendFits,
  'No cluster can take the machine; the message says why each was left out.',
);
export const PoolExhausted = defineErrorType(errors.PoolExhausted, 'The network has no free address left.');
export const AddressInUse = defineErrorType(errors.AddressInUse, 'The address is taken or reserved.');
export const Unsupported = defineErrorType(
  errors.Unsupported,
  'Known to the API, but not offered by this version or by this cluster.',
);
