import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ChangeFeed } from '../changes/index.ts';
import type { PrismaClient } from '../database/prisma.ts';
import type { ClusterClients } from './cluster-clients.ts';
import type { SecretBox } from './secret-box.ts';

/** What a running process hands to its services: made once in main (and once per test), never looked up globally. */
export interface Environment {
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  readonly feed: ChangeFeed;
  readonly clusters: ClusterClients;
  readonly secrets: SecretBox;
  readonly logger: Logger;
  readonly settings: ProductSettings;
  /** Tells the dispatcher that there is work on a cluster; a nudge, the dispatcher also polls. */
  readonly wake: (backendId: number) => void;
}

/** The settings of 3-domain (h) that rules depend on; the rest of the configuration stays in main. */
export interface ProductSettings {
  readonly ganetiPrefix: string;
  readonly ganetiCreateDefaults: Readonly<Record<string, unknown>>;
  readonly ganetiDryRun: boolean;
  readonly defaultBridge: string;
  readonly defaultMacPrefix: string;
  /** Base of the progress and config URLs handed to OS scripts, without a trailing slash. */
  readonly callbackUrl: string;
  /** RAPI timeout plus margin: how long an unanswered submission may still turn into a job. */
  readonly settleMs: number;
  readonly rapiTimeoutMs: number;
}
