import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import { refuseExpensive } from './cost-limit.ts';
import { executeShared } from './shared-execution.ts';

/** graphql-js's `execute`, after a look at what the operation may cost. */
export function executeOperation(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
  return refuseExpensive(args) ?? (execute(args) as ExecutionResult | Promise<ExecutionResult>);
}

/** graphql-js's `subscribe`, after a look at the cost, with the work for equal subscribers done once. */
export async function subscribeOperation(
  args: ExecutionArgs,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const refusal = refuseExpensive(args);
  if (refusal) return refusal;
  const source = await createSourceEventStream(args);
  return Symbol.asyncIterator in source ? resultsOf(source, args) : source;
}

/** Not a generator, whose `return` would wait for the next event: a client that leaves must end its source at once. */
function resultsOf(source: AsyncIterable<unknown>, args: ExecutionArgs): AsyncIterableIterator<ExecutionResult> {
  const events = source[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorResult<ExecutionResult, undefined>> => {
    await events.return?.();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      const event = await events.next();
      if (event.done) return { done: true, value: undefined };
      try {
        return { done: false, value: await executeShared({ ...args, rootValue: event.value }) };
      } catch (error) {
        await end();
        throw error;
      }
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
