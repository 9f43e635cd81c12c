/** The limit of any server of this list: four batched prepared statements and JSON.stringify, no GraphQL at all. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { encodeGlobalId } from '../../src/graphql/global-id.ts';
import { answerCalls } from '../channel.ts';
import { POOL_SIZE, type ServerOptions } from './server-options.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

interface Machine extends Named {
  readonly operState: string;
  readonly task: string | null;
  readonly buildPercentage: number;
  readonly backendId: number;
}

interface Nic {
  readonly virtualMachineId: number;
  readonly networkId: number;
  readonly index: number;
  readonly ipv4: string | null;
  readonly mac: string | null;
}

const MACHINES = `
  SELECT "id", "name", "operState", "task", "buildPercentage", "backendId" FROM "VirtualMachine"
   WHERE "deletedAt" IS NULL ORDER BY "id" DESC LIMIT 100`;
const BACKENDS = `SELECT "id", "name" FROM "Backend" WHERE "id" = ANY($1)`;
const NICS = `
  SELECT "virtualMachineId", "networkId", "index", "ipv4", "mac" FROM "NetworkInterface"
   WHERE "virtualMachineId" = ANY($1) AND "deletedAt" IS NULL ORDER BY "virtualMachineId", "index"`;
const NETWORKS = `SELECT "id", "name" FROM "Network" WHERE "id" = ANY($1)`;

async function readList(pool: pg.Pool): Promise<string> {
  const machines = await pool.query<Machine>({ name: 'machines', text: MACHINES });
  const [backends, nics] = await Promise.all([
    pool.query<Named>({ name: 'backends', text: BACKENDS, values: [unique(machines.rows, (row) => row.backendId)] }),
    pool.query<Nic>({ name: 'nics', text: NICS, values: [machines.rows.map((row) => row.id)] }),
  ]);
  const networks = await pool.query<Named>({
    name: 'networks',
    text: NETWORKS,
    values: [unique(nics.rows, (row) => row.networkId)],
  });
  const backendOf = named('Backend', backends.rows);
  const networkOf = named('Network', networks.rows);
  const nicsOf = new Map<number, object[]>(machines.rows.map((row) => [row.id, []]));
  for (const { virtualMachineId, networkId, index, ipv4, mac } of nics.rows) {
    nicsOf.get(virtualMachineId)?.push({ index, ipv4, mac, network: networkOf.get(networkId) });
  }
  const nodes = machines.rows.map(({ id, name, operState, task, buildPercentage, backendId }) => ({
    id: encodeGlobalId('VirtualMachine', id),
    name,
    operState,
    task,
    buildPercentage,
    backend: backendOf.get(backendId),
    nics: nicsOf.get(id),
  }));
  return JSON.stringify({ data: { virtualMachines: { nodes } } });
}

function unique<Row>(rows: readonly Row[], key: (row: Row) => number): number[] {
  return [...new Set(rows.map(key))];
}

function named(type: string, rows: readonly Named[]): Map<number, object> {
  return new Map(rows.map(({ id, name }) => [id, { id: encodeGlobalId(type, id), name }]));
}

async function start({ databaseUrl }: ServerOptions): Promise<string> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
  const http = createServer(async (request, response) => {
    for await (const _chunk of request);
    const body = await readList(pool);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/graphql`;
}

answerCalls({ start });
