/**
 * `npm run bench -- [--quick] [scenario …]`: measures the product against its peers, prints a table and writes
 * `bench/results/latest.json`. See bench/README.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBenchDatabase } from './database.ts';
import type { Comparison } from './result.ts';
import { describeRun, printTable, writeResults } from './results.ts';
import type { Bench, Scenario } from './scenario.ts';
import { admission } from './scenarios/admission.ts';
import { list } from './scenarios/list.ts';
import { subscribers } from './scenarios/subscribers.ts';

const SCENARIOS: readonly Scenario[] = [list, subscribers, admission];

function chosen(names: readonly string[]): readonly Scenario[] {
  const known = SCENARIOS.map((scenario) => scenario.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`No scenario ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  return names.length === 0 ? SCENARIOS : SCENARIOS.filter(({ name }) => names.includes(name));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' } } });
  const isQuick = values.quick ?? false;
  const scenarios = chosen(positionals);
  const run = describeRun(isQuick);
  const folder = mkdtempSync(path.join(tmpdir(), 'ganeti-graphql-bench-'));
  // Ctrl-C: the children and PostgreSQL end with this process, the data goes with the exit.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const comparisons: Comparison[] = [];
  const notes: string[] = [];
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  say('starting PostgreSQL and seeding 10 000 virtual machines');
  const database = await startBenchDatabase(folder);
  try {
    const bench: Bench = { database, quick: isQuick, say, note: (text) => void notes.push(text) };
    for (const scenario of scenarios) {
      const beganAt = performance.now();
      say(`${scenario.name}: ${scenario.title}`);
      comparisons.push(...(await scenario.run(bench)));
      say(`${scenario.name}: took ${((performance.now() - beganAt) / 1_000).toFixed(0)} s`);
    }
  } finally {
    await database.stop();
  }
  printTable(comparisons);
  for (const note of notes) say(note);
  writeResults(comparisons, { ...run.finish(), scenarios: scenarios.map(({ name }) => name), notes });
}

await main();
