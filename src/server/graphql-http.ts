import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, GraphQLError } from 'graphql';
import { createYoga, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import type { Logger } from '../observability/logger.ts';
import type { Engine } from './engine.ts';
import type { ErrorPresenter } from './errors.ts';
import type { Limits } from './limits.ts';
import { type CreateContext, requestHeaders } from './operation.ts';

/** Answers one request for a JSON result; resolves when the response was handed to the socket. */
export type GraphQLHttpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
) => Promise<void>;

interface ServerContext {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
}

/** Codes for what Yoga refuses with an empty body. */
const CODE_OF_STATUS: Record<number, string> = {
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/**
 * GraphQL over HTTP by Yoga: content negotiation, status codes and the parameters of GET and POST are its part. Parsing,
 * validation and execution are the server's {@link Engine}, errors its {@link ErrorPresenter}, as on the other transports.
 */
export function createGraphQLHttpHandler(options: {
  engine: Engine;
  createContext: CreateContext;
  errors: ErrorPresenter;
  limits: Limits;
  logger: Logger;
}): GraphQLHttpHandler {
  const { engine, errors, limits, logger } = options;

  const plugin: Plugin<object, ServerContext> = {
    onParse: ({ setParseFn }) => setParseFn((source: unknown) => engine.parse(String(source))),
    onValidate: ({ setValidationFn }) =>
      setValidationFn(((_schema: unknown, document: Parameters<Engine['validate']>[0]) =>
        engine.validate(document)) as never),
    onExecute({ setExecuteFn }) {
      setExecuteFn(async (args: ExecutionArgs) => {
        const { request, req, requestId } = args.contextValue as YogaInitialContext & ServerContext;
        const headers = requestHeaders(req);
        const contextValue = await options.createContext({ headers, requestId, signal: request.signal });
        return engine.execute({ ...args, contextValue });
      });
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(() => ({ errors: [streamNeeded()] }));
    },
    onResultProcess({ result, setResult, serverContext }) {
      if (Symbol.asyncIterator in result || Array.isArray(result)) return;
      const presented = errors.present(result, serverContext.requestId);
      setResult(presented.errors ? { ...presented, errors: presented.errors.map(withStatusOfMalformed) } : presented);
    },
    onResponse({ response, setResponse, fetchAPI }) {
      if (response.status < 400 || response.body) return;
      const code = CODE_OF_STATUS[response.status] ?? 'BAD_REQUEST';
      const body = { errors: [{ message: response.statusText || 'The request is refused.', extensions: { code } }] };
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      setResponse(new fetchAPI.Response(JSON.stringify(body), { status: response.status, headers }));
    },
  };

  const yoga = createYoga<ServerContext>({
    schema: engine.schema,
    plugins: [plugin],
    graphqlEndpoint: '/graphql',
    maxRequestBodySize: limits.bodyBytes,
    batching: false,
    multipart: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    maskedErrors: false,
    parserAndValidationCache: false,
    logging: {
      debug() {},
      info() {},
      warn: (...args: unknown[]) => logger.warn({ args }, 'graphql over http'),
      error: (...args: unknown[]) => logger.error({ err: args[0] }, 'graphql over http'),
    },
  });

  return async (req, res, requestId) => {
    await yoga(req, res, { requestId } as ServerContext);
  };
}

/**
 * Yoga answers a request that is not even GraphQL (broken JSON, no query) to clients of `application/json` with 200, as
 * it does for a wrong query. Such a client would take it for an answer of the schema.
 */
function withStatusOfMalformed(error: GraphQLError): GraphQLError {
  const { code, http } = error.extensions;
  if (code !== 'BAD_REQUEST' || !http) return error;
  return new GraphQLError(error.message, { extensions: { ...error.extensions, http: { ...http, spec: false } } });
}

function streamNeeded(): GraphQLError {
  const message = 'Subscriptions need a WebSocket, or a request that accepts text/event-stream.';
  return new GraphQLError(message, { extensions: { code: 'NOT_ACCEPTABLE', http: { status: 406 } } });
}
