/**
 * `npm run test:ganeti`: boots a real Ganeti (test/ganeti-lab, root on Debian 12) and runs the contract suite and the
 * end-to-end journey against it, unchanged. The tests find the lab's description as JSON in GANETI_LAB, and the contract
 * suite's own view of it in RAPI_CONTRACT_TARGET.
 * Arguments go to vitest. A lab that was up before stays up. Exits with 3 where there can be no lab.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.mjs';

const NO_LAB_HERE = 3;

const lab = (command, stdout) => {
  const labFile = path.join(root, 'test', 'ganeti-lab', 'lab');
  return spawnSync('bash', [labFile, command], { stdio: ['ignore', stdout, 'inherit'], encoding: 'utf8' });
};

const wasUp = lab('status', 'ignore').status === 0;
const up = lab('up', 'pipe');
if (up.status !== 0) {
  process.stderr.write(`test:ganeti: no lab (lab up: exit code ${up.status ?? up.error?.message})\n`);
  process.exit(up.status === NO_LAB_HERE ? NO_LAB_HERE : 1);
}
const toTarget = [path.join(root, 'test', 'contract', 'lab-target.mjs')];
const target = spawnSync(process.execPath, toTarget, { input: up.stdout, encoding: 'utf8' }).stdout.trim();
const suites = ['test/contract', 'test/e2e/ganeti'].filter((folder) => existsSync(path.join(root, folder)));
const given = process.argv.slice(2);
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
// One file at a time: they share one small cluster.
const args = [
  vitest,
  'run',
  '--no-file-parallelism',
  ...(given.some((word) => !word.startsWith('-')) ? [] : suites),
  ...given,
];
const { status } = spawnSync(process.execPath, args, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, GANETI_LAB: up.stdout.trim(), RAPI_CONTRACT_TARGET: target },
});
if (!wasUp) lab('down', 'inherit');
process.exit(status ?? 1);
