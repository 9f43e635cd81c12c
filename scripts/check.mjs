/**
 * `npm run check`: everything that can be said about the code without running it. All steps run, so that one visit
 * shows all that is to be mended; fails when any does.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { orExit, prepare, root } from './prepare.mjs';

/** Each a command from node_modules/.bin, or one of our own scripts. */
const STEPS = [
  ['types', 'tsc', '--noEmit'],
  ['lint and format', 'biome', 'check', '.'],
  ['import directions', 'depcruise', '--config', '.dependency-cruiser.cjs', 'src'],
  ['schema/schema.graphql is fresh', 'tsx', 'scripts/schema-print.ts', '--check'],
  ['generated documents are fresh', 'graphql-codegen', '--config', 'codegen.ts', '--check'],
];

await orExit(() => prepare());

const bin = path.join(root, 'node_modules', '.bin');
const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
const failed = [];
for (const [what, command, ...args] of STEPS) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env });
  process.stdout.write(`${status === 0 ? '✔' : '✘'} ${what}\n`);
  if (status !== 0) failed.push(what);
}
if (failed.length > 0) process.stdout.write(`\nnot in order: ${failed.join(', ')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
