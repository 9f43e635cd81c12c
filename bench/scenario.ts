import type { BenchDatabase } from './database.ts';
import type { Comparison } from './result.ts';

/** What a scenario is given. */
export interface Bench {
  readonly database: BenchDatabase;
  /** Shorter and noisier: to see that everything still runs. */
  readonly quick: boolean;
  /** Tells who watches. */
  readonly say: (text: string) => void;
  /** Keeps a remark with the results: a peer left out, answers lost. */
  readonly note: (text: string) => void;
}

/** One thing that is compared. */
export interface Scenario {
  /** How the command line calls it. */
  readonly name: string;
  readonly title: string;
  readonly run: (bench: Bench) => Promise<readonly Comparison[]>;
}
