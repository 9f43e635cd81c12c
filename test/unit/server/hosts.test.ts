import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createHostRule, isLoopback } from '../../../src/server/hosts.ts';

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['localhost', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.example.org', false],
  ['localhost.example.org', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe('the host rule', () => {
  const request = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;
  const rule = createHostRule(['api.internal'], ['https://console.example']);

  test.each([
    [{ host: 'localhost:4000' }, true],
    [{ host: '127.0.0.1' }, true],
    [{ host: '[::1]:4000' }, true],
    [{ host: 'api.internal:8080' }, true],
    [{ host: 'API.INTERNAL' }, true],
    [{ host: 'evil.example' }, false],
    [{ host: '' }, false],
    [{}, false],
    [{ host: 'localhost', origin: 'http://localhost:5173' }, true],
    [{ host: 'localhost', origin: 'https://console.example' }, true],
    [{ host: 'localhost', origin: 'https://console.example.evil' }, false],
    [{ host: 'localhost', origin: 'null' }, false],
  ])('%j passes: %s', (headers, expected) => {
    expect(rule.refusal(request(headers as Record<string, string>)) === undefined).toBe(expected);
  });

  test('with authentication every name passes, and no origin gets to read that is not listed', () => {
    const open = createHostRule('any');
    const foreign = request({ host: 'x.example', origin: 'https://y.example' });
    expect(open.refusal(foreign)).toBeUndefined();
    expect(open.corsOrigin(foreign)).toBeUndefined();
    expect(open.corsOrigin(request({ host: 'localhost', origin: 'http://localhost:1' }))).toBeUndefined();
  });
});
