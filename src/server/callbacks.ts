import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from './limits.ts';
import { createRateLimit } from './rate-limit.ts';
import { BodyError, readJson, sendError, sendJson } from './respond.ts';

/** What answers the callbacks of image deployers and booting guests. A token is all the authority they have. */
export interface CallbackRoutes {
  /** `POST /progress/<token>`; any 2xx is sent as 204. */
  progress(token: string, body: unknown): Promise<{ status: number; message?: string }>;
  /** `GET /config/<token>`; a body goes out as JSON. */
  config(token: string): Promise<{ status: number; body?: unknown }>;
  /** `POST /signal/<token>`; the path does not exist while this is absent. */
  signal?(token: string, body: unknown): Promise<{ status: number; message?: string }>;
}

/** Answers a callback; resolves to false when the path is none of ours. */
export type CallbackHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

const PATH = /^\/(progress|config|signal)\/([A-Za-z0-9._~-]{1,256})$/;

/** What a refusal is called when the route gave no message of its own. */
const CODE_OF_STATUS: Record<number, string> = {
  400: 'BAD_REQUEST',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
};

/** Which callback a path belongs to, without its token: what a log may say about it. */
export function callbackName(path: string): string | undefined {
  return PATH.exec(path)?.[1];
}

/**
 * Makes the handler of the callback paths. It answers under any host name: a cluster node calls us by whatever name it was
 * given, and who knows the token needs no other proof.
 */
export function createCallbackHandler(
  routes: CallbackRoutes,
  limits: Pick<Limits, 'callbackBodyBytes' | 'callbackPerSecond' | 'callbackBurst'>,
): CallbackHandler {
  const mayPass = createRateLimit({ perSecond: limits.callbackPerSecond, burst: limits.callbackBurst });

  return async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const [, name, token] = PATH.exec(path) ?? [];
    if (name === undefined || token === undefined) return false;
    const report = name === 'progress' ? routes.progress : routes.signal;
    if (name !== 'config' && !report) return false;

    const method = name === 'config' ? 'GET' : 'POST';
    if (request.method !== method) {
      sendError(response, 405, 'METHOD_NOT_ALLOWED', `Use ${method}.`, { allow: method });
    } else if (!mayPass(token)) {
      sendError(response, 429, 'TOO_MANY_REQUESTS', 'Too many requests, slow down.', { 'retry-after': '1' });
    } else if (name === 'config') {
      const { status, body } = await routes.config(token);
      if (status < 400) sendJson(response, status, body ?? null);
      else sendError(response, status, CODE_OF_STATUS[status] ?? 'REFUSED', 'There is no such configuration.');
    } else if (report) {
      await answerReport(request, response, (body) => report.call(routes, token, body));
    }
    return true;
  };

  async function answerReport(
    request: IncomingMessage,
    response: ServerResponse,
    report: (body: unknown) => Promise<{ status: number; message?: string }>,
  ): Promise<void> {
    let body: unknown;
    try {
      body = await readJson(request, limits.callbackBodyBytes);
      if (body === undefined) throw new BodyError(400, 'The body is empty.');
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      return sendError(response, error.status, error.code, error.message);
    }
    const { status, message } = await report(body);
    if (status < 300) response.writeHead(204).end();
    else sendError(response, status, CODE_OF_STATUS[status] ?? 'REFUSED', message ?? 'The report is refused.');
  }
}
