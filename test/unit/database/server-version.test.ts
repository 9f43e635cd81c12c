import { expect, test } from 'vitest';
import { checkServerVersion, UnsupportedServerError } from '../../../src/database/server-version.ts';

test.each([
  [90_624, '9.6.24'],
  [140_013, '14.13 (Debian 14.13-1)'],
])('server_version_num %i is refused by name', (number, version) => {
  expect(() => checkServerVersion(number, version)).toThrow(UnsupportedServerError);
  expect(() => checkServerVersion(number, version)).toThrow(version);
});

test.each([150_000, 150_014, 180_004])('server_version_num %i is served', (number) => {
  expect(() => checkServerVersion(number, 'x')).not.toThrow();
});
