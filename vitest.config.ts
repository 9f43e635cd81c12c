import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Vite would take graphql's "module" file, Node takes "main" for what imports it (Pothos, graphql-ws): two copies of
  // graphql-js, which refuse each other's schemas. This names Node's for both.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/{unit,integration,contract,e2e}/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/leak-guard.ts'],
    // A process per file: a leaked handle or a changed environment stays in the file that made it.
    pool: 'forks',
    // Generous: these are for tests that hang, on slow and busy machines too, and no measure of speed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    env: { NODE_ENV: 'test' },
  },
});
