/** What one builds from the manuals: Yoga's schema and `createPubSub`, served by graphql-ws. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useServer } from 'graphql-ws/use/ws';
import { createPubSub, createSchema, createYoga } from 'graphql-yoga';
import pg from 'pg';
import { WebSocketServer } from 'ws';
import { encodeGlobalId } from '../../src/graphql/global-id.ts';
import { answerCalls } from '../channel.ts';
import { type ChangePlan, commitChanges } from './machine-change.ts';
import { machineEvent } from './machine-event.ts';
import { POOL_SIZE, type ServerOptions } from './server-options.ts';

const typeDefs = /* GraphQL */ `
  scalar JSON
  scalar DateTime
  type FieldChange { field: String! from: JSON to: JSON }
  type Operation { id: ID! kind: String! status: String! }
  type VirtualMachine { id: ID! name: String! operState: String! task: String buildPercentage: Int! }
  type VirtualMachineEvent {
    kind: String!
    version: Int!
    at: DateTime!
    cursor: String!
    cause: String
    changes: [FieldChange!]!
    operation: Operation
    virtualMachine: VirtualMachine
  }
  type Query { hello: String }
  type Subscription { virtualMachineChanged(id: ID!, after: String): VirtualMachineEvent! }
`;

// Events come complete, so that this peer, unlike ours, reads nothing from the database for them.
const pubsub = createPubSub<{ changed: [id: string, event: object] }>();
const resolvers = {
  Subscription: {
    virtualMachineChanged: {
      subscribe: (_root: unknown, { id }: { id: string }) => pubsub.subscribe('changed', id),
      resolve: (event: object) => event,
    },
  },
};
let pool: pg.Pool;

async function start({ databaseUrl }: ServerOptions): Promise<string> {
  pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
  const schema = createSchema({ typeDefs, resolvers });
  const http = createServer(createYoga({ schema, logging: false }));
  useServer({ schema }, new WebSocketServer({ server: http, path: '/graphql', perMessageDeflate: false }));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/graphql`;
}

answerCalls({
  start,
  change: (plan: ChangePlan) =>
    commitChanges(pool, plan, (machine) =>
      pubsub.publish('changed', encodeGlobalId('VirtualMachine', machine.id), machineEvent(machine)),
    ),
});
