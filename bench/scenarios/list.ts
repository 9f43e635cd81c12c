import { deepStrictEqual } from 'node:assert';
import pg from 'pg';
import { type Child, startChild } from '../child.ts';
import type { HttpLoad, HttpLoadResult } from '../load/http-load.ts';
import { ensureNode24, ensurePeer } from '../peers.ts';
import { type Comparison, compare } from '../result.ts';
import { alternate } from '../rounds.ts';
import type { Bench, Scenario } from '../scenario.ts';
import {
  type ListedMachine,
  type ListSide,
  ours,
  postgraphile4,
  postgraphile5,
  statements,
  yogaPrisma,
} from './list-sides.ts';

const CONNECTIONS = 16;

/** One Node, the servers that are compared on it, and for how long. */
interface Field {
  readonly node: string;
  readonly executable: string;
  readonly peers: readonly ListSide[];
}

interface Round {
  readonly perSecond: number;
  readonly cpuMillis: number;
}

/** Throughput of the list that a console shows first. */
export const list: Scenario = {
  name: 'list',
  title: '100 of 10 000 virtual machines with backend, 2 NICs and their networks, 16 connections',
  async run(bench) {
    const databaseUrl = await bench.database.copy('list');
    const expected = await readExpected(databaseUrl);
    const comparisons: Comparison[] = [];
    for (const field of fields(bench)) comparisons.push(...(await runField(bench, field, databaseUrl, expected)));
    return comparisons;
  },
};

/** PostGraphile 5 answers no connection query below Node 22, so that it is met on Node 24. */
function fields(bench: Bench): Field[] {
  const major = Number(process.versions.node.split('.')[0]);
  const isOld = major < 22;
  const onThis = isOld
    ? [statements, yogaPrisma, { ...postgraphile4, bar: { atLeast: 2 } }]
    : [{ ...statements, bar: { atLeast: 0.6 } }, yogaPrisma, postgraphile4, { ...postgraphile5, bar: { atLeast: 3 } }];
  const found: Field[] = [{ node: `Node ${major}`, executable: process.execPath, peers: onThis }];
  const node24 = isOld ? ensureNode24(bench.say) : undefined;
  if (node24) {
    const peers = [
      { ...statements, bar: { atLeast: 0.6 } },
      { ...postgraphile5, bar: { atLeast: 3 } },
    ];
    found.push({ node: 'Node 24', executable: node24, peers });
  } else if (isOld) {
    bench.note('list: no Node 24 here, so that PostGraphile 5 is not compared.');
  }
  return found.map((field) => ({ ...field, peers: field.peers.filter((side) => isThere(bench, side)) }));
}

function isThere(bench: Bench, side: ListSide): boolean {
  const peer = /^peers\/([^/]+)\//.exec(side.program)?.[1];
  if (peer === undefined || ensurePeer(peer, bench.say)) return true;
  bench.note(`list: ${side.name} could not be installed and is left out.`);
  return false;
}

async function runField(
  bench: Bench,
  { node, executable, peers }: Field,
  databaseUrl: string,
  expected: readonly ListedMachine[],
): Promise<Comparison[]> {
  const load = startChild('load/http-load.ts');
  const children: Child[] = [load];
  try {
    const contenders: { side: ListSide; server: Child; request: HttpLoad }[] = [];
    for (const side of [ours, ...peers]) {
      const server = startChild(side.program, { executable });
      children.push(server);
      const url = await server.call<string>('start', { databaseUrl });
      contenders.push({ side, server, request: await verified(side, url, expected, bench.quick ? 700 : 2_000) });
    }
    for (const { request } of contenders)
      await load.call('load', { ...request, durationMs: bench.quick ? 700 : 2_500 });
    const measured = await alternate(contenders, bench.quick ? 2 : 3, async ({ side, server, request }) => {
      const before = await server.call<number>('cpuMicros');
      const { right, perSecond, wrong } = await load.call<HttpLoadResult>('load', request);
      const cpuMillis = ((await server.call<number>('cpuMicros')) - before) / 1_000 / right;
      if (wrong > 0) bench.note(`list: ${side.name} on ${node} gave ${wrong} wrong answers in a round.`);
      return { perSecond, cpuMillis };
    });
    const [our = [], ...others] = contenders.map((one) => measured.get(one) ?? []);
    const rates = (rounds: readonly Round[]): number[] => rounds.map(({ perSecond }) => perSecond);
    const costs = (rounds: readonly Round[]): number[] => rounds.map(({ cpuMillis }) => cpuMillis);
    return others.flatMap((peer, at) => {
      const { name: peerName, bar } = peers[at] as ListSide;
      return [
        compare({ scenario: 'list', metric: `requests/s (${node})`, peerName }, rates(our), rates(peer), bar),
        // Of the server's process alone, without PostgreSQL: it depends less than the rate on what else is going on.
        compare({ scenario: 'list', metric: `CPU per request, ms (${node})`, peerName }, costs(our), costs(peer)),
      ];
    });
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}

/** Asks once and compares the rows with the database's; from then on the bytes must be the same. */
async function verified(
  { name, query, read }: ListSide,
  url: string,
  expected: readonly ListedMachine[],
  durationMs: number,
): Promise<HttpLoad> {
  const body = JSON.stringify({ query });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const text = await (await fetch(url, { method: 'POST', headers, body })).text();
  const { data, errors } = JSON.parse(text) as { data: never; errors?: unknown };
  if (errors) throw new Error(`${name} answered ${JSON.stringify(errors).slice(0, 500)}`);
  deepStrictEqual(read(data), expected, `${name} answers with other rows than the database has`);
  return { url, body, expected: text, connections: CONNECTIONS, durationMs };
}

async function readExpected(databaseUrl: string): Promise<ListedMachine[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ machine: ListedMachine }>(`
      SELECT json_build_object('name', vm."name", 'operState', vm."operState", 'task', vm."task",
               'buildPercentage', vm."buildPercentage", 'backend', b."name", 'nics', (
                 SELECT json_agg(json_build_object('index', n."index", 'ipv4', n."ipv4", 'mac', n."mac", 'network', net."name")
                                 ORDER BY n."index")
                   FROM "NetworkInterface" n JOIN "Network" net ON net."id" = n."networkId"
                  WHERE n."virtualMachineId" = vm."id")) AS machine
        FROM "VirtualMachine" vm JOIN "Backend" b ON b."id" = vm."backendId" ORDER BY vm."id" DESC LIMIT 100`);
    return rows.map(({ machine }) => machine);
  } finally {
    await client.end();
  }
}
