/** Many subscribers in a process of their own, each on its own WebSocket, speaking `graphql-transport-ws`. */
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { answerCalls, monotonicMs } from '../channel.ts';

export interface Subscribers {
  readonly url: string;
  readonly count: number;
  /** The payload of `subscribe`. */
  readonly payload: object;
}

/** A change that was committed: it bears the version, at a time of the machine's monotonic clock. */
export interface Commit {
  readonly version: number;
  readonly atMs: number;
}

export interface Deliveries {
  readonly delivered: number;
  readonly lost: number;
  /** Came more than once. */
  readonly doubled: number;
  /** Milliseconds from commit to frame. */
  readonly p50: number;
  readonly p99: number;
}

/** Sockets opened at a time: more would overflow the server's queue of connections to accept. */
const BATCH = 50;
const ARRIVE_WITHIN_MS = 5_000;
const VERSION = /"version":(\d+)/;

const complaints: string[] = [];
const groups = new Map<string, { sockets: WebSocket[]; arrivals: Map<number, number[]> }>();

async function connect({ url, count, payload }: Subscribers): Promise<void> {
  const group = { sockets: [] as WebSocket[], arrivals: new Map<number, number[]>() };
  groups.set(url, group);
  const subscribe = JSON.stringify({ id: '1', type: 'subscribe', payload });
  while (group.sockets.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - group.sockets.length) }, () =>
      open(url, subscribe, (version) => {
        const times = group.arrivals.get(version);
        if (times) times.push(monotonicMs());
        else group.arrivals.set(version, [monotonicMs()]);
      }),
    );
    group.sockets.push(...(await Promise.all(batch)));
  }
}

function open(url: string, subscribe: string, onChange: (version: number) => void): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, 'graphql-transport-ws', { perMessageDeflate: false });
    socket.on('error', reject);
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('message', (data: Buffer) => {
      const text = data.toString('latin1');
      if (text.includes('"type":"next"')) {
        // The state at first is no change; only changes are counted.
        if (text.includes('"kind":"CHANGE"')) onChange(Number(VERSION.exec(text)?.[1]));
      } else if (text.includes('connection_ack')) {
        socket.send(subscribe);
        resolve(socket);
      } else if (text.includes('"type":"ping"')) {
        socket.send('{"type":"pong"}');
      } else {
        // A refusal, or an end that nobody asked for.
        complaints.push(text.slice(0, 300));
      }
    });
  });
}

/** Waits until every subscriber has every commit, or long enough; forgets them then. */
async function collect({ url, commits }: { url: string; commits: readonly Commit[] }): Promise<Deliveries> {
  const group = groups.get(url);
  if (!group) throw new Error('Nobody is connected there.');
  if (complaints.length > 0) throw new Error(`${complaints.length} subscribers were refused: ${complaints[0]}`);
  const { sockets, arrivals } = group;
  const expected = sockets.length * commits.length;
  const count = (): number => commits.reduce((sum, { version }) => sum + (arrivals.get(version)?.length ?? 0), 0);
  for (const until = monotonicMs() + ARRIVE_WITHIN_MS; count() < expected && monotonicMs() < until; ) await sleep(20);
  const latencies = commits
    .flatMap(({ version, atMs }) => (arrivals.get(version) ?? []).map((arrivedMs) => arrivedMs - atMs))
    .sort((a, b) => a - b);
  const quantile = (q: number): number => latencies[Math.ceil(latencies.length * q) - 1] ?? Number.NaN;
  arrivals.clear();
  return {
    delivered: latencies.length,
    lost: Math.max(0, expected - latencies.length),
    doubled: Math.max(0, latencies.length - expected),
    p50: quantile(0.5),
    p99: quantile(0.99),
  };
}

function disconnect(): void {
  for (const { sockets } of groups.values()) for (const socket of sockets) socket.terminate();
  groups.clear();
}

answerCalls({ connect, collect, disconnect });
