import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** How a subscription travels. */
export type Transport = 'graphql-ws' | 'SSE';
export const TRANSPORTS: readonly Transport[] = ['graphql-ws', 'SSE'];

export interface GraphQLErrors {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly path?: readonly string[] };
}

/** A client as a frontend would have one: typed documents in, typed results out. */
export class TestClient {
  readonly #url: string;

  /** @param url the product's, without a path */
  constructor(url: string) {
    this.#url = `${url}/graphql`;
  }

  /** @throws Error with the messages when the answer has errors */
  async request<Result, Variables>(
    document: TypedDocumentNode<Result, Variables>,
    variables: Variables,
  ): Promise<Result> {
    const { data, errors } = await this.send(print(document), variables);
    if (errors) throw new Error(errors.map((error) => `${error.extensions?.code}: ${error.message}`).join('\n'));
    return data as Result;
  }

  async send(query: string, variables: unknown = {}): Promise<{ data?: unknown; errors?: readonly GraphQLErrors[] }> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', connection: 'close' },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as { data?: unknown; errors?: readonly GraphQLErrors[] };
  }

  /** Opens a subscription; leaving the loop, or `return()`, ends it. */
  subscribe<Result, Variables extends Record<string, unknown>>(
    transport: Transport,
    document: TypedDocumentNode<Result, Variables>,
    variables: Variables,
  ): AsyncIterableIterator<Result> {
    const params = { query: print(document), variables };
    const results = transport === 'SSE' ? this.#sse().iterate<Result>(params) : this.#ws().iterate<Result>(params);
    return dataOf(results as AsyncIterableIterator<{ data?: Result | null; errors?: unknown }>);
  }

  #ws() {
    return createWsClient({
      url: this.#url.replace(/^http/, 'ws'),
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      lazyCloseTimeout: 0,
    });
  }

  #sse() {
    return createSseClient({ url: this.#url, singleConnection: false, retryAttempts: 0 });
  }
}

async function* dataOf<Result>(
  results: AsyncIterableIterator<{ data?: Result | null; errors?: unknown }>,
): AsyncGenerator<Result, void, undefined> {
  for await (const { data, errors } of results) {
    if (errors) throw new Error(JSON.stringify(errors));
    yield data as Result;
  }
}

/** The members of a result union by their `__typename`; fails with what came instead. */
export function expectType<Result extends { __typename?: string }, Name extends Result['__typename']>(
  result: Result,
  name: Name,
): Extract<Result, { __typename?: Name }> {
  if (result.__typename !== name) throw new Error(`expected ${name}, got ${JSON.stringify(result)}`);
  return result as Extract<Result, { __typename?: Name }>;
}
