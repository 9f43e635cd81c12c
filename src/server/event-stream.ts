import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { Logger } from '../observability/logger.ts';
import type { Engine } from './engine.ts';
import type { ErrorPresenter } from './errors.ts';
import { serializeOnce } from './frames.ts';
import type { Limits } from './limits.ts';
import {
  type CreateContext,
  type OperationParams,
  prepareOperation,
  requestHeaders,
  resultOfThrown,
} from './operation.ts';
import { startPump } from './pump.ts';
import { BodyError, readJson, sendError } from './respond.ts';

/** GraphQL over server-sent events. */
export interface EventStreamTransport {
  /** Answers one request that accepts `text/event-stream`; resolves when the stream has ended. */
  handle(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void>;
  /** Subscriptions now open. */
  openStreams(): number;
  /** Ends every stream. Without a `complete` event, so that clients come back. */
  endAll(): void;
}

export interface EventStreamOptions {
  engine: Engine;
  createContext: CreateContext;
  errors: ErrorPresenter;
  limits: Limits;
  logger: Logger;
}

/**
 * The "distinct connections" mode of the GraphQL over SSE protocol: one request, one operation, `next` events and a
 * `complete`. Queries and mutations are welcome too, they yield one `next`.
 *
 * Not left to Yoga, for the sake of the same two promises as over WebSockets: a result is stringified once for all its
 * streams, and a client that does not read stops its own source and nothing else.
 */
export function createEventStreamTransport(options: EventStreamOptions): EventStreamTransport {
  const { engine, errors, limits, logger } = options;
  const open = new Set<() => void>();

  /** The one result or the stream of results of an operation, errors included. */
  async function run(params: OperationParams, method: string, request: Parameters<CreateContext>[0]) {
    try {
      const prepared = prepareOperation(engine, params);
      if (!('document' in prepared)) return { errors: prepared };
      const operation = getOperationAST(prepared.document, prepared.operationName)?.operation;
      if (operation === 'mutation' && method !== 'POST') return { errors: [mutationByGet()] };
      const args = { ...prepared, contextValue: await options.createContext(request) };
      return operation === 'subscription' ? await engine.subscribe(args) : await engine.execute(args);
    } catch (error) {
      return resultOfThrown(error);
    }
  }

  return {
    async handle(request, response, requestId) {
      let params: OperationParams;
      try {
        params = request.method === 'POST' ? bodyParams(await readJson(request, limits.bodyBytes)) : urlParams(request);
      } catch (error) {
        if (error instanceof BodyError) return sendError(response, error.status, error.code, error.message);
        throw error;
      }
      const abort = new AbortController();
      response.once('close', () => abort.abort());
      const headers = requestHeaders(request);
      const result = await run(params, request.method ?? '', { headers, requestId, signal: abort.signal });
      if (response.destroyed) return abandon(result);

      const writer = openEventStream(response, limits);
      const write = (one: ExecutionResult) => writer.next(serializeOnce(errors.present(one, requestId)));
      if (!(Symbol.asyncIterator in result)) {
        write(result);
        return writer.complete();
      }
      const pump = startPump(result, write, (error) =>
        logger.warn({ err: error, requestId }, 'a stream failed to end'),
      );
      let isEndedByUs = false;
      const end = () => {
        isEndedByUs = true;
        pump.stop();
        response.end();
      };
      open.add(end);
      response.once('close', pump.stop);
      try {
        await pump.done;
      } catch (error) {
        write({ errors: [errors.presentThrown(error, requestId)] });
      } finally {
        open.delete(end);
      }
      if (!isEndedByUs) writer.complete();
    },
    openStreams: () => open.size,
    endAll() {
      for (const end of [...open]) end();
    },
  };
}

interface EventWriter {
  next(json: string): void | Promise<void>;
  complete(): void;
}

function openEventStream(response: ServerResponse, limits: Limits): EventWriter {
  const socket = response.socket;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    // nginx would otherwise collect events until it has a page of them.
    'x-accel-buffering': 'no',
  });
  // Some browsers hold back the response headers until the first byte of the body.
  response.write(':\n\n');
  socket?.setNoDelay(true);
  socket?.setKeepAlive(true, limits.keepAliveMs);

  const flushedBytes = () => (socket ? socket.bytesWritten - socket.writableLength : 0);
  let flushedBefore = flushedBytes();
  const pings = setInterval(() => {
    const lastFlushed = flushedBefore;
    const isStuck = () => response.writableLength > 0 && flushedBytes() === lastFlushed;
    // Bytes wait and none has left since the last ping: nobody reads at the other end. Asked twice, since after a pause of
    // the whole process timers come before the news from the sockets.
    if (isStuck()) {
      setImmediate(() => {
        if (isStuck()) response.destroy();
      });
      return;
    }
    flushedBefore = flushedBytes();
    if (response.writableLength === 0) response.write(':\n\n');
  }, limits.keepAliveMs);
  pings.unref();
  response.once('close', () => clearInterval(pings));

  return {
    next(json) {
      // Never resolves, see the socket writer: the close event is about to stop the stream.
      if (response.destroyed || response.writableEnded) return new Promise(() => {});
      const hasRoom = response.write(`event: next\ndata: ${json}\n\n`);
      if (hasRoom || response.writableLength <= limits.bufferedBytes) return;
      return new Promise((resolve) => response.once('drain', resolve));
    },
    complete() {
      if (!response.destroyed) response.end('event: complete\ndata:\n\n');
    },
  };
}

function abandon(result: AsyncIterable<ExecutionResult> | ExecutionResult): void {
  if (!(Symbol.asyncIterator in result)) return;
  startPump(
    result,
    () => {},
    () => {},
  ).stop();
}

function mutationByGet(): GraphQLError {
  const extensions = { code: 'BAD_REQUEST', http: { status: 405 } };
  return new GraphQLError('Can only perform a mutation operation from a POST request.', { extensions });
}

function bodyParams(body: unknown): OperationParams {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new BodyError(400, 'The body is not a JSON object.');
  }
  const { query, operationName, variables } = body as Record<string, unknown>;
  if (typeof query !== 'string') throw new BodyError(400, 'Must provide query string.');
  if (operationName != null && typeof operationName !== 'string')
    throw new BodyError(400, '"operationName" is not a string.');
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables))) {
    throw new BodyError(400, '"variables" is not an object.');
  }
  return { query, operationName, variables: variables as Record<string, unknown> | null | undefined };
}

function urlParams(request: IncomingMessage): OperationParams {
  const search = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const variables = search.get('variables');
  try {
    return bodyParams({
      query: search.get('query'),
      operationName: search.get('operationName'),
      variables: variables === null ? undefined : JSON.parse(variables),
    });
  } catch (error) {
    if (error instanceof BodyError) throw error;
    throw new BodyError(400, '"variables" is not valid JSON.');
  }
}
