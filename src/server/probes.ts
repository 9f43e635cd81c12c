import type { ServerResponse } from 'node:http';
import type { Logger } from '../observability/logger.ts';
import { sendError, sendJson } from './respond.ts';

/** The answer behind `/healthz` and `/readyz`. */
export interface Health {
  /** False asks the supervisor for a restart: only for what a restart repairs. */
  live: boolean;
  /** False takes this replica out of the load balancer. */
  ready: boolean;
  /** Sent along as it is; no secrets. */
  details: object;
}

/** What machines ask a server about itself. */
export interface Probes {
  healthz(response: ServerResponse): Promise<void>;
  readyz(response: ServerResponse): Promise<void>;
  metrics(response: ServerResponse): Promise<void>;
}

/** Makes the handlers of `/healthz`, `/readyz` and `/metrics`. A question that takes too long is answered with 503. */
export function createProbes(options: {
  health(): Promise<Health>;
  metrics?: (() => Promise<string>) | undefined;
  timeoutMs: number;
  isDraining(): boolean;
  logger: Logger;
}): Probes {
  async function ask(): Promise<Health> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Health>((resolve) => {
      const answer = { live: true, ready: false, details: { error: `no answer within ${options.timeoutMs} ms` } };
      timer = setTimeout(() => resolve(answer), options.timeoutMs);
    });
    try {
      return await Promise.race([options.health(), late]);
    } catch (error) {
      options.logger.error({ err: error }, 'the health check failed');
      return { live: true, ready: false, details: { error: 'the health check failed' } };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async healthz(response) {
      const { live, details } = await ask();
      sendJson(response, live ? 200 : 503, { status: live ? 'live' : 'not live', details });
    },
    async readyz(response) {
      if (options.isDraining()) return sendJson(response, 503, { status: 'draining' });
      const { ready, details } = await ask();
      sendJson(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', details });
    },
    async metrics(response) {
      if (!options.metrics) return sendError(response, 404, 'NOT_FOUND', 'There are no metrics here.');
      const text = await options.metrics();
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(text);
    },
  };
}
