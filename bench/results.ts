import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Comparison } from './result.ts';

/** Where and when a run took place: numbers without it mean nothing. */
export interface RunDescription {
  readonly date: string;
  readonly commit: string;
  readonly node: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly system: string;
  };
  readonly isQuick: boolean;
  /** Load averages over one minute: of others before the run, ours included after it. */
  readonly load: { readonly before: number; readonly after: number };
}

/** Takes down what can only be known at the start; `finish` adds the rest. */
export function describeRun(isQuick: boolean): { finish(): RunDescription } {
  const before = load();
  const date = new Date().toISOString();
  return {
    finish: () => ({
      date,
      commit: commit(),
      node: process.version,
      machine: {
        cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
        cores: os.availableParallelism(),
        memoryGiB: Math.round(os.totalmem() / 2 ** 30),
        system: `${os.type()} ${os.release()} ${os.arch()}`,
      },
      isQuick,
      load: { before, after: load() },
    }),
  };
}

/** Writes `results/latest.json` and what is to be known about it, `results/latest.meta.json`. */
export function writeResults(comparisons: readonly Comparison[], meta: object): void {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of [
    ['latest.json', comparisons],
    ['latest.meta.json', meta],
  ] as const) {
    writeFileSync(new URL(name, folder), `${JSON.stringify(content, null, 2)}\n`);
  }
}

/** Prints the comparisons as a table, on standard output. */
export function printTable(comparisons: readonly Comparison[]): void {
  const header = ['scenario', 'metric', 'ours', 'peer', '', 'ratio', 'bar', 'holds'];
  const rows = comparisons.map((one) => [
    one.scenario,
    one.metric,
    String(one.ours),
    String(one.peer),
    one.peerName,
    String(one.ratio),
    one.bar ?? '–',
    one.holds === null ? '–' : one.holds ? 'yes' : 'no',
  ]);
  const widths = header.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  process.stdout.write(`\n${[header, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')}\n\n`);
}

function load(): number {
  return Number((os.loadavg()[0] ?? 0).toFixed(2));
}

/** The commit, with `+` when the sources differ from it; a checkout without git has none. */
function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--', 'src', 'prisma') === '' ? '' : '+'}`;
  } catch {
    return 'unknown';
  }
}
