import { describe, expect, test } from 'vitest';
import { isSecretName, maskPatterns, maskSecretNames, maskValues } from '../../../src/observability/mask.ts';

test.each([
  ['password', true],
  ['rapiPassword', true],
  ['RAPI_PASSWORD', true],
  ['client-secret', true],
  ['accessToken', true],
  ['Authorization', true],
  ['set-cookie', true],
  ['secretParameters', true],
  ['osparams_secret', true],
  ['DATABASE_URL', true],
  ['secretary', false],
  ['tokens', false],
  ['name', false],
  ['passwordAge', false],
])('the name %s is secret: %s', (name, expected) => {
  expect(isSecretName(name)).toBe(expected);
});

describe('values under secret names', () => {
  test('are masked at every depth, and the original is left alone', () => {
    const original = { name: 'c1', login: { user: 'u', password: 'p' }, list: [{ token: 't' }, 1, null] };
    expect(maskSecretNames(original)).toEqual({
      name: 'c1',
      login: { user: 'u', password: '***' },
      list: [{ token: '***' }, 1, null],
    });
    expect(original.login.password).toBe('p');
  });

  test('are masked whole, whatever they are; what is absent stays absent', () => {
    expect(maskSecretNames({ secretParameters: { key: 'k' }, credentials: ['a'], password: null })).toEqual({
      secretParameters: '***',
      credentials: '***',
      password: null,
    });
  });

  test('class instances are kept, and a cycle ends', () => {
    const error = new Error('x');
    const at = new Date(0);
    expect(maskSecretNames({ error, at })).toEqual({ error, at });
    const cyclic: Record<string, unknown> = { password: 'p' };
    cyclic.self = cyclic;
    const text = JSON.stringify(maskSecretNames(cyclic));
    expect(text).toContain('[too deep]');
    expect(text).not.toContain('"p"');
  });
});

test.each([
  ['the longest first', 'abcdefgh abcdef', ['abcdef', 'abcdefgh'], '*** ***'],
  ['every occurrence', 'hunter2 and hunter2', ['hunter2'], '*** and ***'],
  ['no short ones', 'root', ['root'], 'root'],
  ['no pattern is meant', 'a.c+xyz abc+xyz', ['a.c+xyz'], '*** abc+xyz'],
])('registered values: %s', (_name, text, secrets, expected) => {
  expect(maskValues(text, secrets)).toBe(expected);
});

test.each([
  ['POST http://10.0.0.1:4001/progress/b7f3.aZ_-09 now', 'POST http://10.0.0.1:4001/progress/*** now'],
  ['"/config/abc.def"', '"/config/***"'],
  ['/signal/abc?x=1', '/signal/***?x=1'],
  ['/progress is a path', '/progress is a path'],
  ['postgres://app:s3cret@db:5432/x', 'postgres://app:***@db:5432/x'],
  ['https://user@host/path', 'https://user@host/path'],
  ['Authorization: Bearer eyJhbGciOi.abc-_', 'Authorization: Bearer ***'],
  ['authorization: basic dXNlcjpwYXNz', 'authorization: basic ***'],
  ['the basic idea of it', 'the basic idea of it'],
])('the shape of %s', (text, expected) => {
  expect(maskPatterns(text)).toBe(expected);
});
