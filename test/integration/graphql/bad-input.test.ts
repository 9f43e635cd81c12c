import fc from 'fast-check';
import {
  type GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../../src/schema.ts';
import { createWorld, seed, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await seed(world, 5);
});
afterAll(() => world.close());

const NASTY = [
  '',
  ' ',
  '\0',
  '\ud800',
  'x'.repeat(300),
  '💥',
  '\'; DROP TABLE "Backend"; --',
  '%',
  '\\',
  '../..',
  'ünïcode',
  '10.0.0.0/24',
  '10.1.0.9',
  '10.0.0.1',
  'plain',
  'https://127.0.0.1:1',
  '{"a":1}',
];
const texts = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 20 }),
);
const ids = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('VirtualMachine', 'Network', 'Backend', 'Flavor', 'Image', 'Operation', 'Change', 'GanetiJob'),
      fc.oneof(
        fc.integer({ min: -1, max: 7 }).map(String),
        fc.uuid(),
        fc.constantFrom('9999999999', '9223372036854775808', ''),
      ),
    )
    .map((parts) => Buffer.from(parts.join(':')).toString('base64url')),
  texts,
);
const ints = fc.oneof(fc.integer({ min: -2, max: 120 }), fc.constantFrom(2 ** 31 - 1, -(2 ** 31)));

/** Values of an input type, in and out of its domain, as JSON can carry them. */
function valuesOf(type: GraphQLInputType): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return valuesOf(type.ofType);
  if (isListType(type)) return fc.array(valuesOf(type.ofType), { maxLength: 3 });
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const required = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name);
    return fc.record(Object.fromEntries(fields.map((field) => [field.name, valuesOf(field.type)])), {
      requiredKeys: required,
    });
  }
  if (type.name === 'ID') return ids;
  if (type.name === 'Int') return ints;
  if (type.name === 'Boolean') return fc.boolean();
  if (type.name === 'JSONObject') return fc.dictionary(texts, fc.oneof(texts, fc.jsonValue()), { maxKeys: 3 });
  return texts;
}

function documentOf(kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>): string {
  const variables = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const args = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const isComposite = isCompositeType(getNamedType(field.type));
  const isConnection = getNamedType(field.type).name.endsWith('Connection');
  const selection = isConnection
    ? '{ totalCount nodes { id } }'
    : isComposite
      ? '{ __typename ... on UserError { code path message } }'
      : '';
  return `${kind} ${variables ? `(${variables})` : ''} { ${field.name}${args ? `(${args})` : ''} ${kind === 'query' && !isConnection ? '{ __typename }' : selection} }`;
}

const fields = (['query', 'mutation'] as const).flatMap((kind) =>
  Object.values((kind === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {})
    // It calls out; its own tests give it clusters to call.
    .filter(({ name }) => name !== 'addBackend')
    .map((field) => [`${kind} ${field.name}`, kind, field] as const),
);

/** What a client may see: graphql-js's word on variables, or an error with a code. */
function isMeant(error: GraphQLError): boolean {
  return error.extensions.code !== undefined || error.message.startsWith('Variable "$');
}

it.each(fields)('%s meets any input with an answer or a coded refusal', async (_name, kind, field) => {
  const document = documentOf(kind, field);
  const variables = fc.record(Object.fromEntries(field.args.map(({ name, type }) => [name, valuesOf(type)])), {
    requiredKeys: field.args.filter(({ type }) => isNonNullType(type)).map(({ name }) => name),
  });
  await fc.assert(
    fc.asyncProperty(variables, async (values) => {
      const { errors = [] } = await world.run(document, values);
      for (const error of errors) {
        expect(isMeant(error), `${error.message}: ${error.originalError?.stack ?? ''}`).toBe(true);
      }
    }),
    { numRuns: field.args.length === 0 ? 1 : 30 },
  );
});
