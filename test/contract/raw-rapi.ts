import type { OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { fetchCertificate } from '../../src/ganeti/index.ts';
import type { ContractTarget } from './target.ts';

/** What came back, as it was on the wire. */
export interface RawReply {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
  json: unknown;
}

/** A request as a careless client might send it. */
export interface RawRequest {
  body?: string;
  headers?: OutgoingHttpHeaders;
  /** Sends no credentials. */
  anonymous?: boolean;
}

/** Sends requests that the client would refuse or repair. */
export class RawRapi {
  readonly #target: ContractTarget;
  readonly #pem: string;

  private constructor(target: ContractTarget, pem: string) {
    this.#target = target;
    this.#pem = pem;
  }

  static async open(target: ContractTarget): Promise<RawRapi> {
    const { pem } = await fetchCertificate(target.url);
    return new RawRapi(target, pem);
  }

  /** Rejects when the connection ends without a reply. */
  async send(
    method: string,
    path: string,
    { body, headers = {}, anonymous = false }: RawRequest = {},
  ): Promise<RawReply> {
    const { hostname, port } = new URL(this.#target.url);
    const { username, password } = this.#target;
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          method,
          path,
          hostname,
          port,
          agent: false,
          ca: this.#pem,
          checkServerIdentity: () => undefined,
          headers: {
            ...(anonymous
              ? {}
              : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }),
            ...(body === undefined || headers['transfer-encoding']
              ? {}
              : { 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
        },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text, json: parse(text) });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** As {@link RawRapi.send}, with a JSON body of the right type. */
  async sendJson(method: string, path: string, body: unknown): Promise<RawReply> {
    return this.send(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
