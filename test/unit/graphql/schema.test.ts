import { readFileSync } from 'node:fs';
import {
  type GraphQLArgument,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  lexicographicSortSchema,
  printSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/schema.ts';

const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`;

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !(isScalarType(type) && isSpecifiedScalarType(type)),
);

/** Every element with a description of its own, as `Type.field(argument:)`. */
function elements(type: GraphQLNamedType): [string, string | null | undefined][] {
  const found: [string, string | null | undefined][] = [[type.name, type.description]];
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      found.push([`${type.name}.${field.name}`, field.description]);
      found.push(
        ...field.args.map((argument: GraphQLArgument): [string, string | null | undefined] => [
          `${type.name}.${field.name}(${argument.name}:)`,
          argument.description,
        ]),
      );
    }
  }
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) found.push([`${type.name}.${field.name}`, field.description]);
  }
  if (isEnumType(type)) {
    for (const value of type.getValues()) found.push([`${type.name}.${value.name}`, value.description]);
  }
  return found;
}

describe('the schema', () => {
  it('is valid', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  it('is printed in schema/schema.graphql; npm run schema:print writes it', () => {
    expect(readFileSync('schema/schema.graphql', 'utf8')).toBe(sdl);
  });

  it('describes every element in a sentence', () => {
    const bare = types
      .flatMap(elements)
      .filter(([, description]) => !description || description.length < 4 || !/[.`:]$/.test(description));
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  it('has the mutations of its contract, each with one input and a union of its success and errors', () => {
    const mutations = schema.getMutationType()?.getFields() ?? {};
    expect(Object.keys(mutations).sort()).toEqual([
      'addBackend',
      'cancelOperation',
      'createFlavor',
      'createImage',
      'createNetwork',
      'createVirtualMachine',
      'deleteFlavor',
      'deleteImage',
      'deleteVirtualMachine',
      'drainBackend',
      'drainNetwork',
      'rebootVirtualMachine',
      'setBackendOffline',
      'setBackendOnline',
      'shutdownVirtualMachine',
      'startVirtualMachine',
      'undrainBackend',
      'undrainNetwork',
    ]);
    for (const [name, { args, type }] of Object.entries(mutations)) {
      const upper = `${name[0]?.toUpperCase()}${name.slice(1)}`;
      expect(args.map((argument) => `${argument.name}: ${argument.type}`)).toEqual([`input: ${upper}Input!`]);
      expect(String(type)).toBe(`${upper}Result!`);
      const union = schema.getType(`${upper}Result`);
      const members = isUnionType(union) ? union.getTypes() : [];
      const errors = members.filter((member) =>
        member.getInterfaces().some(({ name: other }) => other === 'UserError'),
      );
      expect(members.filter((member) => !errors.includes(member)).map(String)).toEqual([`${upper}Success`]);
      expect(errors.map(String)).toContain('InvalidInput');
    }
  });

  it('has the fixed shapes of the main path', () => {
    const input = (name: string) => {
      const type = schema.getType(name);
      if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
      return Object.fromEntries(
        Object.values(type.getFields()).map((field) => [
          field.name,
          `${field.type}${field.defaultValue === undefined ? '' : ` = ${field.defaultValue}`}`,
        ]),
      );
    };
    expect(input('AddBackendInput')).toEqual({
      name: 'String!',
      endpoints: '[URL!]!',
      username: 'String!',
      password: 'String!',
      caPem: 'String',
      certificateFingerprint: 'String',
      hypervisor: 'String',
      isPublic: 'Boolean = true',
      isDrained: 'Boolean = false',
      createDefaults: 'JSONObject',
    });
    expect(input('CreateFlavorInput')).toEqual({
      cpu: 'Int!',
      memoryMiB: 'Int!',
      diskGiB: 'Int!',
      diskTemplate: 'String!',
    });
    expect(input('CreateImageInput')).toEqual({
      name: 'String!',
      osType: 'String!',
      osParameters: 'JSONObject',
      secretParameters: '[String!]',
      progressParameter: 'String',
      configUrlParameter: 'String',
      backendImageId: 'String',
      format: 'String',
      checksum: 'String',
      properties: 'JSONObject',
    });
    expect(input('CreateNetworkInput')).toEqual({
      name: 'String!',
      flavor: 'NetworkFlavor!',
      subnet: 'CIDRv4',
      gateway: 'IPv4',
      subnet6: 'CIDRv6',
      gateway6: 'IPv6',
      dhcp: 'Boolean = false',
      isPublic: 'Boolean = false',
      idempotencyKey: 'String',
    });
    expect(input('CreateVirtualMachineInput')).toEqual({
      name: 'String!',
      flavorId: 'ID!',
      imageId: 'ID!',
      backendId: 'ID',
      start: 'Boolean = true',
      idempotencyKey: 'String',
      networks: '[CreateVirtualMachineNetworkInput!]',
    });
    expect(input('CreateVirtualMachineNetworkInput')).toEqual({
      networkId: 'ID!',
      ipv4: 'IPv4',
      firewallProfile: 'FirewallProfile',
    });
    expect(input('RebootVirtualMachineInput')).toEqual({
      id: 'ID!',
      type: 'RebootType = SOFT',
      idempotencyKey: 'String',
    });
    expect(sdl).not.toMatch(/password(?!: String!)\w*: String(?!!)/i);
  });
});
