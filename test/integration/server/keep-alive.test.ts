import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, startToy, type Toy } from './toy.ts';

let toy: Toy;

beforeEach(async () => {
  toy = await startToy({ limits: { keepAliveMs: 100 } });
});

afterEach(() => toy.close(200));

test('a WebSocket that answers pings stays', async () => {
  const socket = new WebSocket(toy.wsUrl, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  for (let pings = 0; pings < 4; pings++) await once(socket, 'ping');
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.close();
});

test('a WebSocket that neither reads nor answers is cut', async () => {
  const socket = new WebSocket(toy.wsUrl, 'graphql-transport-ws', { autoPong: false });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await once(socket, 'message');
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription { silence }' } }));
  const [code] = await once(socket, 'close');
  expect(code).toBe(1006);
  await eventually(() => toy.openStreams()).toBe(0);
});

test('an event stream sends comments while it has nothing to say', async () => {
  const response = await fetch(`${toy.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { silence }' }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let received = '';
  while (received.length < 12) received += (await reader?.read())?.value ?? '';
  expect(received).toBe(':\n\n'.repeat(4));
  await reader?.cancel();
  await eventually(() => toy.openStreams()).toBe(0);
});

test('an event stream that nobody reads is cut', async () => {
  const socket = connect(toy.port, '127.0.0.1');
  const body = JSON.stringify({ query: 'subscription { flood }' });
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  await eventually(() => toy.openStreams()).toBe(1);
  await eventually(() => toy.counters.open).toBe(0);
  socket.destroy();
});
