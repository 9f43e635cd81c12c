import { expect, it } from 'vitest';
import { ConnectionSlots } from '../../../src/ganeti/connection-slots.ts';

function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it('runs so many at once, the others in their order', async () => {
  const slots = new ConnectionSlots(2);
  const gates = [gate(), gate(), gate(), gate()];
  const begun: number[] = [];
  const all = gates.map(({ opened }, index) =>
    slots.run(async () => {
      begun.push(index);
      await opened;
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  for (const { open } of gates) open();
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

it('gives a slot back when its task fails', async () => {
  const slots = new ConnectionSlots(1);
  await expect(slots.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await slots.run(async () => 1)).toBe(1);
});

it('lets one who waits give up, without losing a slot', async () => {
  const slots = new ConnectionSlots(1);
  const { opened, open } = gate();
  const first = slots.run(() => opened);
  const controller = new AbortController();
  const second = slots.run(async () => 2, controller.signal);
  controller.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  open();
  await first;
  expect(await slots.run(async () => 3)).toBe(3);
});
