/** What every server's `start` is given; it answers with the URL of its GraphQL endpoint. */
export interface ServerOptions {
  readonly databaseUrl: string;
}

/** The connections of every server's pool: the product's own default. */
export const POOL_SIZE = 20;
