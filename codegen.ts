import type { CodegenConfig } from '@graphql-codegen/cli';

/** Typed documents for the tests: `npm run codegen` after a change of the schema or of a document. */
const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  documents: 'schema/documents/*.graphql',
  emitLegacyCommonJSImports: false,
  importExtension: '.ts',
  ignoreNoDocuments: false,
  generates: {
    'test/support/graphql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: {
          BigInt: 'number | string',
          CIDRv4: 'string',
          CIDRv6: 'string',
          DateTime: 'string',
          IPv4: 'string',
          IPv6: 'string',
          JSON: 'unknown',
          JSONObject: 'Record<string, unknown>',
          MAC: 'string',
          URL: 'string',
        },
      },
    },
  },
};

export default config;
