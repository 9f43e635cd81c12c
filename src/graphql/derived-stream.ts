/**
 * An async generator that reads from `source`, as an iterator that can be ended at once: `return` of a generator waits
 * until the generator wakes from what it awaits, which may be never; ending its source wakes it.
 */
export function derivedStream<Item>(
  source: AsyncIterator<unknown>,
  items: AsyncGenerator<Item, void, undefined>,
): AsyncIterableIterator<Item, undefined> {
  const end = async (): Promise<IteratorResult<Item, undefined>> => {
    await source.return?.();
    await items.return();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      const result = await items.next();
      return result.done ? { done: true, value: undefined } : result;
    },
    return: end,
    throw: async (error) => {
      await end();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
