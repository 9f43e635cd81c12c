import type { Cluster } from './cluster.ts';
import type { JobQueue } from './job-queue.ts';
import type { RapiRequest } from './rapi-request.ts';

/** What a resource works with. */
export interface RapiParts {
  readonly cluster: Cluster;
  readonly queue: JobQueue;
  readonly drained: () => boolean;
}

/** Answers a request with the JSON of a 200, or throws `RapiError`. `items` are the variable parts of the path. */
export type Handler = (parts: RapiParts, request: RapiRequest, items: readonly string[]) => unknown;

/** A path with its methods. */
export interface Route {
  readonly path: RegExp;
  readonly methods: Readonly<Record<string, Handler>>;
  /** Which options a user needs, by method; none listed: any user. */
  readonly access?: Readonly<Record<string, readonly ('read' | 'write')[]>>;
}
