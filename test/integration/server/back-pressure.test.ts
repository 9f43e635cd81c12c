import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, startToy, type Toy } from './toy.ts';

const EVENT_BYTES = 10_000;
const BUFFERED_BYTES = 256 * 1024;
/** What the kernel takes on both sides of a loopback connection before a write has to wait: some MiB at most. */
const KERNEL_BYTES = 16 * 1024 * 1024;
const MOST_EVENTS = (BUFFERED_BYTES + KERNEL_BYTES) / EVENT_BYTES;

let toy: Toy;

beforeEach(async () => {
  toy = await startToy({ limits: { bufferedBytes: BUFFERED_BYTES, keepAliveMs: 60_000 } });
});

afterEach(() => toy.close(200));

/** Waits until the source has not been asked for a while; returns how many events it gave by then. */
async function pulledWhenStill(): Promise<number> {
  let before = -1;
  while (before !== toy.counters.pulled) {
    before = toy.counters.pulled;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return before;
}

const subscribe = (id: string) =>
  JSON.stringify({ id, type: 'subscribe', payload: { query: `subscription { flood(size: ${EVENT_BYTES}) }` } });

async function openSocket(): Promise<WebSocket> {
  const socket = new WebSocket(toy.wsUrl, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await once(socket, 'message');
  return socket;
}

test('a WebSocket client that stops reading stops its source, and reading on it goes on', async () => {
  const socket = await openSocket();
  socket.pause();
  socket.send(subscribe('1'));
  const pulled = await pulledWhenStill();
  expect(pulled).toBeGreaterThan(BUFFERED_BYTES / EVENT_BYTES);
  expect(pulled).toBeLessThan(MOST_EVENTS);

  socket.resume();
  await eventually(() => toy.counters.pulled).toBeGreaterThan(pulled + 1_000);
  socket.terminate();
  await eventually(() => toy.counters.open).toBe(0);
});

test('the bound is for the socket, however many subscriptions share it', async () => {
  const socket = await openSocket();
  socket.pause();
  for (let id = 1; id <= 20; id++) socket.send(subscribe(String(id)));
  expect(await pulledWhenStill()).toBeLessThan(MOST_EVENTS + 20);
  socket.terminate();
  await eventually(() => toy.counters.open).toBe(0);
});

test('a client that sends pings and reads no pongs is not read any more', async () => {
  const socket = await openSocket();
  socket.pause();
  const payload = { filler: 'x'.repeat(50_000) };
  let sent = 0;
  // The client's own buffer only grows once the server stopped taking its messages.
  while (socket.bufferedAmount < 4 * 1024 * 1024 && sent < 5_000) {
    socket.send(JSON.stringify({ type: 'ping', payload }));
    sent += 1;
    if (sent % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(sent).toBeLessThan(5_000);
  socket.terminate();
});

test('an SSE client that stops reading stops its source, and its end closes the source', async () => {
  const socket: Socket = connect(toy.port, '127.0.0.1');
  const body = JSON.stringify({ query: `subscription { flood(size: ${EVENT_BYTES}) }` });
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  const pulled = await pulledWhenStill();
  expect(pulled).toBeGreaterThan(BUFFERED_BYTES / EVENT_BYTES);
  expect(pulled).toBeLessThan(MOST_EVENTS);
  expect(toy.openStreams()).toBe(1);

  socket.on('data', () => {});
  await eventually(() => toy.counters.pulled).toBeGreaterThan(pulled + 1_000);
  socket.destroy();
  await eventually(() => toy.counters.open).toBe(0);
  await eventually(() => toy.openStreams()).toBe(0);
});
