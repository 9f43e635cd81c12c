import { JOB_ROUTES } from './job-routes.ts';
import { RapiError } from './rapi-error.ts';
import { READ_ROUTES } from './read-routes.ts';
import type { Handler, Route } from './route.ts';
import { WRITE_ROUTES } from './write-routes.ts';

/** A request's handler before anybody is authenticated, as RAPI finds it. */
export interface FoundRoute {
  readonly handler: Handler;
  readonly items: readonly string[];
  readonly access: readonly ('read' | 'write')[];
  /** Whether the call submits a job: what faults are aimed at. */
  readonly submits: boolean;
}

const ROUTES: readonly Route[] = [...READ_ROUTES, ...JOB_ROUTES, ...WRITE_ROUTES];

/** Throws 404 for an unknown path and 501 for an unknown method of a known one, both before any 401. */
export function findRoute(method: string, path: string): FoundRoute {
  const matches = ROUTES.flatMap((route) => {
    const match = route.path.exec(path);
    return match === null ? [] : [{ route, items: match.slice(1) }];
  });
  if (matches.length === 0) throw new RapiError(404);
  for (const { route, items } of matches) {
    const handler = route.methods[method];
    if (handler === undefined) continue;
    return {
      handler,
      items,
      access: route.access?.[method] ?? (method === 'GET' ? [] : ['write']),
      submits: WRITE_ROUTES.includes(route),
    };
  }
  throw new RapiError(501, `Method ${method} is unsupported for path ${path}`);
}
