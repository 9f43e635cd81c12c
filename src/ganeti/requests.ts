import { findNonAscii } from './ascii.ts';
import { GanetiRequestError } from './errors.ts';

/** A job to be submitted, as plain JSON: it can be stored, compared and sent later. `reason` and `depends` are added by `submit`. */
export interface GanetiRequest {
  /** Ganeti's name of the opcode, `OP_…`, as the job's `ops[0].OP_ID` will say it. */
  readonly opcode: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A parent job and the final statuses that let the child run; an empty list means any. */
export type JobDependency = readonly [jobId: number, statuses: readonly ('success' | 'error' | 'canceled')[]];

/** For a child that runs however its parent ended. */
export const ANY_FINAL_STATUS: ['success', 'error', 'canceled'] = ['success', 'error', 'canceled'];

// RAPI's own pattern for a name in a path (`[\w\._-]+`, ASCII): an object named otherwise could not be addressed again.
const NAME = /^[A-Za-z0-9._-]+$/;

/** The name itself; throws {@link GanetiRequestError} when RAPI could not address an object of that name. */
export function checkedName(name: string, what: string): string {
  if (!NAME.test(name)) throw new GanetiRequestError(`${what} ${JSON.stringify(name)} is not a name RAPI can address`);
  return name;
}

/** The request itself; throws {@link GanetiRequestError} when any of its strings is not ASCII. */
export function checkedRequest(request: GanetiRequest): GanetiRequest {
  const found = findNonAscii({ path: request.path, query: request.query ?? {}, body: request.body ?? {} });
  if (found !== null) throw new GanetiRequestError(`${request.opcode}: ${found} is not ASCII`);
  return request;
}

/**
 * The same request as a rehearsal (`?dry-run=1`). It must be that query argument: `dry_run` in the query is ignored and the
 * job really runs, in the body it is a 400 (3.0.2). Every builder here makes a call that takes it. The job looks like a real success.
 */
export function asDryRun(request: GanetiRequest): GanetiRequest {
  return { ...request, query: { ...request.query, 'dry-run': '1' } };
}
