import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { type Account, authenticate, readCredentials } from './accounts.ts';
import type { FaultRules } from './faults.ts';
import { RapiError } from './rapi-error.ts';
import { parseQuery } from './rapi-request.ts';
import type { RapiParts } from './route.ts';
import { type FoundRoute, findRoute } from './routes.ts';
import type { ServerIdentity } from './self-signed.ts';

/** What the server works with. */
export interface RapiServerParts {
  readonly rapi: RapiParts;
  readonly faults: FaultRules;
  readonly accounts: readonly Account[];
  readonly identity: ServerIdentity;
}

// RAPI's limits: beyond them it closes the connection without an answer.
const MAX_REQUEST_LINE = 8192;
const MAX_HEADERS = 4096;
const IDLE_MS = 10_000;

/** RAPI's HTTPS server: one request for each connection, and its own order of checks. */
export class RapiServer {
  readonly #parts: RapiServerParts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  /** For tests: connections seen so far, open now, and at most open at once. */
  readonly connections = { total: 0, open: 0, peak: 0 };
  /** For tests: every request line seen, without credentials. */
  readonly requests: { method: string; path: string }[] = [];

  constructor(parts: RapiServerParts) {
    this.#parts = parts;
    const { keyPem, certificatePem } = parts.identity;
    this.#server = createServer({
      key: keyPem,
      cert: certificatePem,
      requireHostHeader: false,
      maxHeaderSize: 64 * 1024,
      headersTimeout: IDLE_MS,
      requestTimeout: IDLE_MS,
      keepAlive: false,
    });
    this.#server.on('request', (request, response) => void this.#answer(request, response));
    // What is not HTTP gets no answer.
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    this.#server.on('tlsClientError', (_error, socket) => socket.destroy());
    this.#server.on('connection', (socket: Socket) => this.#track(socket));
  }

  get port(): number {
    return this.#port;
  }

  /** Listens on loopback; 0 takes a free port, which is then kept. */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address();
    if (typeof address === 'object' && address !== null) this.#port = address.port;
  }

  /** Refuses new connections and destroys those that are open. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  get listening(): boolean {
    return this.#server.listening;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    this.connections.total += 1;
    this.connections.open += 1;
    this.connections.peak = Math.max(this.connections.peak, this.connections.open);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.connections.open -= 1;
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '';
    const method = request.method ?? '';
    const path = url.split('?', 1)[0] ?? '';
    if (isTooLong(request, url)) {
      request.socket.destroy();
      return;
    }
    this.requests.push({ method, path });
    // Long answers (a long-poll, a slow fault) are not idleness.
    request.socket.setTimeout(0);
    try {
      if (request.httpVersion === '1.1' && request.headers.host === undefined) {
        throw new RapiError(400, 'Missing Host header');
      }
      const credentials = readCredentials(request.headers.authorization);
      const route = findRoute(method, path);
      authenticate(this.#parts.accounts, credentials, route.access);
      const body = parseBody(request, await readBody(request));
      await this.#perform(route, { method, path, url, body }, response);
    } catch (error) {
      if (response.destroyed) return;
      send(response, error instanceof RapiError ? error : new RapiError(500, String((error as Error).message)));
    }
  }

  async #perform(
    route: FoundRoute,
    request: { method: string; path: string; url: string; body: unknown },
    response: ServerResponse,
  ): Promise<void> {
    const { faults, rapi } = this.#parts;
    const { method, path, url, body } = request;
    const aimed = { method, path, submits: route.submits };
    const delayMs = faults.hits('slow', aimed);
    if (delayMs !== false) await rapi.cluster.clock.wait(delayMs);
    if (faults.hits('dropBeforeSubmit', aimed)) return void response.destroy();
    const query = parseQuery(url.slice(path.length + 1));
    const { status, text } = await outcome(() => route.handler(rapi, { method, path, query, body }, route.items));
    if (faults.hits('dropAfterSubmit', aimed)) return void response.destroy();
    if (faults.hits('error504', aimed)) {
      throw new RapiError(504, 'Timeout while talking to the master daemon: timed out');
    }
    if (faults.hits('garbage', aimed)) {
      return sendText(response, 200, 'application/json', `{"half": ${text.slice(0, 3)}`);
    }
    if (faults.hits('html', aimed)) return sendText(response, 200, 'text/html', '<html><body>It works!</body></html>');
    sendText(response, status, 'application/json', text);
  }
}

// What would be answered: faults come over refusals too.
async function outcome(handle: () => unknown): Promise<{ status: number; text: string }> {
  try {
    return { status: 200, text: `${JSON.stringify((await handle()) ?? null)}\n` };
  } catch (error) {
    const refusal = error instanceof RapiError ? error : new RapiError(500, String((error as Error).message));
    return { status: refusal.status, text: refusal.body() };
  }
}

function isTooLong(request: IncomingMessage, url: string): boolean {
  const requestLine = (request.method ?? '').length + url.length + ' HTTP/1.1'.length + 1;
  const headers = request.rawHeaders.reduce((sum, part) => sum + part.length + 2, 0);
  return requestLine > MAX_REQUEST_LINE || headers > MAX_HEADERS;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(request: IncomingMessage, text: string): unknown {
  if (text === '') return null;
  if ((request.headers['content-type'] ?? '').toLowerCase() !== 'application/json') throw new RapiError(415);
  // RAPI knows no chunks: it takes their framing for the body.
  const chunked = request.headers['transfer-encoding'] !== undefined;
  try {
    if (!chunked) return JSON.parse(text) as unknown;
  } catch {
    // Falls through.
  }
  throw new RapiError(400, 'Unable to parse JSON data');
}

function send(response: ServerResponse, error: RapiError): void {
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Basic realm="Ganeti Remote API"');
  sendText(response, error.status, 'application/json', error.body());
}

function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
    Server: 'Ganeti 3.0.2',
  });
  response.end(text);
}
