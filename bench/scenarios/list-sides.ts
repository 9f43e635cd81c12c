import type { Bar } from '../result.ts';

/** A machine of the list, in the one form that all answers are brought into. */
export interface ListedMachine {
  readonly name: string;
  readonly operState: string;
  readonly task: string | null;
  readonly buildPercentage: number;
  readonly backend: string;
  readonly nics: readonly { index: number; ipv4: string | null; mac: string | null; network: string }[];
}

/** A server that answers the list: what it is asked, and how to read its answer. */
export interface ListSide {
  readonly name: string;
  /** Below bench/. */
  readonly program: string;
  readonly query: string;
  /** Finds the machines in an answer's `data`. */
  readonly read: (data: never) => readonly ListedMachine[];
  readonly bar?: Bar;
}

interface OurMachine extends Omit<ListedMachine, 'backend' | 'nics'> {
  readonly backend: { name: string };
  readonly nics: readonly (Omit<ListedMachine['nics'][number], 'network'> & { network: { name: string } })[];
}

const fromOurs = (machines: readonly OurMachine[]): ListedMachine[] =>
  machines.map(({ name, operState, task, buildPercentage, backend, nics }) => ({
    name,
    operState,
    task,
    buildPercentage,
    backend: backend.name,
    nics: nics.map(({ index, ipv4, mac, network }) => ({ index, ipv4, mac, network: network.name })),
  }));

interface GraphileMachine extends Omit<ListedMachine, 'backend' | 'nics'> {
  readonly backendByBackendId: { name: string };
  readonly networkInterfacesByVirtualMachineId: {
    nodes: (Omit<ListedMachine['nics'][number], 'network'> & { networkByNetworkId: { name: string } })[];
  };
}

const fromGraphile = (machines: readonly GraphileMachine[]): ListedMachine[] =>
  machines.map(({ backendByBackendId, networkInterfacesByVirtualMachineId, ...machine }) => ({
    name: machine.name,
    operState: machine.operState,
    task: machine.task,
    buildPercentage: machine.buildPercentage,
    backend: backendByBackendId.name,
    nics: networkInterfacesByVirtualMachineId.nodes.map(({ index, ipv4, mac, networkByNetworkId }) => ({
      index,
      ipv4,
      mac,
      network: networkByNetworkId.name,
    })),
  }));

const FIELDS = 'id name operState task buildPercentage';
const OURS = `${FIELDS} backend { id name } nics { index ipv4 mac network { id name } }`;

/** PostGraphile's names; version 5 calls a column `id` `rowId`, since `id` is the global one. */
const graphileQuery = (id: 'id' | 'rowId', order: string): string => `{
  allVirtualMachines(first: 100, orderBy: ${order}_DESC, condition: { deletedAt: null }) {
    nodes {
      ${FIELDS.replace('id', id)}
      backendByBackendId { ${id} name }
      networkInterfacesByVirtualMachineId(orderBy: INDEX_ASC, condition: { deletedAt: null }) {
        nodes { index ipv4 mac networkByNetworkId { ${id} name } }
      }
    }
  }
}`;

export const ours: ListSide = {
  name: 'ours',
  program: 'servers/product.ts',
  query: `{ virtualMachines(first: 100) { nodes { ${OURS} } } }`,
  read: ({ virtualMachines }: { virtualMachines: { nodes: OurMachine[] } }) => fromOurs(virtualMachines.nodes),
};

export const statements: ListSide = {
  name: 'four statements and JSON.stringify',
  program: 'servers/statements.ts',
  query: '{ list }',
  read: ours.read,
};

export const yogaPrisma: ListSide = {
  name: 'Yoga + Pothos + Prisma',
  program: 'servers/yoga-prisma.ts',
  query: `{ virtualMachines(first: 100) { ${OURS} } }`,
  read: ({ virtualMachines }: { virtualMachines: OurMachine[] }) => fromOurs(virtualMachines),
};

export const postgraphile4: ListSide = {
  name: 'PostGraphile 4',
  program: 'peers/postgraphile-4/server.mjs',
  query: graphileQuery('id', 'ID'),
  read: ({ allVirtualMachines }: { allVirtualMachines: { nodes: GraphileMachine[] } }) =>
    fromGraphile(allVirtualMachines.nodes),
};

export const postgraphile5: ListSide = {
  name: 'PostGraphile 5',
  program: 'peers/postgraphile-5/server.mjs',
  query: graphileQuery('rowId', 'ROW_ID'),
  read: postgraphile4.read,
};
