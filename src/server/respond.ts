import type { IncomingMessage, ServerResponse } from 'node:http';

/** Sends `body` as JSON and ends the response. Does nothing when the client has gone. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed || response.headersSent) return;
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** Sends one error in the shape of a GraphQL response, which is what clients of this server parse anyway. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, { errors: [{ message, extensions: { code } }] }, headers);
}

/** A body that did not arrive as it should. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly status: 400 | 413;
  readonly code: 'BAD_REQUEST' | 'REQUEST_ENTITY_TOO_LARGE';
  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
    this.code = status === 413 ? 'REQUEST_ENTITY_TOO_LARGE' : 'BAD_REQUEST';
  }
}

/**
 * The parsed JSON body of a request, an empty one as undefined.
 *
 * @throws BodyError when it is longer than `limitBytes`, not JSON, not UTF-8, or cut off. What is too long is read to its
 * end and thrown away: a client that is still writing would otherwise see a reset in place of the 413.
 */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const text = await readText(request, limitBytes);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new BodyError(400, 'The body is not valid JSON.');
  }
}

function readText(request: IncomingMessage, limitBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength;
      if (length > limitBytes) {
        chunks.length = 0;
        reject(new BodyError(413, `The body is longer than ${limitBytes} bytes.`));
      } else {
        chunks.push(chunk);
      }
    });
    request.once('end', () => {
      try {
        resolve(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
      } catch {
        reject(new BodyError(400, 'The body is not valid UTF-8.'));
      }
    });
    request.once('error', () => reject(new BodyError(400, 'The body was cut off.')));
    request.once('close', () => reject(new BodyError(400, 'The body was cut off.')));
  });
}
