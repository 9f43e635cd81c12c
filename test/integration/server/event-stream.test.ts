import { createClient } from 'graphql-sse';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, startToy, type Toy } from './toy.ts';

let toy: Toy;

beforeEach(async () => {
  toy = await startToy();
});

afterEach(() => toy.close(500));

async function all(query: string, variables?: Record<string, unknown>): Promise<unknown[]> {
  const client = createClient({ url: `${toy.url}/graphql`, retryAttempts: 0 });
  const results: unknown[] = [];
  for await (const result of client.iterate({ query, ...(variables ? { variables } : {}) })) results.push(result);
  client.dispose();
  return results;
}

test('the graphql-sse client gets the events of a subscription, and its end', async () => {
  expect(await all('subscription { ticks }')).toEqual([1, 2, 3].map((ticks) => ({ data: { ticks } })));
  await eventually(() => toy.openStreams()).toBe(0);
});

test('queries and mutations run as well', async () => {
  expect(await all('{ hello }')).toEqual([{ data: { hello: 'hello world' } }]);
  expect(await all('mutation { touch }')).toEqual([{ data: { touch: 'touched' } }]);
});

test('errors have the same codes as over HTTP', async () => {
  const codes = async (query: string, variables?: Record<string, unknown>) =>
    ((await all(query, variables)) as { errors: { extensions: { code: string } }[] }[]).map(
      ({ errors }) => errors[0]?.extensions.code,
    );
  expect(await codes('query($e: OrderInput!) { order(input: $e) }', {})).toEqual(['INVALID_INPUT']);
  expect(await codes('{ order(input: { items: [{ size: 3 }] }) }')).toEqual(['INVALID_INPUT']);
  expect(await codes('{ nope }')).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect(await codes('{')).toEqual(['GRAPHQL_PARSE_FAILED']);
  expect(await codes('subscription { forbidden }')).toEqual(['FORBIDDEN']);
  expect(await codes('{ bug }')).toEqual(['INTERNAL_SERVER_ERROR']);
});

test('a source that breaks ends the stream with a masked error', async () => {
  const results = await all('subscription { broken }');
  expect(results).toEqual([
    { data: { broken: 1 } },
    { errors: [expect.objectContaining({ message: 'Unexpected error.' })] },
  ]);
  expect(JSON.stringify(results)).not.toContain('hunter2');
});

test('a mutation by GET is refused, a subscription by GET is not', async () => {
  const get = async (query: string) => {
    const headers = { accept: 'text/event-stream', 'x-graphql-yoga-csrf': '1' };
    return (await fetch(`${toy.url}/graphql?query=${encodeURIComponent(query)}`, { headers })).text();
  };
  expect(await get('mutation { touch }')).toContain('Can only perform a mutation operation from a POST request.');
  expect(await get('subscription { ticks(count: 1) }')).toBe(
    ':\n\nevent: next\ndata: {"data":{"ticks":1}}\n\nevent: complete\ndata:\n\n',
  );
});

test('a malformed request is answered in JSON', async () => {
  for (const body of ['{', '[]', '{}', '{"query":"{hello}","variables":"x"}']) {
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const response = await fetch(`${toy.url}/graphql`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  }
});

test('a client that leaves closes its source, also one that has not opened yet', async () => {
  const leave = async (query: string, whenOpen: () => boolean) => {
    const abort = new AbortController();
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const body = JSON.stringify({ query });
    const request = fetch(`${toy.url}/graphql`, { method: 'POST', headers, body, signal: abort.signal }).catch(
      () => {},
    );
    await eventually(whenOpen).toBe(true);
    abort.abort();
    await request;
  };
  await leave('subscription { silence }', () => toy.counters.open === 1);
  await eventually(() => toy.counters.open).toBe(0);
  await leave('subscription { late }', () => toy.counters.contexts.length === 2);
  await eventually(() => toy.counters.contexts[1]?.signal?.aborted).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect([toy.counters.open, toy.openStreams()]).toEqual([0, 0]);
});
