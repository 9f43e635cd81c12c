import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket, connect as tcpConnect } from 'node:net';

/** A TCP proxy in front of a database, to do to connections what networks do. */
export interface TcpProxy {
  /** The target's URL, by way of the proxy. */
  readonly url: string;
  /** Connections opened so far. */
  readonly connections: number;
  /** Present connections go silent in both directions and stay open, as behind a dead NAT; new ones work. */
  halfOpen(): void;
  /** Present connections are reset. */
  cut(): void;
  /** While true new connections are refused by a reset. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

/** Starts a proxy on loopback to the host and port of `targetUrl`. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let connections = 0;
  let isRefusing = false;

  const server = createServer((near) => {
    if (isRefusing) {
      near.resetAndDestroy();
      return;
    }
    connections += 1;
    const far = tcpConnect(Number(target.port), target.hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair) {
      // A reset is what this is for.
      socket.on('error', () => {});
      socket.setNoDelay(true);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    get connections() {
      return connections;
    },
    halfOpen() {
      for (const sockets of pairs) {
        for (const socket of sockets) {
          socket.unpipe();
          socket.pause();
        }
      }
    },
    cut() {
      for (const [near, far] of pairs) {
        near.resetAndDestroy();
        far.destroy();
      }
    },
    refuse(value) {
      isRefusing = value;
    },
    async close() {
      for (const sockets of pairs) for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
