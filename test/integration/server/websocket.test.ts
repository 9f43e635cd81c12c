import { once } from 'node:events';
import { type Client, CloseCode, createClient } from 'graphql-ws';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, startToy, type Toy } from './toy.ts';

let toy: Toy;
let client: Client;

beforeEach(async () => {
  toy = await startToy({ limits: { subscriptionsPerSocket: 3, connectionInitMs: 200 } });
  client = createClient({ url: toy.wsUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
});

afterEach(async () => {
  await client.dispose();
  await toy.close(500);
});

async function all(query: string, variables?: Record<string, unknown>): Promise<unknown[]> {
  const results: unknown[] = [];
  for await (const result of client.iterate({ query, ...(variables ? { variables } : {}) })) results.push(result);
  return results;
}

/** A socket without a client, for what a client does not do. */
async function rawSocket(options: { protocol?: string; headers?: Record<string, string> } = {}): Promise<WebSocket> {
  const socket = new WebSocket(toy.wsUrl, options.protocol ?? 'graphql-transport-ws', { headers: options.headers });
  await once(socket, 'open');
  return socket;
}

async function closeCodeAfter(socket: WebSocket, ...messages: object[]): Promise<number> {
  const closed = once(socket, 'close');
  for (const message of messages) socket.send(JSON.stringify(message));
  const [code] = await closed;
  return code as number;
}

const until = (condition: () => boolean) => eventually(condition).toBe(true);

test('a subscription yields its events and completes', async () => {
  expect(await all('subscription { ticks }')).toEqual([1, 2, 3].map((ticks) => ({ data: { ticks } })));
  await until(() => toy.openStreams() === 0);
});

test('queries and mutations run as well', async () => {
  expect(await all('{ hello(name: "socket") }')).toEqual([{ data: { hello: 'hello socket' } }]);
  expect(await all('mutation { touch }')).toEqual([{ data: { touch: 'touched' } }]);
});

test.each([0, 40, 60, 100, 4_000, 4_096, 65_400, 65_500, 70_000, 300_000])(
  'a frame of %i bytes and some',
  async (size) => {
    for await (const { data } of client.iterate<{ flood: string }>({
      query: `subscription { flood(size: ${size}) }`,
    })) {
      expect(data?.flood).toBe(`${'x'.repeat(size)}é`);
      if (toy.counters.pulled > 20) break;
    }
  },
);

test('subscribers of one shared result cost one serialisation', async () => {
  await toy.close(500);
  let serialised = 0;
  const shared = {
    data: {
      ticks: {
        toJSON() {
          serialised += 1;
          return 7;
        },
      },
    },
  };
  toy = await startToy({
    subscribe: async () =>
      (async function* () {
        yield shared;
      })(),
  });
  await client.dispose();
  client = createClient({ url: toy.wsUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
  const results = await Promise.all(Array.from({ length: 50 }, () => all('subscription { ticks }')));
  expect(results.flat()).toEqual(Array.from({ length: 50 }, () => ({ data: { ticks: 7 } })));
  expect(serialised).toBe(1);
});

test('errors have the same codes as over HTTP', async () => {
  const error = (path?: string[]) =>
    expect.objectContaining({ extensions: { code: 'INVALID_INPUT', ...(path ? { path } : {}) } });
  const query = 'query($input: OrderInput!) { order(input: $input) }';
  expect(await all(query, { input: { items: [{ size: 3 }] } })).toEqual([
    { errors: [error(['input', 'items', '0', 'size'])] },
  ]);
  await expect(all('{ order(input: { items: [{ size: 3 }] }) }')).rejects.toEqual([
    error(['input', 'items', '0', 'size']),
  ]);
  await expect(all('{ nope }')).rejects.toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  await expect(all('{')).rejects.toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
  await expect(all(`{ ${'a: hello '.repeat(31)} }`)).rejects.toMatchObject([
    { message: expect.stringContaining('31 aliases') },
  ]);
});

test('a bug is masked and logged with its request id, in results and in streams', async () => {
  const [result] = (await all('{ bug }')) as [{ errors: { message: string; extensions: { requestId: string } }[] }];
  expect(result.errors[0]).toMatchObject({
    message: 'Unexpected error.',
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  });
  const { requestId } = result.errors[0]?.extensions ?? {};
  expect(toy.log.join('')).toContain(`"requestId":"${requestId}"`);

  const seen: unknown[] = [];
  const broken = (async () => {
    for await (const one of client.iterate({ query: 'subscription { broken }' })) seen.push(one);
  })();
  await expect(broken).rejects.toMatchObject([{ message: 'Unexpected error.' }]);
  expect(seen).toEqual([{ data: { broken: 1 } }]);
});

test('a deliberate refusal of a subscription passes', async () => {
  const [result] = await all('subscription { forbidden }');
  expect(result).toMatchObject({ errors: [{ message: 'Not yours.', extensions: { code: 'FORBIDDEN' } }] });
});

test('the context gets the connection parameters, and a signal that is aborted at the end', async () => {
  await client.dispose();
  client = createClient({
    url: toy.wsUrl,
    webSocketImpl: WebSocket,
    connectionParams: { token: 'abc' },
    retryAttempts: 0,
  });
  const iterator = client.iterate({ query: 'subscription { silence }' });
  const pending = iterator.next();
  await until(() => toy.counters.open === 1);
  const [context] = toy.counters.contexts;
  expect(context?.connectionParams).toEqual({ token: 'abc' });
  expect(context?.signal?.aborted).toBe(false);
  await iterator.return?.();
  await pending;
  await until(() => context?.signal?.aborted === true && toy.counters.open === 0);
});

test('a subscription that opens after its client has gone is closed again', async () => {
  const socket = await rawSocket();
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await once(socket, 'message');
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription { late }' } }));
  await until(() => toy.counters.contexts.length === 1);
  socket.terminate();
  await until(() => toy.counters.contexts[0]?.signal?.aborted === true);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(toy.counters.open).toBe(0);
  expect(toy.openStreams()).toBe(0);
});

test('an operation that its client completed before it began is aborted', async () => {
  const socket = await rawSocket();
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await once(socket, 'message');
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription { late }' } }));
  await until(() => toy.counters.contexts.length === 1);
  socket.send(JSON.stringify({ type: 'complete', id: '1' }));
  await until(() => toy.counters.contexts[0]?.signal?.aborted === true);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(toy.counters.open).toBe(0);
  socket.close();
});

test('a socket may have so many operations open and no more', async () => {
  const iterators = [1, 2, 3].map(() => client.iterate({ query: 'subscription { silence }' }));
  const pending = iterators.map((iterator) => iterator.next());
  await until(() => toy.openStreams() === 3);
  await expect(all('{ hello }')).rejects.toMatchObject([{ extensions: { code: 'TOO_MANY_OPERATIONS' } }]);
  await iterators[0]?.return?.();
  await until(() => toy.openStreams() === 2);
  expect(await all('{ hello }')).toHaveLength(1);
  for (const iterator of iterators) await iterator.return?.();
  await Promise.all(pending);
});

test('close codes of the protocol', async () => {
  const init = { type: 'connection_init' };
  const subscribe = { type: 'subscribe', id: '1', payload: { query: 'subscription { silence }' } };
  expect(await closeCodeAfter(await rawSocket())).toBe(CloseCode.ConnectionInitialisationTimeout);
  expect(await closeCodeAfter(await rawSocket(), { type: 'nonsense' })).toBe(CloseCode.BadRequest);
  expect(await closeCodeAfter(await rawSocket(), subscribe)).toBe(CloseCode.Unauthorized);
  expect(await closeCodeAfter(await rawSocket(), init, init)).toBe(CloseCode.TooManyInitialisationRequests);
  const twice = await rawSocket();
  twice.send(JSON.stringify(init));
  await once(twice, 'message');
  expect(await closeCodeAfter(twice, subscribe, subscribe)).toBe(CloseCode.SubscriberAlreadyExists);
  const large = await rawSocket();
  expect(await closeCodeAfter(large, { ...init, payload: { filler: 'x'.repeat(300_000) } })).toBe(1009);
});

test('a refused connection is closed with 4403', async () => {
  const closed = toy.close(500);
  await closed;
  toy = await startToy({
    authorizeConnection: async ({ connectionParams }) => connectionParams?.token === 'right',
  });
  const socket = await rawSocket();
  expect(await closeCodeAfter(socket, { type: 'connection_init', payload: { token: 'wrong' } })).toBe(
    CloseCode.Forbidden,
  );
});

test('foreign origins and names are refused before the upgrade', async () => {
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { host: 'rebound.example' }]) {
    await expect(rawSocket({ headers })).rejects.toThrow('403');
  }
  const local = await rawSocket({ headers: { origin: 'http://localhost:5173' } });
  local.close();
  await expect(
    (async () => {
      const socket = new WebSocket(`${toy.wsUrl}/other`, 'graphql-transport-ws');
      await once(socket, 'open');
    })(),
  ).rejects.toThrow('404');
});
