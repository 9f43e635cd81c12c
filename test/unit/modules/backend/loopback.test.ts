import { describe, expect, it } from 'vitest';
import { isLoopbackUrl } from '../../../../src/modules/backend/loopback.rules.ts';

describe('a URL that only this machine can reach', () => {
  it.each<[url: string, isLoopback: boolean]>([
    ['http://127.0.0.1:4000', true],
    ['http://127.1.2.3', true],
    ['http://127.1', true],
    ['http://localhost:4000/', true],
    ['http://LOCALHOST', true],
    ['http://[::1]:4000', true],
    ['http://198.18.0.1:4000', false],
    ['http://[2001:db8::1]', false],
    ['http://127.0.0.1.example.org', false],
    ['http://localhost.example.org', false],
    ['http://0.0.0.0', false],
    ['127.0.0.1', false],
    ['', false],
  ])('%s: %s', (url, isLoopback) => {
    expect(isLoopbackUrl(url)).toBe(isLoopback);
  });
});
