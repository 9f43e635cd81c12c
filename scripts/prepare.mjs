/**
 * Makes a checkout ready to run: packages, generated Prisma client and, when asked, the compiled code, each only when
 * what it is made from has changed. Uses nothing but Node, because on a fresh clone there is nothing else.
 *
 *   node scripts/prepare.mjs [--build]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const inRoot = (...parts) => path.join(root, ...parts);
/** Goes with node_modules: whatever it says is true of these packages only. */
export const cacheFolder = inRoot('node_modules', '.cache', 'ganeti-graphql');

/** A step failed; its own output has said why. */
export class PreparationError extends Error {
  name = 'PreparationError';
}

/** @throws PreparationError when this Node is older than package.json's `engines` */
export function requireNode() {
  const wanted = /\d+\.\d+/.exec(JSON.parse(read('package.json')).engines.node)[0];
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = wanted.split('.').map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new PreparationError(
    `Node ${wanted} or newer is needed (24 is recommended); this is ${process.versions.node}.`,
  );
}

/** Runs `npm ci` when node_modules is missing or does not hold what package-lock.json says. */
export function ensureInstalled() {
  const lock = read('package-lock.json');
  const wanted = hash(lock);
  if (stamp('installed') === wanted) return;
  if (!holds(lock)) {
    say('installing packages (a minute or two, once)');
    // No install script is needed: PostgreSQL's symbolic links are made at its first start, and Prisma's script
    // would try to download an engine that is not used.
    const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    run('npm ci', ...npm(args));
  }
  setStamp('installed', wanted);
}

/** Runs `prisma generate` when the schema or the packages have changed. */
export function ensureGenerated() {
  const wanted = hash(read('prisma', 'schema.prisma'), read('package-lock.json'));
  if (stamp('generated') === wanted && existsSync(inRoot('src', 'database', 'generated', 'client.ts'))) return;
  say('generating the Prisma client');
  run('prisma generate', process.execPath, [inRoot('node_modules', 'prisma', 'build', 'index.js'), 'generate'], {
    // The generator does not use the native schema engine, but downloads it unless it is told of one: any program.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    PATH: `${inRoot('node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
  });
  setStamp('generated', wanted);
}

/** Compiles src/ to dist/ when a source file has changed. */
export function ensureBuilt() {
  const wanted = hash(
    read('tsconfig.json'),
    read('tsconfig.build.json'),
    read('package-lock.json'),
    listing(inRoot('src')),
  );
  const isBuilt = existsSync(inRoot('dist', 'main.js'));
  if (stamp('built') === wanted && isBuilt) return;
  say('compiling');
  const buildInfo = path.join(cacheFolder, 'tsbuildinfo');
  // An incremental build writes only what changed, so without its earlier output it has to begin anew.
  if (!isBuilt) rmSync(buildInfo, { force: true });
  const args = ['-p', 'tsconfig.build.json', '--incremental', '--tsBuildInfoFile', buildInfo];
  run('tsc', process.execPath, [inRoot('node_modules', 'typescript', 'bin', 'tsc'), ...args]);
  setStamp('built', wanted);
}

/** Everything that running the TypeScript sources needs; with `build`, also what running dist/ needs. */
export function prepare({ build = false } = {}) {
  requireNode();
  ensureInstalled();
  ensureGenerated();
  if (build) ensureBuilt();
}

/** The program and arguments that run npm: the one that started us, else the one beside Node, else from the PATH. */
function npm(args) {
  const candidates = [
    process.env.npm_execpath,
    path.join(path.dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ];
  const script = candidates.find((file) => file && /npm-cli\.c?js$/.test(file) && existsSync(file));
  return script ? [process.execPath, [script, ...args]] : ['npm', args];
}

/** Whether node_modules, as npm itself wrote down after its last work on it, is what the lock file asks for. */
function holds(lock) {
  const written = inRoot('node_modules', '.package-lock.json');
  if (!existsSync(written)) return false;
  const { packages } = JSON.parse(readFileSync(written, 'utf8'));
  return Object.entries(JSON.parse(lock).packages).every(
    ([folder, { version, optional }]) =>
      folder === '' || (packages[folder] ? packages[folder].version === version : optional === true),
  );
}

function run(what, command, args, environment = {}) {
  // Our own output may be read by a program (db:diff), so theirs goes to stderr.
  const stdio = ['ignore', 2, 2];
  const { status, error } = spawnSync(command, args, { cwd: root, stdio, env: { ...process.env, ...environment } });
  if (status !== 0) throw new PreparationError(`${what} failed${error ? `: ${error.message}` : ''}`);
}

function listing(folder) {
  const lines = [];
  for (const entry of readdirSync(folder, { recursive: true }).sort()) {
    const { size, mtimeMs } = statSync(path.join(folder, entry));
    if (/\.(ts|json)$/.test(entry)) lines.push(`${entry} ${size} ${mtimeMs}`);
  }
  return lines.join('\n');
}

function hash(...texts) {
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}

function read(...parts) {
  return readFileSync(inRoot(...parts), 'utf8');
}

function stamp(name) {
  const file = path.join(cacheFolder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function setStamp(name, value) {
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(path.join(cacheFolder, name), value);
}

function say(what) {
  process.stderr.write(`ganeti-graphql: ${what} …\n`);
}

/** Runs `main`, turning a failed preparation into its message and exit code 1. */
export async function orExit(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error;
    process.stderr.write(`ganeti-graphql: ${error.message}\n`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await orExit(() => prepare({ build: process.argv.includes('--build') }));
}
