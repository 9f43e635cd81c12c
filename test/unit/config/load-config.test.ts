import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CONFIG_VARIABLES, loadConfig } from '../../../src/config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ganeti-graphql-config-'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  for (const name of CONFIG_VARIABLES) vi.stubEnv(name, undefined);
  vi.stubEnv('DATA_DIR', path.join(folder, 'data'));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test('the embedded database gets a secret of its own, kept for us alone', () => {
  const { secretKey } = loadConfig();
  expect(secretKey).toMatch(/^[\w-]{43}$/);
  expect(loadConfig().secretKey).toBe(secretKey);
  const file = path.join(folder, 'data', 'secret-key');
  expect(readFileSync(file, 'utf8').trim()).toBe(secretKey);
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('a given secret is used and not stored', () => {
  vi.stubEnv('SECRET_KEY', '0123456789abcdef');
  expect(loadConfig().secretKey).toBe('0123456789abcdef');
  expect(statSync(path.join(folder, 'data'), { throwIfNoEntry: false })).toBeUndefined();
});

test('.env completes the environment, which wins', () => {
  writeFileSync(path.join(folder, '.env'), 'PORT=4321\nLOG_LEVEL=debug\n');
  vi.stubEnv('LOG_LEVEL', 'warn');
  expect(loadConfig()).toMatchObject({ port: 4321, logLevel: 'warn' });
  expect(process.env.PORT).toBeUndefined();
});
