import type { Viewer } from '../auth/viewer.ts';
import type { Environment } from '../operations/environment.ts';

/** What every resolver gets: made by the server, one per request (per event for a subscription). */
export interface GraphQLContext {
  readonly viewer: Viewer;
  /** Names the request in logs and in masked errors. */
  readonly requestId: string;
  readonly environment: Environment;
}
