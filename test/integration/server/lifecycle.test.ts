import { once } from 'node:events';
import { createServer } from 'node:net';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient } from 'graphql-ws';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, startToy, type Toy } from './toy.ts';

let toy: Toy;

afterEach(() => toy?.close(200));

test('draining refuses what is new and leaves what is under way', async () => {
  toy = await startToy();
  const client = createClient({ url: toy.wsUrl, webSocketImpl: WebSocket, retryAttempts: 0 });
  const iterator = client.iterate({ query: 'subscription { ticks(count: 1000) }' });
  await iterator.next();
  const slow = toy.post('{ slow(ms: 100) }');
  await eventually(() => toy.counters.contexts.length).toBe(2);

  toy.drain();
  expect((await fetch(`${toy.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${toy.url}/healthz`)).status).toBe(200);
  const refused = await toy.post('{ hello }');
  expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  const second = new WebSocket(toy.wsUrl, 'graphql-transport-ws');
  await expect(once(second, 'open')).rejects.toThrow('503');

  expect((await slow).body.data).toEqual({ slow: 'done' });
  expect((await iterator.next()).done).toBe(false);
  await iterator.return?.();
  await client.dispose();
});

test('a new operation on an old socket of a draining server closes it with 1012', async () => {
  toy = await startToy();
  const socket = new WebSocket(toy.wsUrl, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await once(socket, 'message');
  toy.drain();
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: '{ hello }' } }));
  const [code] = await once(socket, 'close');
  expect(code).toBe(1012);
});

test('close sends 1012, and clients come back to the next server on the same port', async () => {
  toy = await startToy();
  const { port } = toy;
  const events: number[] = [];
  const closes: number[] = [];
  const client = createClient({
    url: toy.wsUrl,
    webSocketImpl: WebSocket,
    retryAttempts: 50,
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 20)),
    shouldRetry: () => true,
    on: { closed: (event) => void closes.push((event as { code: number }).code) },
  });
  const received = (async () => {
    for await (const { data } of client.iterate<{ ticks: number }>({ query: 'subscription { ticks(count: 200) }' })) {
      events.push(data?.ticks ?? 0);
      if (events.filter((tick) => tick === 1).length === 2) return;
    }
  })();
  await eventually(() => events.length).toBeGreaterThan(2);
  await toy.close(2_000);
  await eventually(() => closes[0]).toBe(1012);
  toy = await startToy({ port });
  await received;
  await client.dispose();
});

test('close ends event streams so that their clients come back', async () => {
  toy = await startToy();
  const { port } = toy;
  const client = createSseClient({
    url: `${toy.url}/graphql`,
    retryAttempts: 50,
    retry: () => new Promise((resolve) => setTimeout(resolve, 20)),
  });
  const events: number[] = [];
  const received = (async () => {
    for await (const { data } of client.iterate<{ ticks: number }>({ query: 'subscription { ticks(count: 200) }' })) {
      events.push(data?.ticks ?? 0);
      if (events.filter((tick) => tick === 1).length === 2) return;
    }
  })();
  await eventually(() => events.length).toBeGreaterThan(2);
  await toy.close(2_000);
  toy = await startToy({ port });
  await received;
  client.dispose();
});

test('close waits for requests under way', async () => {
  toy = await startToy();
  const slow = toy.post('{ slow(ms: 150) }');
  await eventually(() => toy.counters.contexts.length).toBe(1);
  await toy.close(5_000);
  expect((await slow).body.data).toEqual({ slow: 'done' });
});

test('close is over after its grace, whoever does not let go', async () => {
  toy = await startToy();
  const stuck = toy.post('{ slow(ms: 3000) }').catch((error: unknown) => error);
  const deaf = new WebSocket(toy.wsUrl, 'graphql-transport-ws');
  deaf.on('error', () => {});
  await once(deaf, 'open');
  deaf.pause();
  await eventually(() => toy.counters.contexts.length).toBe(1);
  const startedAtMs = performance.now();
  await toy.close(200);
  expect(performance.now() - startedAtMs).toBeLessThan(1_500);
  expect(await stuck).toBeInstanceOf(Error);
  deaf.terminate();
});

test('closing twice is closing once', async () => {
  toy = await startToy();
  await Promise.all([toy.close(500), toy.close(500)]);
});

test('a taken port is an error, with nothing left open', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  await expect(startToy({ port })).rejects.toThrow('EADDRINUSE');
  await expect(startToy({ callbackListen: { host: '127.0.0.1', port } })).rejects.toThrow('EADDRINUSE');
  taken.close();
});
