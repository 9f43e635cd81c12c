import { readFileSync } from 'node:fs';
import { encodeGlobalId } from '../../src/graphql/global-id.ts';
import { type Child, startChild } from '../child.ts';
import type { Commit, Deliveries } from '../load/subscriber-load.ts';
import { type Bar, type Comparison, compare } from '../result.ts';
import { alternate } from '../rounds.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { FIRST_MACHINE } from '../seed.ts';

const SUBSCRIBERS = 1_000;
const EVENTS_PER_SECOND = 10;

const SERVERS = [
  { name: 'ours', program: 'servers/product.ts' },
  { name: 'ws sending a ready string', program: 'servers/ready-string.ts', bar: { atMost: 1.25 } as Bar },
  { name: 'Yoga + graphql-ws', program: 'servers/yoga-subscriptions.ts' },
];

interface Contender {
  readonly name: string;
  readonly bar?: Bar;
  readonly server: Child;
  readonly url: string;
}

interface Round {
  readonly cpuMicros: number;
  readonly p50: number;
  readonly p99: number;
}

/** What a delivery costs the server, and how long it takes from the commit to the subscriber. */
export const subscribers: Scenario = {
  name: 'subscribers',
  title: `${SUBSCRIBERS} subscribers to one virtual machine, ${EVENTS_PER_SECOND} changes a second`,
  async run(bench) {
    const clients = startChild('load/subscriber-load.ts');
    const children: Child[] = [clients];
    try {
      const contenders: Contender[] = [];
      for (const { program, ...side } of SERVERS) {
        const server = startChild(program);
        children.push(server);
        // A database each: what the peers change is none of our feed's business.
        const databaseUrl = await bench.database.copy(`subscribers_${contenders.length}`);
        const url = (await server.call<string>('start', { databaseUrl })).replace('http', 'ws');
        await clients.call('connect', { url, count: SUBSCRIBERS, payload: payload() });
        contenders.push({ ...side, server, url });
      }
      for (const one of contenders) await measure(bench, clients, one, 10);
      const measured = await alternate(contenders, bench.quick ? 1 : 3, (one) =>
        measure(bench, clients, one, bench.quick ? 20 : 40),
      );
      return compareAll(contenders.map((one) => ({ ...one, rounds: measured.get(one) ?? [] })));
    } finally {
      await Promise.all(children.map((child) => child.stop()));
    }
  },
};

function payload(): object {
  const document = new URL('../../schema/documents/watch-virtual-machine.graphql', import.meta.url);
  return { query: readFileSync(document, 'utf8'), variables: { id: encodeGlobalId('VirtualMachine', FIRST_MACHINE) } };
}

async function measure(bench: Bench, clients: Child, one: Contender, count: number): Promise<Round> {
  const before = await one.server.call<number>('cpuMicros');
  const plan = { machineId: FIRST_MACHINE, count, perSecond: EVENTS_PER_SECOND };
  const commits = await one.server.call<Commit[]>('change', plan);
  const { delivered, lost, doubled, p50, p99 } = await clients.call<Deliveries>('collect', { url: one.url, commits });
  const after = await one.server.call<number>('cpuMicros');
  if (lost > 0 || doubled > 0) {
    bench.note(`subscribers: ${one.name} lost ${lost} and doubled ${doubled} of ${count * SUBSCRIBERS} deliveries.`);
  }
  return { cpuMicros: (after - before) / delivered, p50, p99 };
}

function compareAll([our, ...peers]: (Contender & { rounds: readonly Round[] })[]): Comparison[] {
  const metrics = [
    { metric: 'server CPU per delivery, µs', isBarred: true, read: (round: Round) => round.cpuMicros },
    { metric: 'commit to frame p50, ms', isBarred: false, read: (round: Round) => round.p50 },
    { metric: 'commit to frame p99, ms', isBarred: true, read: (round: Round) => round.p99 },
  ];
  return peers.flatMap(({ name, bar, rounds }) =>
    metrics.map(({ metric, isBarred, read }) =>
      compare(
        { scenario: 'subscribers', metric, peerName: name },
        our?.rounds.map(read) ?? [],
        rounds.map(read),
        isBarred ? bar : undefined,
      ),
    ),
  );
}
