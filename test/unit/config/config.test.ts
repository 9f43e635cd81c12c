import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CONFIG_VARIABLES, ConfigError, httpUrl, isLoopback, parseConfig } from '../../../src/config.ts';

const KEY = '0123456789abcdef';
const DATABASE = { DATABASE_URL: 'postgresql://u:p@db.example:5432/g', SECRET_KEY: KEY };

test('an empty environment gives the documented defaults', () => {
  expect(parseConfig({})).toEqual({
    host: '127.0.0.1',
    port: 4000,
    databaseUrl: undefined,
    dataDir: resolve('.data'),
    simulatedClusters: 1,
    callbackUrl: 'http://127.0.0.1:4000',
    isCallbackUrlDerived: true,
    callbackListen: undefined,
    authMode: 'development',
    secretKey: undefined,
    ganetiPrefix: 'snf-',
    ganetiCreateDefaults: {},
    ganetiDryRun: false,
    defaultBridge: 'br0',
    defaultMacPrefix: 'aa:00:0',
    logLevel: 'info',
    pollBusyMs: 1_000,
    pollIdleMs: 5_000,
    rapiTimeoutMs: 15_000,
    settleMs: 25_000,
    simulatorSpeed: 1,
    changesKeepHours: 24,
    changesKeepRows: 1_000_000,
  });
});

test('.env.example names every variable once, with the default', () => {
  const text = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');
  const names = [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(CONFIG_VARIABLES.toSorted());
  expect(parseConfig(parseEnv(text))).toEqual(parseConfig({}));
});

describe('accepted', () => {
  test.each<[env: Record<string, string>, part: Record<string, unknown>]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: ' 65535 ' }, { port: 65_535 }],
    [{ HOST: '127.1.2.3' }, { host: '127.1.2.3', callbackUrl: 'http://127.1.2.3:4000' }],
    [{ HOST: '::1', PORT: '80' }, { callbackUrl: 'http://[::1]:80' }],
    [{ HOST: 'localhost' }, { host: 'localhost' }],
    [{ AUTH_MODE: 'development' }, { authMode: 'development' }],
    [{ DATABASE_URL: '' }, { databaseUrl: undefined, simulatedClusters: 1 }],
    [DATABASE, { databaseUrl: DATABASE.DATABASE_URL, secretKey: KEY, simulatedClusters: 0 }],
    [{ ...DATABASE, SIMULATED_CLUSTERS: '2' }, { simulatedClusters: 2 }],
    [{ SIMULATED_CLUSTERS: '0' }, { simulatedClusters: 0 }],
    [{ DATA_DIR: '/var/lib/x' }, { dataDir: '/var/lib/x' }],
    [
      { CALLBACK_URL: 'https://example.org/base//' },
      { callbackUrl: 'https://example.org/base', isCallbackUrlDerived: false },
    ],
    [
      { CALLBACK_LISTEN: '10.0.0.1:4001' },
      { callbackListen: { host: '10.0.0.1', port: 4_001 }, callbackUrl: 'http://10.0.0.1:4001' },
    ],
    [{ CALLBACK_LISTEN: '[::]:1' }, { callbackListen: { host: '::', port: 1 }, callbackUrl: 'http://[::]:1' }],
    [{ GANETI_PREFIX: 'x1-' }, { ganetiPrefix: 'x1-' }],
    [{ GANETI_CREATE_DEFAULTS: '{"a": {"b": 1}}' }, { ganetiCreateDefaults: { a: { b: 1 } } }],
    [{ GANETI_DRY_RUN: 'True' }, { ganetiDryRun: true }],
    [{ GANETI_DRY_RUN: '0' }, { ganetiDryRun: false }],
    [{ DEFAULT_MAC_PREFIX: 'b2:1f:c' }, { defaultMacPrefix: 'b2:1f:c' }],
    [{ RAPI_TIMEOUT_MS: '2000' }, { rapiTimeoutMs: 2_000, settleMs: 12_000 }],
    [{ RAPI_TIMEOUT_MS: '2000', SETTLE_MS: '2000' }, { settleMs: 2_000 }],
    [{ SIMULATOR_SPEED: '0.5' }, { simulatorSpeed: 0.5 }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  ])('%j', (env, part) => {
    expect(parseConfig(env)).toMatchObject(part);
  });
});

describe('refused', () => {
  test.each<[env: Record<string, string>, name: string]>([
    [{ PORT: '65536' }, 'PORT'],
    [{ PORT: '4000x' }, 'PORT'],
    [{ PORT: '-1' }, 'PORT'],
    [{ PORT: '1e3' }, 'PORT'],
    [{ HOST: '0.0.0.0' }, 'HOST'],
    [{ HOST: '::' }, 'HOST'],
    [{ HOST: '[::1]' }, 'HOST'],
    [{ HOST: '192.168.1.1' }, 'HOST'],
    [{ HOST: '127.0.0.1.example.org' }, 'HOST'],
    [{ HOST: '0.0.0.0', AUTH_MODE: 'development' }, 'HOST'],
    [{ AUTH_MODE: 'jwt' }, 'AUTH_MODE'],
    [{ DATABASE_URL: DATABASE.DATABASE_URL }, 'SECRET_KEY'],
    [{ ...DATABASE, SECRET_KEY: 'short' }, 'SECRET_KEY'],
    [{ ...DATABASE, DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
    [{ ...DATABASE, DATABASE_URL: 'db.example' }, 'DATABASE_URL'],
    [{ SIMULATED_CLUSTERS: '-1' }, 'SIMULATED_CLUSTERS'],
    [{ CALLBACK_URL: 'ftp://x' }, 'CALLBACK_URL'],
    [{ CALLBACK_URL: 'http://x/?a=1' }, 'CALLBACK_URL'],
    [{ CALLBACK_LISTEN: '4001' }, 'CALLBACK_LISTEN'],
    [{ CALLBACK_LISTEN: '::1:4001' }, 'CALLBACK_LISTEN'],
    [{ CALLBACK_LISTEN: '10.0.0.1:70000' }, 'CALLBACK_LISTEN'],
    [{ GANETI_PREFIX: 'snf' }, 'GANETI_PREFIX'],
    [{ GANETI_PREFIX: 'Snf-' }, 'GANETI_PREFIX'],
    [{ GANETI_PREFIX: 'a-b-' }, 'GANETI_PREFIX'],
    [{ GANETI_CREATE_DEFAULTS: '[]' }, 'GANETI_CREATE_DEFAULTS'],
    [{ GANETI_CREATE_DEFAULTS: '{' }, 'GANETI_CREATE_DEFAULTS'],
    [{ GANETI_DRY_RUN: 'maybe' }, 'GANETI_DRY_RUN'],
    [{ DEFAULT_BRIDGE: 'a name' }, 'DEFAULT_BRIDGE'],
    [{ DEFAULT_BRIDGE: 'longer-than-15-c' }, 'DEFAULT_BRIDGE'],
    [{ DEFAULT_MAC_PREFIX: 'ab:00:0' }, 'DEFAULT_MAC_PREFIX'],
    [{ DEFAULT_MAC_PREFIX: 'aa:00:00:0' }, 'DEFAULT_MAC_PREFIX'],
    [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL'],
    [{ POLL_BUSY_MS: '0' }, 'POLL_BUSY_MS'],
    [{ SETTLE_MS: '14999' }, 'SETTLE_MS'],
    [{ SIMULATOR_SPEED: '0' }, 'SIMULATOR_SPEED'],
    [{ CHANGES_KEEP_ROWS: '999' }, 'CHANGES_KEEP_ROWS'],
  ])('%j', (env, name) => {
    const problems = problemsOf(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
  });

  test('all at once, and without repeating a secret', () => {
    const secret = 'a-secret-value-x';
    const env = { HOST: '0.0.0.0', PORT: 'x', DATABASE_URL: secret, GANETI_DRY_RUN: 'x', SETTLE_MS: '100' };
    const problems = problemsOf(env);
    expect(problems.map((problem) => problem.split(' ')[0]).toSorted()).toEqual([
      'DATABASE_URL',
      'GANETI_DRY_RUN',
      'HOST',
      'PORT',
      'SECRET_KEY',
      'SETTLE_MS',
    ]);
    expect(problems.join()).not.toContain(secret);
  });
});

test('the configuration is frozen', () => {
  const config = parseConfig({});
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.ganetiCreateDefaults)).toBe(true);
});

test.each([
  ['127.0.0.1', true],
  ['127.255.255.254', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['127.1', false],
  ['128.0.0.1', false],
  ['::', false],
  ['localhost.example.org', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test('an IPv6 address stands in brackets in a URL', () => {
  expect(httpUrl({ host: '::1', port: 1 })).toBe('http://[::1]:1');
  expect(httpUrl({ host: 'localhost', port: 1 })).toBe('http://localhost:1');
});

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('was accepted');
}
