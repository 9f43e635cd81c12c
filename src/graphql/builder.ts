import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import type { GraphQLContext } from './context.ts';
import { fieldCost } from './field-cost.ts';
import { decodeGlobalId, encodeGlobalId } from './global-id.ts';
import { BigIntScalar, CIDRv4, CIDRv6, DateTime, IPv4, IPv6, Json, JsonObject, Mac, Url } from './scalars.ts';

interface Scalar<Input, Output = Input> {
  Input: Input;
  Output: Output;
}

/** What Pothos knows about our types. */
export interface BuilderTypes {
  Context: GraphQLContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    ID: Scalar<string, string | number | bigint>;
    DateTime: Scalar<Date>;
    JSON: Scalar<unknown>;
    JSONObject: Scalar<Record<string, unknown>>;
    BigInt: Scalar<bigint>;
    IPv4: Scalar<string>;
    IPv6: Scalar<string>;
    CIDRv4: Scalar<string>;
    CIDRv6: Scalar<string>;
    MAC: Scalar<string>;
    URL: Scalar<string>;
  };
}

/** {@link BuilderTypes} with Pothos' defaults: what its generic types ask for. */
export type SchemaTypes = PothosSchemaTypes.ExtendDefaultTypes<BuilderTypes>;

/** The one schema builder; every `*.graphql.ts` adds to it when it is imported. */
export const builder = new SchemaBuilder<BuilderTypes>({
  plugins: [ComplexityPlugin, RelayPlugin, PrismaPlugin],
  // A field is there unless it says otherwise: most columns are NOT NULL, and clients need no check for those.
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.environment.prisma,
    dmmf: getDatamodel(),
    onUnusedQuery: process.env.NODE_ENV === 'production' ? null : 'error',
  },
  relay: {
    encodeGlobalID: (typename, id) => encodeGlobalId(typename, id),
    decodeGlobalID: (globalId) => decodeGlobalId(globalId),
    // Ours name the argument in their errors: see node-queries.ts.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: { description: 'Anything that can be fetched again by its id.' },
    idFieldOptions: { description: 'The opaque id by which `node` finds the object again.' },
    pageInfoTypeOptions: { description: 'Where a page lies within its list.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on behind the last item of this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether there are items before the first one of this page.' },
    startCursorFieldOptions: { description: 'The cursor of the first item, for `before`; null on an empty page.' },
    endCursorFieldOptions: { description: 'The cursor of the last item, for `after`; null on an empty page.' },
  },
  // The plugin would refuse in the root resolvers, subscriptions only with their first event: see execute.ts.
  complexity: { disabled: true, fieldComplexity: fieldCost },
});

builder.addScalarType('DateTime', DateTime);
builder.addScalarType('JSON', Json);
builder.addScalarType('JSONObject', JsonObject);
builder.addScalarType('BigInt', BigIntScalar);
builder.addScalarType('IPv4', IPv4);
builder.addScalarType('IPv6', IPv6);
builder.addScalarType('CIDRv4', CIDRv4);
builder.addScalarType('CIDRv6', CIDRv6);
builder.addScalarType('MAC', Mac);
builder.addScalarType('URL', Url);

builder.queryType({ description: 'What can be asked. Every answer comes from the store, never from a cluster.' });
builder.mutationType({
  description:
    'What can be done. Each mutation answers with a union of its success and the errors it may meet; one that submits jobs returns once its operation is admitted, and never waits for Ganeti.',
});
builder.subscriptionType({
  description:
    'What can be followed: the current state first, then each change once and in order. `after` continues where a connection broke off.',
});
