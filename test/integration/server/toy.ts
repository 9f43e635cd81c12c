import {
  GraphQLError,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { expect } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/server/server.ts';

/** What the resolvers of the toy schema count, for the tests to look at. */
export interface ToyCounters {
  /** Events taken from the `flood` source. */
  pulled: number;
  /** Sources of `ticks`, `flood` and `silence` that are open. */
  open: number;
  /** Contexts that were made, with what the transport said about the client. */
  contexts: { requestId: string; connectionParams?: Record<string, unknown>; signal?: AbortSignal }[];
}

const Even = new GraphQLScalarType({
  name: 'Even',
  parseValue(value) {
    if (typeof value !== 'number' || value % 2 !== 0) throw new GraphQLError('That is not even.');
    return value;
  },
});

const ItemInput = new GraphQLInputObjectType({
  name: 'ItemInput',
  fields: { size: { type: new GraphQLNonNull(Even) }, name: { type: GraphQLString } },
});

const OrderInput = new GraphQLInputObjectType({
  name: 'OrderInput',
  fields: { items: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(ItemInput))) } },
});

const Nested: GraphQLObjectType = new GraphQLObjectType({
  name: 'Nested',
  fields: () => ({ self: { type: Nested, resolve: () => ({}) }, value: { type: GraphQLInt, resolve: () => 1 } }),
});

/** A schema with one field for each thing that a transport can get wrong. */
export function toySchema(counters: ToyCounters): GraphQLSchema {
  async function* counted<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    counters.open += 1;
    try {
      yield* source;
    } finally {
      counters.open -= 1;
    }
  }

  async function* ticks(count: number): AsyncGenerator<number> {
    for (let tick = 1; tick <= count; tick++) {
      yield tick;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async function* flood(size: number): AsyncGenerator<string> {
    for (;;) {
      counters.pulled += 1;
      yield `${'x'.repeat(size)}é`;
    }
  }

  async function* silence(signal: AbortSignal): AsyncGenerator<string> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }

  return new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        hello: {
          type: GraphQLString,
          args: { name: { type: GraphQLString, defaultValue: 'world' } },
          resolve: (_source, { name }) => `hello ${name}`,
        },
        order: {
          type: GraphQLInt,
          args: { input: { type: new GraphQLNonNull(OrderInput) } },
          resolve: (_source, { input }) => input.items.length,
        },
        nested: { type: Nested, resolve: () => ({}) },
        bug: {
          type: GraphQLString,
          resolve: () => {
            throw new Error('the password is hunter2');
          },
        },
        refused: {
          type: GraphQLString,
          resolve: () => {
            throw new GraphQLError('Not yours.', { extensions: { code: 'FORBIDDEN' } });
          },
        },
        leaky: { type: GraphQLInt, resolve: () => 'internal value' },
        slow: {
          type: GraphQLString,
          args: { ms: { type: new GraphQLNonNull(GraphQLInt) } },
          resolve: async (_source, { ms }) => {
            await new Promise((resolve) => setTimeout(resolve, ms));
            return 'done';
          },
        },
      },
    }),
    mutation: new GraphQLObjectType({
      name: 'Mutation',
      fields: { touch: { type: GraphQLString, resolve: () => 'touched' } },
    }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: {
        ticks: {
          type: GraphQLInt,
          args: { count: { type: GraphQLInt, defaultValue: 3 } },
          subscribe: (_source, { count }) => counted(ticks(count)),
          resolve: (tick) => tick,
        },
        flood: {
          type: GraphQLString,
          args: { size: { type: GraphQLInt, defaultValue: 10_000 } },
          subscribe: (_source, { size }) => counted(flood(size)),
          resolve: (text) => text,
        },
        silence: {
          type: GraphQLString,
          subscribe: (_source, _args, context) => counted(silence(context.signal)),
        },
        late: {
          type: GraphQLInt,
          subscribe: async (_source, _args) => {
            await new Promise((resolve) => setTimeout(resolve, 100));
            return counted(ticks(1_000));
          },
          resolve: (tick) => tick,
        },
        broken: {
          type: GraphQLInt,
          subscribe: async function* () {
            yield 1;
            throw new Error('the source broke: hunter2');
          },
          resolve: (tick) => tick,
        },
        forbidden: {
          type: GraphQLInt,
          subscribe: () => {
            throw new GraphQLError('Not yours.', { extensions: { code: 'FORBIDDEN' } });
          },
        },
      },
    }),
  });
}

/** A running toy server with its counters and the lines it logged. */
export interface Toy extends RunningServer {
  counters: ToyCounters;
  log: string[];
  wsUrl: string;
  /** POSTs an operation. */
  post(query: string, options?: { variables?: unknown; headers?: Record<string, string> }): Promise<ToyResponse>;
}

export interface ToyResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape.
  body: any;
}

/** Starts the toy schema on a port of its own. The caller closes it. */
export async function startToy(options: Partial<ServerOptions> = {}): Promise<Toy> {
  const counters: ToyCounters = { pulled: 0, open: 0, contexts: [] };
  const log: string[] = [];
  const logger = createLogger({ level: 'debug', destination: { write: (line) => void log.push(line) } });
  const server = await startServer({
    schema: toySchema(counters),
    host: '127.0.0.1',
    port: 0,
    createContext: async ({ requestId, connectionParams, signal }) => {
      const context = { requestId, ...(connectionParams ? { connectionParams } : {}), ...(signal ? { signal } : {}) };
      counters.contexts.push(context);
      return context;
    },
    tabs: [{ title: 'Watch', document: 'subscription Watch { ticks(count: 100) }' }],
    health: async () => ({ live: true, ready: true, details: {} }),
    logger,
    ...options,
  });
  const endpoint = `${server.url}/graphql`;
  return {
    ...server,
    counters,
    log,
    wsUrl: endpoint.replace('http', 'ws'),
    async post(query, { variables, headers } = {}) {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
  };
}

/** Asks until the expectation holds; long enough for a machine that is busy with other tests. */
export function eventually<T>(ask: () => T | Promise<T>) {
  return expect.poll(ask, { timeout: 20_000, interval: 10 });
}
