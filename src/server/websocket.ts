import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../observability/logger.ts';
import type { Engine } from './engine.ts';
import type { ErrorPresenter } from './errors.ts';
import { messageHead, messageTailOnce, wireError, wireResult } from './frames.ts';
import type { Limits } from './limits.ts';
import {
  type CreateContext,
  type OperationRequest,
  prepareOperation,
  requestHeaders,
  resultOfThrown,
} from './operation.ts';
import { type Pump, startPump } from './pump.ts';
import { createSocketWriter, keepAlive, type SocketWriter } from './socket-writer.ts';

/** The code that graphql-ws clients take as "come back": the server restarts. */
export const SERVICE_RESTART = 1012;

/** The WebSocket side of a server. */
export interface WebSocketTransport {
  /** Takes over a connection whose host, origin and path have been checked. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Subscriptions now open. */
  openStreams(): number;
  /** Asks every client to reconnect, elsewhere or later. */
  closeAll(): void;
  /** Cuts what is still there. */
  terminateAll(): void;
}

export interface WebSocketOptions {
  engine: Engine;
  createContext: CreateContext;
  authorizeConnection?: ((request: OperationRequest) => Promise<boolean>) | undefined;
  errors: ErrorPresenter;
  limits: Limits;
  logger: Logger;
  isDraining(): boolean;
}

/** One operation of one socket. Kept by its message's payload object: clients may use an id again as soon as it is free. */
interface OpenOperation {
  id: string;
  requestId: string;
  abort: AbortController;
}

interface Connection {
  request: IncomingMessage;
  socket: WebSocket;
  writer: SocketWriter;
  connectionId: string;
  context?: GraphQLWsContext;
  operations: Map<SubscribePayload, OpenOperation>;
}

type GraphQLWsContext = Context<Record<string, unknown>, Connection>;

/**
 * GraphQL over WebSockets, protocol `graphql-transport-ws`.
 *
 * The protocol (handshake, ids, close codes) is graphql-ws's `makeServer`; the frames of streams are ours. `makeServer`
 * stringifies every result of every subscriber on its own, so it is given a stream that yields nothing: a {@link Pump}
 * takes the results from the source, puts the bytes that {@link messageTailOnce} made once behind the subscription's own
 * head, and writes them when the socket has room. When the pump ends so does the stream, and graphql-ws sends `complete`.
 * The other way, a protocol server of our own, would own some four hundred lines more for the same frames.
 */
export function createWebSocketTransport(options: WebSocketOptions): WebSocketTransport {
  const { engine, errors, limits, logger } = options;
  let streams = 0;

  const protocol = makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: limits.connectionInitMs,

    async onConnect(context) {
      context.extra.context = context;
      if (!options.authorizeConnection) return true;
      return options.authorizeConnection(requestOf(context, context.extra.connectionId));
    },

    async onSubscribe(context, id, payload) {
      const { operations, socket } = context.extra;
      if (options.isDraining()) {
        socket.close(SERVICE_RESTART, 'Service restart');
        return [refusal('SERVICE_UNAVAILABLE', 'The server is restarting.')];
      }
      if (operations.size >= limits.subscriptionsPerSocket) {
        const message = `A connection may have ${limits.subscriptionsPerSocket} operations open.`;
        return [refusal('TOO_MANY_OPERATIONS', message)];
      }
      const operation: OpenOperation = { id, requestId: randomUUID(), abort: new AbortController() };
      operations.set(payload, operation);
      try {
        const prepared = prepareOperation(engine, payload);
        if ('document' in prepared) {
          const request = requestOf(context, operation.requestId, operation.abort.signal);
          return { ...prepared, contextValue: await options.createContext(request) };
        }
        release(context.extra, payload);
        return [...prepared];
      } catch (error) {
        // Here and not in onComplete, which graphql-ws does not call for an operation that never ran.
        release(context.extra, payload);
        return [errors.presentThrown(error, operation.requestId)];
      }
    },

    // What graphql-ws catches it answers by closing the socket, with every other operation on it.
    execute: async (args: ExecutionArgs) => {
      try {
        return await engine.execute(args);
      } catch (error) {
        return resultOfThrown(error);
      }
    },
    subscribe: async (args: ExecutionArgs) => {
      try {
        return await engine.subscribe(args);
      } catch (error) {
        return resultOfThrown(error);
      }
    },

    onOperation(context, id, payload, _args, result) {
      const { operations, writer } = context.extra;
      const requestId = operations.get(payload)?.requestId ?? context.extra.connectionId;
      // graphql-ws types a promise here as well, and has awaited it.
      const settled = result as AsyncIterable<ExecutionResult> | ExecutionResult;
      if (!(Symbol.asyncIterator in settled)) return errors.present(settled, requestId);
      const head = messageHead(id);
      const write = (one: ExecutionResult) => writer.stream(head, messageTailOnce(errors.present(one, requestId)));
      return silentStream(
        () => {
          streams += 1;
          const pump = startPump(settled, write, (error) =>
            logger.warn({ err: error, requestId }, 'a stream failed to end'),
          );
          pump.done
            .catch(() => {})
            .finally(() => {
              streams -= 1;
            });
          return pump;
        },
        async () => void (await settled[Symbol.asyncIterator]().return?.()),
      );
    },

    onNext: (_context, _id, _payload, _args, result) => wireResult(result as ExecutionResult),

    onError(context, _id, payload, found) {
      const requestId = context.extra.operations.get(payload)?.requestId ?? context.extra.connectionId;
      return found.map((error) => wireError(errors.presentThrown(error, requestId).toJSON()));
    },

    onComplete(context, _id, payload) {
      release(context.extra, payload);
    },
  });

  function requestOf(context: GraphQLWsContext, requestId: string, signal?: AbortSignal): OperationRequest {
    return {
      headers: requestHeaders(context.extra.request),
      ...(context.connectionParams ? { connectionParams: context.connectionParams } : {}),
      requestId,
      ...(signal ? { signal } : {}),
    };
  }

  const sockets = new WebSocketServer({
    noServer: true,
    // Compression costs a context of some 100 KiB per socket, and would make every shared frame a different one.
    perMessageDeflate: false,
    maxPayload: limits.bodyBytes,
    handleProtocols: (offered) => handleProtocols(offered),
  });

  function accept(socket: WebSocket, request: IncomingMessage): void {
    const writer = createSocketWriter(socket, request.socket, limits.bufferedBytes);
    const connectionId = randomUUID();
    const connection: Connection = { request, socket, writer, connectionId, operations: new Map() };
    const tcp = request.socket;
    const stopWatching = keepAlive(socket, () => tcp.bytesWritten - tcp.writableLength, limits.keepAliveMs);
    socket.on('error', (error) => logger.debug({ err: error, requestId: connectionId }, 'websocket error'));
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: writer.reply,
        close: (code, reason) => socket.close(code, reason),
        onMessage: (receive) =>
          socket.on('message', (data) => {
            receive(String(data)).catch((error: unknown) => {
              logger.error({ err: error, requestId: connectionId }, 'unexpected error on a websocket');
              socket.close(CloseCode.InternalServerError, 'Internal server error');
            });
            abortForgotten(connection);
          }),
      },
      connection,
    );
    socket.once('close', (code, reason) => {
      stopWatching();
      for (const payload of [...connection.operations.keys()]) release(connection, payload);
      closed(code, String(reason)).catch((error: unknown) => {
        logger.error({ err: error, requestId: connectionId }, 'unexpected error while a websocket closed');
      });
    });
  }

  return {
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (opened) => accept(opened, request)),
    openStreams: () => streams,
    closeAll() {
      for (const socket of sockets.clients) socket.close(SERVICE_RESTART, 'Service restart');
    },
    terminateAll() {
      for (const socket of sockets.clients) socket.terminate();
    },
  };
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

function release(connection: Connection, payload: SubscribePayload): void {
  connection.operations.get(payload)?.abort.abort();
  connection.operations.delete(payload);
}

/** A client may complete an operation that has not produced anything yet: graphql-ws forgets it without telling us. */
function abortForgotten({ context, operations }: Connection): void {
  if (!context) return;
  for (const { id, abort } of operations.values()) if (!(id in context.subscriptions)) abort.abort();
}

/** The stream that graphql-ws iterates: it yields nothing, and ends when the pump does. */
function silentStream(
  start: () => Pump,
  abandon: () => Promise<void>,
): AsyncIterableIterator<ExecutionResult, void, void> {
  let pump: Pump | undefined;
  const end = { done: true, value: undefined } as const;
  return {
    async next() {
      pump ??= start();
      await pump.done;
      return end;
    },
    async return() {
      if (pump) pump.stop();
      else await abandon();
      return end;
    },
    async throw(error) {
      pump?.stop();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
