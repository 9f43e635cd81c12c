/** The limit of any server of subscriptions: `ws`, sending one ready string to all who asked. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { type WebSocket, WebSocketServer } from 'ws';
import { answerCalls } from '../channel.ts';
import { type ChangePlan, commitChanges } from './machine-change.ts';
import { machineEvent } from './machine-event.ts';
import { POOL_SIZE, type ServerOptions } from './server-options.ts';

const subscribers = new Set<WebSocket>();
let pool: pg.Pool;

async function start({ databaseUrl }: ServerOptions): Promise<string> {
  pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
  const http = createServer();
  new WebSocketServer({ server: http, perMessageDeflate: false }).on('connection', (socket) => {
    socket.on('message', (data) => {
      if (String(data).includes('connection_init')) socket.send('{"type":"connection_ack"}');
      else subscribers.add(socket);
    });
    socket.on('close', () => subscribers.delete(socket));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/graphql`;
}

answerCalls({
  start,
  change: (plan: ChangePlan) =>
    commitChanges(pool, plan, (machine) => {
      const data = { virtualMachineChanged: machineEvent(machine) };
      const text = JSON.stringify({ id: '1', type: 'next', payload: { data } });
      for (const socket of subscribers) socket.send(text);
    }),
});
