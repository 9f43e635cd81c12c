import { buildSchema, type ExecutionArgs, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { executeShared } from '../../../src/graphql/shared-execution.ts';

const schema = buildSchema(`
  type Query { x: Int }
  type Event { n: Int! context: Int! }
  type Subscription { changed(id: ID, after: String): Event! }
`);

const DOCUMENT = `subscription Watch($id: ID, $after: String, $full: Boolean = true) {
  changed(id: $id, after: $after) { n ... on Event @include(if: $full) { context } } }`;

/** An event that counts how often it is looked at, by contexts. */
function countedEvent() {
  const contexts: unknown[] = [];
  const changed = { n: 1, context: (_args: unknown, context: unknown) => contexts.push(context) };
  return { event: { changed: () => changed }, contexts };
}

const subscriber = (rootValue: unknown, more: Partial<ExecutionArgs> & { viewerId?: string } = {}): ExecutionArgs => {
  const { viewerId = 'local', ...args } = more;
  return {
    schema,
    document: parse(DOCUMENT),
    variableValues: { id: '1' },
    contextValue: { viewer: { id: viewerId }, requestId: Math.random(), environment: {} },
    rootValue,
    ...args,
  };
};

describe('a shared execution', () => {
  it('is done once for subscribers with equal documents and variables, who get the same object', async () => {
    const { event, contexts } = countedEvent();
    const results = await Promise.all(Array.from({ length: 100 }, () => executeShared(subscriber(event))));
    expect(results[0]).toEqual({ data: { changed: { n: 1, context: 1 } } });
    expect(new Set(results).size).toBe(1);
    expect(contexts).toHaveLength(1);
  });

  it('is shared by those who came with other cursors or watch it by another filter', async () => {
    const { event } = countedEvent();
    const one = await executeShared(subscriber(event, { variableValues: { id: '1', after: 'a' } }));
    const other = await executeShared(subscriber(event, { variableValues: { after: 'b' } }));
    expect(other).toBe(one);
  });

  it.each([
    ['event', (event: unknown) => subscriber({ ...(event as object) })],
    ['viewer', (event: unknown) => subscriber(event, { viewerId: 'other' })],
    ['variable in the selection', (event: unknown) => subscriber(event, { variableValues: { full: false } })],
    ['document', (event: unknown) => subscriber(event, { document: parse('subscription { changed { n } }') })],
    [
      'operation',
      (event: unknown) =>
        subscriber(event, {
          document: parse('subscription A { changed { n } } subscription B { changed { n } }'),
          operationName: 'A',
        }),
    ],
  ])('is not shared with another %s', async (_what, other) => {
    const { event } = countedEvent();
    const one = await executeShared(subscriber(event));
    expect(await executeShared(other(event))).not.toBe(one);
  });

  it('has a context of its own, so that nothing loaded for an earlier event answers for this one', async () => {
    const first = countedEvent();
    const second = countedEvent();
    const args = subscriber(first.event);
    await executeShared(args);
    await executeShared({ ...args, rootValue: second.event });
    expect(first.contexts[0]).not.toBe(args.contextValue);
    expect(first.contexts[0]).not.toBe(second.contexts[0]);
    expect(first.contexts[0]).toEqual(args.contextValue);
  });

  it('shares failures as well, and runs alone for what is no object', async () => {
    const event = { changed: () => Promise.reject(new Error('no')) };
    const [one, other] = await Promise.all([executeShared(subscriber(event)), executeShared(subscriber(event))]);
    expect(one).toBe(other);
    expect(one.errors?.[0]?.message).toBe('no');
    expect(await executeShared(subscriber(undefined))).not.toBe(await executeShared(subscriber(undefined)));
  });
});
