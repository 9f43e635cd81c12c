import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { GraphQLError, GraphQLSchema } from 'graphql';
import type { Logger } from '../observability/logger.ts';
import { type CallbackHandler, type CallbackRoutes, callbackName, createCallbackHandler } from './callbacks.ts';
import { createEngine, type Execute, type Subscribe } from './engine.ts';
import { createErrorPresenter } from './errors.ts';
import { createEventStreamTransport } from './event-stream.ts';
import { createGraphiQL, type GraphiQLTab } from './graphiql.ts';
import { createGraphQLHttpHandler } from './graphql-http.ts';
import { createGraphQLRoute } from './graphql-route.ts';
import { createHostRule, isLoopback } from './hosts.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { CreateContext, OperationRequest } from './operation.ts';
import { createProbes, type Health } from './probes.ts';
import { sendError } from './respond.ts';
import { createWebSocketTransport } from './websocket.ts';

/** What a server is made of. It knows GraphQL and its transports, and nothing of what the schema is about. */
export interface ServerOptions {
  schema: GraphQLSchema;
  host: string;
  /** 0 lets the operating system choose one. */
  port: number;
  /** The context value of one operation. A GraphQLError with a code that it throws is the operation's answer. */
  createContext: CreateContext;
  /** Asked once per WebSocket with its `connection_init`; false closes it with 4403. */
  authorizeConnection?: (request: OperationRequest) => Promise<boolean>;
  /** Served by the main listener, or by `callbackListen` alone when that is given. */
  callbacks?: CallbackRoutes;
  callbackListen?: { host: string; port: number };
  /** The tabs of GraphiQL, in order; the first is in front. */
  tabs: readonly GraphiQLTab[];
  health(): Promise<Health>;
  /** The Prometheus text behind `/metrics`, 404 while absent. */
  metrics?: () => Promise<string>;
  logger: Logger;
  limits?: Partial<Limits>;
  /** May replace an error before the masking rules see it; undefined leaves it to them. */
  maskError?: (error: GraphQLError) => GraphQLError | undefined;
  /** In place of graphql-js, on every transport. */
  execute?: Execute;
  subscribe?: Subscribe;
  /**
   * Host names, besides those of loopback, under which requests are answered; `any` is for servers with real
   * authentication. When absent: none but loopback on a loopback `host`, any elsewhere.
   */
  allowedHosts?: readonly string[] | 'any';
  /** Web origins (`https://console.example.org`) whose pages may call this server. Local ones may in development anyway. */
  corsOrigins?: readonly string[];
  /** Whether browsers get GraphiQL; true when absent. */
  graphiql?: boolean;
  /** Whether the schema may be asked for; true when absent. */
  introspection?: boolean;
  title?: string;
}

/** A server that listens. */
export interface RunningServer {
  /** `http://host:port`, without a path. */
  url: string;
  port: number;
  /** The base of the callback paths: the second listener's address, or {@link RunningServer.url}. */
  callbackUrl: string;
  /** Subscriptions now open, over WebSockets and SSE. */
  openStreams(): number;
  /** Readiness turns 503 and new operations are refused, those under way go on. Callbacks are answered until the end. */
  drain(): void;
  /**
   * Drains, asks the clients of streams to reconnect (1012, an end without `complete`), waits for requests under way and
   * cuts what is left after `graceMs` milliseconds. Resolves when nothing listens and no socket is open.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Opens the listeners.
 *
 * @throws the error of `listen`, such as EADDRINUSE, with nothing left open.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const { logger } = options;
  let draining = false;
  const isDraining = () => draining;

  const introspection = options.introspection ?? true;
  const { schema, execute, subscribe } = options;
  const engine = createEngine({ schema, limits, introspection, execute, subscribe });
  const errors = createErrorPresenter({ logger, maskError: options.maskError });
  const hosts = createHostRule(options.allowedHosts ?? (isLoopback(options.host) ? [] : 'any'), options.corsOrigins);
  const parts = { engine, createContext: options.createContext, errors, limits, logger };
  const eventStream = createEventStreamTransport(parts);
  const webSocket = createWebSocketTransport({
    ...parts,
    authorizeConnection: options.authorizeConnection,
    isDraining,
  });
  const graphiql =
    options.graphiql === false
      ? undefined
      : createGraphiQL({ title: options.title ?? 'Ganeti GraphQL', tabs: options.tabs });
  const http = createGraphQLHttpHandler(parts);
  const graphql = createGraphQLRoute({ http, eventStream, graphiql, hosts, isDraining });
  const probes = createProbes({
    health: options.health,
    metrics: options.metrics,
    timeoutMs: limits.healthTimeoutMs,
    isDraining,
    logger,
  });
  const callbacks: CallbackHandler = options.callbacks
    ? createCallbackHandler(options.callbacks, limits)
    : async () => false;
  const hasOwnCallbackListener = options.callbackListen !== undefined;

  async function answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const path = pathOf(request);
    if (!hasOwnCallbackListener && (await callbacks(request, response))) return;
    const refusal = hosts.refusal(request);
    if (refusal) return sendError(response, 403, 'FORBIDDEN', refusal);
    if (path === '/graphql') return graphql(request, response, requestId);
    if (graphiql && path.startsWith('/graphiql/')) return graphiql.asset(request, response);
    if (path === '/healthz') return probes.healthz(response);
    if (path === '/readyz') return probes.readyz(response);
    if (path === '/metrics') return probes.metrics(response);
    notFound(response);
  }

  async function answerCallback(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!(await callbacks(request, response))) notFound(response);
  }

  /** What every request has in common: an id, a log line, and an answer even when a handler fails. */
  function listener(handle: (request: IncomingMessage, response: ServerResponse, requestId: string) => Promise<void>) {
    return (request: IncomingMessage, response: ServerResponse): void => {
      const requestId = requestIdOf(request);
      const startedAtMs = performance.now();
      response.setHeader('x-request-id', requestId);
      // A keep-alive connection would carry the next request to a server that is leaving.
      if (draining) response.setHeader('connection', 'close');
      response.once('close', () => {
        if (!logger.isLevelEnabled('debug')) return;
        const ms = Math.round(performance.now() - startedAtMs);
        const route = callbackName(pathOf(request)) ?? pathOf(request);
        logger.debug({ requestId, method: request.method, route, status: response.statusCode, ms }, 'request');
      });
      handle(request, response, requestId).catch((error: unknown) => {
        logger.error({ err: error, requestId }, 'unexpected error in a request');
        if (response.headersSent) response.destroy();
        else sendInternalError(response, requestId);
      });
    };
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    let refused: string | undefined;
    if (pathOf(request) !== '/graphql') refused = '404 Not Found';
    else if (hosts.refusal(request)) refused = '403 Forbidden';
    else if (draining) refused = '503 Service Unavailable';
    if (refused) socket.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else webSocket.upgrade(request, socket, head);
  }

  const timeouts = {
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: Math.min(10_000, limits.requestTimeoutMs),
  };
  const main = createServer(timeouts, listener(answer)).on('upgrade', upgrade);
  const second = options.callbackListen ? createServer(timeouts, listener(answerCallback)) : undefined;
  const listeners = second ? [main, second] : [main];

  await listen(main, options.host, options.port);
  if (second && options.callbackListen) {
    try {
      await listen(second, options.callbackListen.host, options.callbackListen.port);
    } catch (error) {
      main.close();
      throw error;
    }
  }
  const url = urlOf(main, options.host);
  let closing: Promise<void> | undefined;

  function drain(): void {
    draining = true;
  }

  async function shutDown(graceMs: number): Promise<void> {
    drain();
    webSocket.closeAll();
    eventStream.endAll();
    const cut = setTimeout(() => {
      webSocket.terminateAll();
      for (const server of listeners) server.closeAllConnections();
    }, graceMs);
    await Promise.all(listeners.map((server) => new Promise((resolve) => server.close(resolve))));
    clearTimeout(cut);
  }

  return {
    url,
    port: (main.address() as AddressInfo).port,
    callbackUrl: second && options.callbackListen ? urlOf(second, options.callbackListen.host) : url,
    openStreams: () => webSocket.openStreams() + eventStream.openStreams(),
    drain,
    close(graceMs) {
      closing ??= shutDown(graceMs);
      return closing;
    },
  };
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

/** The caller's own id when it is one, so that a trace can go through us; never text that could forge a log line. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
}

function notFound(response: ServerResponse): void {
  sendError(response, 404, 'NOT_FOUND', 'There is nothing here.');
}

function sendInternalError(response: ServerResponse, requestId: string): void {
  const body = JSON.stringify({
    errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR', requestId } }],
  });
  response.writeHead(500, { 'content-type': 'application/json; charset=utf-8' }).end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
