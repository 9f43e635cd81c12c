import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../fixtures/ganeti/', import.meta.url);

/** A recorded exchange with a real Ganeti 3.0.2. */
export interface Recorded {
  request: { method: string; path: string; body?: Record<string, unknown> };
  status: number;
  reply: unknown;
  /** The job that a submit made, as it ended. */
  job?: Record<string, unknown>;
}

/** A recorded exchange by the start of its file's name. */
export function recorded(name: string): Recorded {
  const file = recordedFiles().find((candidate) => candidate.startsWith(name));
  if (file === undefined) throw new Error(`nothing is recorded as ${name}`);
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Recorded;
}

/** The names of all recorded exchanges. */
export function recordedFiles(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort();
}
