import type { ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { startPump } from '../../../src/server/pump.ts';

const unexpected = (error: unknown) => {
  throw error;
};

async function* numbers(count: number, ended?: () => void): AsyncGenerator<ExecutionResult> {
  try {
    for (let number = 1; number <= count; number++) yield { data: { number } };
  } finally {
    ended?.();
  }
}

test('takes no result while the last one is being written', async () => {
  const written: unknown[] = [];
  let release: () => void = () => {};
  const pump = startPump(
    numbers(3),
    ({ data }) => {
      written.push(data?.number);
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    },
    unexpected,
  );
  await expect.poll(() => written).toEqual([1]);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(written).toEqual([1]);
  release();
  await expect.poll(() => written).toEqual([1, 2]);
  release();
  await expect.poll(() => written).toEqual([1, 2, 3]);
  release();
  await pump.done;
});

test('a failing source rejects, a failing write does too and closes the source', async () => {
  async function* failing(): AsyncGenerator<ExecutionResult> {
    yield {};
    throw new Error('source');
  }
  await expect(startPump(failing(), () => {}, unexpected).done).rejects.toThrow('source');
  let ended = false;
  const write = () => {
    throw new Error('write');
  };
  const pump = startPump(
    numbers(3, () => {
      ended = true;
    }),
    write,
    unexpected,
  );
  await expect(pump.done).rejects.toThrow('write');
  await expect.poll(() => ended).toBe(true);
});

test('stop ends at once, although the source never answers, and nothing is written any more', async () => {
  let returned = 0;
  let give: (result: IteratorResult<ExecutionResult>) => void = () => {};
  const asleep: AsyncIterable<ExecutionResult> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
      return: () => {
        returned += 1;
        return new Promise(() => {});
      },
    }),
  };
  const written: unknown[] = [];
  const pump = startPump(asleep, (result) => void written.push(result), unexpected);
  pump.stop();
  pump.stop();
  await pump.done;
  give({ done: false, value: {} });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect([returned, written]).toEqual([1, []]);
});

test('a source that cannot be closed is reported', async () => {
  const problems: unknown[] = [];
  const source: AsyncIterable<ExecutionResult> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: () => {
        throw new Error('return');
      },
    }),
  };
  startPump(
    source,
    () => {},
    (error) => problems.push(error),
  ).stop();
  await expect.poll(() => problems).toEqual([new Error('return')]);
});
