import { expect, it } from 'vitest';
import { mergeCreateDefaults } from '../../../../src/modules/virtual-machine/create-defaults.rules.ts';

it.each([
  ['neither has any', {}, {}, {}],
  [
    'a backend’s own win',
    { disk_template: 'plain', wait: 1 },
    { disk_template: 'drbd' },
    { disk_template: 'drbd', wait: 1 },
  ],
  [
    'nested ones are merged key by key',
    { hvparams: { serial_console: false, boot_order: 'disk' }, beparams: { auto_balance: true } },
    { hvparams: { boot_order: 'network' } },
    { hvparams: { serial_console: false, boot_order: 'network' }, beparams: { auto_balance: true } },
  ],
  ['what is no object is replaced', { osparams: 'x' }, { osparams: { a: 'b' } }, { osparams: { a: 'b' } }],
])('create defaults: %s', (_, deployment, backend, merged) => {
  expect(mergeCreateDefaults(deployment, backend)).toEqual(merged);
});
