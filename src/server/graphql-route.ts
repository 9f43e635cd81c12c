import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventStreamTransport } from './event-stream.ts';
import type { GraphiQL } from './graphiql.ts';
import type { GraphQLHttpHandler } from './graphql-http.ts';
import type { HostRule } from './hosts.ts';
import { sendError } from './respond.ts';

/** Any of these says that a script with permission to set headers made the request, which no foreign page has. */
const PREFLIGHT_HEADERS = ['x-graphql-yoga-csrf', 'apollo-require-preflight', 'graphql-require-preflight'];
/** A browser asks before it lets a foreign page send a body of this type. */
const JSON_TYPE = /^application\/(graphql\+)?json\b/i;

/**
 * Whether a foreign web page could have made a browser send this request without asking us first: a plain GET, a form, a
 * `text/plain` body. Browsers say themselves when a request comes from our own pages, which is what `EventSource` needs.
 */
export function mayBeForged(request: IncomingMessage): boolean {
  if (PREFLIGHT_HEADERS.some((name) => request.headers[name] !== undefined)) return false;
  if (request.headers['sec-fetch-site'] === 'same-origin') return false;
  return !(request.method === 'POST' && JSON_TYPE.test(request.headers['content-type'] ?? ''));
}

/** Everything on `/graphql` that is not a WebSocket: the page for a browser, an event stream, a JSON answer. */
export function createGraphQLRoute(options: {
  http: GraphQLHttpHandler;
  eventStream: EventStreamTransport;
  graphiql: GraphiQL | undefined;
  hosts: HostRule;
  isDraining(): boolean;
}) {
  return async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    const { method = '' } = request;
    const accept = request.headers.accept ?? '';
    const origin = options.hosts.corsOrigin(request);
    if (origin) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', 'x-request-id');
      response.setHeader('vary', 'origin');
    }
    if (method === 'OPTIONS') return answerPreflight(request, response, origin);
    if (method !== 'GET' && method !== 'POST') {
      return sendError(response, 405, 'METHOD_NOT_ALLOWED', 'Use GET or POST.', { allow: 'GET, POST' });
    }
    if (options.isDraining()) {
      return sendError(response, 503, 'SERVICE_UNAVAILABLE', 'The server is restarting.', { 'retry-after': '1' });
    }
    if (options.graphiql && method === 'GET' && accept.includes('text/html')) return options.graphiql.page(response);
    if (mayBeForged(request)) {
      const message = `Send JSON by POST, or one of these headers with any value: ${PREFLIGHT_HEADERS.join(', ')}.`;
      return sendError(response, 403, 'CSRF_PREVENTION', message);
    }
    if (method === 'POST' && !JSON_TYPE.test(request.headers['content-type'] ?? '')) {
      return sendError(response, 415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
    }
    if (method === 'GET' && !hasJsonParameters(request)) {
      return sendError(response, 400, 'BAD_REQUEST', '"variables" and "extensions" must be JSON.');
    }
    if (accept.includes('text/event-stream')) return options.eventStream.handle(request, response, requestId);
    return options.http(request, response, requestId);
  };
}

/** Checked here, since Yoga takes what is no JSON for a bug of its own. */
function hasJsonParameters(request: IncomingMessage): boolean {
  const search = new URL(request.url ?? '/', 'http://localhost').searchParams;
  try {
    for (const name of ['variables', 'extensions']) JSON.parse(search.get(name) || '{}');
    return true;
  } catch {
    return false;
  }
}

function answerPreflight(request: IncomingMessage, response: ServerResponse, origin: string | undefined): void {
  if (origin) {
    response.setHeader('access-control-allow-methods', 'GET, POST');
    response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '');
    response.setHeader('access-control-max-age', '600');
  }
  response.writeHead(204).end();
}
