import { setMaxListeners } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { connectFailure } from './certificate.ts';
import { type CallPurpose, classifyReply, classifyTransportError } from './classify.ts';
import { checkedConnection, type GanetiConnection } from './connection.ts';
import { ConnectionSlots } from './connection-slots.ts';
import { deadline } from './deadline.ts';
import { GanetiError, GanetiRequestError } from './errors.ts';
import type { GanetiRequest } from './requests.ts';
import { SecureSocketOpener } from './secure-socket.ts';

/** One RAPI call. */
export interface RapiCall extends Pick<GanetiRequest, 'method' | 'path' | 'query' | 'body'> {
  readonly purpose: CallPurpose;
  readonly signal?: AbortSignal;
}

// RAPI closes the connection without any reply above 8192 characters of request line; the rest is "METHOD " and " HTTP/1.1".
const MAX_TARGET_CHARS = 8_000;
// A bulk list of 10 000 instances is about 15 MB.
const MAX_REPLY_BYTES = 256 * 1024 * 1024;

/**
 * Calls RAPI over HTTPS: one connection for each call, since RAPI never keeps one alive, and at most `maxConnections` at once.
 * A socket is destroyed at the end of its body; left open it would hold one of RAPI's 20 children for a second.
 */
export class RapiTransport {
  readonly #connection: Required<GanetiConnection>;
  readonly #authorization: string;
  readonly #slots: ConnectionSlots;
  readonly #sockets: SecureSocketOpener;
  readonly #closing = new AbortController();
  #lastGood = 0;

  constructor(connection: GanetiConnection) {
    this.#connection = checkedConnection(connection);
    const { username, password, maxConnections, tls } = this.#connection;
    this.#authorization = `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
    this.#slots = new ConnectionSlots(maxConnections);
    this.#sockets = new SecureSocketOpener(tls);
    // Each call in flight listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** The JSON of a 200 reply. Throws {@link GanetiError} for everything else, {@link GanetiRequestError} for a target that RAPI would drop. */
  async call(call: RapiCall): Promise<unknown> {
    const target = requestTarget(call);
    const ended = deadline(null, [this.#closing.signal, ...(call.signal === undefined ? [] : [call.signal])]);
    try {
      return await this.#slots.run(() => this.#tryEndpoints(call, target, ended.signal), ended.signal);
    } catch (error) {
      if (error instanceof GanetiError) throw error;
      throw transportError(call.purpose, 'connecting', error, 'the cluster');
    } finally {
      ended.release();
    }
  }

  /** Ends the calls in flight as if their time was over; later ones fail at once. */
  close(): void {
    this.#closing.abort();
  }

  // Only a failure to connect moves on to the next endpoint: there nothing can have been submitted.
  async #tryEndpoints(call: RapiCall, target: string, ended: AbortSignal): Promise<unknown> {
    const { endpoints } = this.#connection;
    const first = this.#lastGood;
    let telling: GanetiError | undefined;
    for (let offset = 0; offset < endpoints.length && !ended.aborted; offset += 1) {
      const index = (first + offset) % endpoints.length;
      const origin = endpoints[index] as string;
      const time = deadline(this.#connection.timeoutMs, [ended]);
      try {
        const socket = await this.#sockets.open(origin, time.signal).catch((error: unknown) => {
          const failure = transportError(call.purpose, 'connecting', error, origin);
          // "Wrong certificate" says more than "refused" of a node that is simply not the master.
          if (telling === undefined || telling.reason === 'unreachable') telling = failure;
          return null;
        });
        if (socket === null) continue;
        return await this.#exchange(socket, call, target, time.signal, origin).then(
          (reply) => this.#prefer(index, reply),
          (error: unknown) => this.#avoid(index, error),
        );
      } finally {
        time.release();
      }
    }
    throw telling ?? transportError(call.purpose, 'connecting', ended.reason, 'the cluster');
  }

  #prefer<T>(index: number, reply: T): T {
    this.#lastGood = index;
    return reply;
  }

  // One that takes connections and never replies must not be asked first forever.
  #avoid(index: number, error: unknown): never {
    const replied = error instanceof GanetiError && error.status !== undefined;
    this.#lastGood = replied ? index : (index + 1) % this.#connection.endpoints.length;
    throw error;
  }

  async #exchange(
    socket: TLSSocket,
    call: RapiCall,
    target: string,
    signal: AbortSignal,
    origin: string,
  ): Promise<unknown> {
    const client = new Client(origin, {
      // Not at once: undici would miss a connection that is there before it has returned from asking for one.
      connect: (_options, callback) => setImmediate(() => callback(null, socket)),
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: MAX_REPLY_BYTES,
    });
    let status: number;
    let body: string;
    try {
      const reply = await client.request({
        method: call.method,
        path: target,
        // Exactly this type: "application/json; charset=utf-8" is a 415. A string body is sent with its Content-Length, on
        // GET and DELETE too; RAPI knows no chunks.
        headers: {
          authorization: this.#authorization,
          accept: 'application/json',
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: call.body === undefined ? null : JSON.stringify(call.body),
        reset: true,
        signal,
      });
      status = reply.statusCode;
      body = await reply.body.text();
    } catch (error) {
      throw transportError(call.purpose, 'sent', error, origin);
    } finally {
      await client.destroy();
      socket.destroy();
    }
    return parseReply(call.purpose, status, body);
  }
}

function parseReply(purpose: CallPurpose, status: number, body: string): unknown {
  if (status === 200) {
    try {
      return JSON.parse(body);
    } catch {
      // Falls through: a 200 that is not JSON is garbage.
    }
  }
  throw new GanetiError(classifyReply(purpose, { status, body }));
}

function transportError(
  purpose: CallPurpose,
  phase: 'connecting' | 'sent',
  error: unknown,
  origin: string,
): GanetiError {
  return new GanetiError(classifyTransportError(purpose, { phase, ...connectFailure(error, origin) }));
}

function requestTarget(call: RapiCall): string {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(call.query ?? {})) {
    for (const value of typeof values === 'string' ? [values] : values) query.append(name, value);
  }
  const target = query.size === 0 ? call.path : `${call.path}?${query.toString()}`;
  if (target.length > MAX_TARGET_CHARS) {
    throw new GanetiRequestError(`${call.method} ${call.path}: ${target.length} characters of request line`);
  }
  return target;
}
