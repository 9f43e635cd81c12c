import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedDatabaseInUseError } from '../../../src/database/embedded/owner.ts';
import { startEmbeddedPostgres } from '../../../src/database/embedded.ts';

const HOLDER = fileURLToPath(new URL('hold-embedded.ts', import.meta.url));

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'ganeti-graphql-embedded-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const start = () => startEmbeddedPostgres({ dataDir, durable: false });

describe('an embedded PostgreSQL', () => {
  test('serves on loopback, with a password that only we can read', async () => {
    const postgres = await start();
    try {
      const url = new URL(postgres.url);
      expect(url.hostname).toBe('127.0.0.1');
      expect(await ask(postgres.url, `SELECT split_part(version(), ' ', 1) AS answer`)).toBe('PostgreSQL');
      expect(await ask(postgres.url, `SELECT current_setting('listen_addresses') AS answer`)).toBe('127.0.0.1');
      url.password = 'wrong';
      await expect(ask(url.href, 'SELECT 1 AS answer')).rejects.toThrow(/password authentication failed/);
      expect(statSync(path.join(dataDir, 'postgres.json')).mode & 0o077).toBe(0);
      expect(statSync(path.join(dataDir, 'postgres.log')).mode & 0o077).toBe(0);
    } finally {
      await postgres.stop();
    }
  });

  test('keeps its data and its address over a restart', async () => {
    const first = await start();
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    await first.stop(); // harmless
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, 'SELECT answer FROM kept')).toBe(42);
    await second.stop();
  });

  test('takes another port when its own has gone to somebody else', async () => {
    const first = await start();
    await first.stop();
    const { createServer } = await import('node:net');
    const taken = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(taken, 'listening');
    const second = await start();
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
    expect(await ask(second.url, 'SELECT 1 AS answer')).toBe(1);
    await second.stop();
    taken.close();
  });

  test('refuses a data folder that a live process runs', async () => {
    const postgres = await start();
    await expect(start()).rejects.toThrow(EmbeddedDatabaseInUseError);
    expect(await ask(postgres.url, 'SELECT 1 AS answer')).toBe(1);
    await postgres.stop();
  });

  test('runs in a session of its own, which Ctrl-C does not reach', async () => {
    const postgres = await start();
    const group = (pid: number) => execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    expect(group(postmasterPid())).not.toBe(group(process.pid));
    await postgres.stop();
  });

  test('starts at once after its owner was killed, with all that was committed', async () => {
    const holder = await hold();
    await ask(holder.url, 'CREATE TABLE survivor AS SELECT 7 AS answer');
    await kill(holder.child);
    const postgres = await start();
    expect(postgres.url).toBe(holder.url);
    expect(await ask(postgres.url, 'SELECT answer FROM survivor')).toBe(7);
    await postgres.stop();
  });

  test('ends by itself when its owner was killed', async () => {
    const holder = await hold();
    const pid = postmasterPid();
    await kill(holder.child);
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  });

  test.skipIf(process.platform !== 'linux')('is taken over when owner and watchdog were killed', async () => {
    const holder = await hold();
    const orphan = postmasterPid();
    process.kill(watchdogPid(), 'SIGKILL');
    await kill(holder.child);
    expect(isAlive(orphan)).toBe(true);
    const postgres = await start();
    expect(isAlive(orphan)).toBe(false);
    expect(await ask(postgres.url, 'SELECT 1 AS answer')).toBe(1);
    await postgres.stop();
  });

  test('recovers after everything was killed, also when the process id has gone to another process', async () => {
    const holder = await hold();
    const pid = postmasterPid();
    process.kill(pid, 'SIGKILL');
    await kill(holder.child);
    const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
    // A process of PostgreSQL's own account that is no PostgreSQL: what PostgreSQL itself would refuse to start over.
    const { uid, gid } = statSync(pidFile);
    const other = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
    await once(other, 'spawn');
    writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(String(pid), String(other.pid)));
    try {
      const postgres = await start();
      expect(await ask(postgres.url, 'SELECT 1 AS answer')).toBe(1);
      expect(isAlive(Number(other.pid))).toBe(true);
      await postgres.stop();
    } finally {
      await kill(other);
    }
  });

  test.skipIf(process.getuid?.() !== 0)(
    'of root goes elsewhere when a folder above is closed to its account',
    async () => {
      const closed = mkdtempSync(path.join(tmpdir(), 'ganeti-graphql-closed-')); // mode 0700
      const inside = path.join(closed, 'data');
      try {
        const first = await startEmbeddedPostgres({ dataDir: inside, durable: false });
        await ask(first.url, 'CREATE TABLE kept AS SELECT 1 AS answer');
        await first.stop();
        const second = await startEmbeddedPostgres({ dataDir: inside, durable: false });
        expect(await ask(second.url, 'SELECT answer FROM kept')).toBe(1);
        await second.stop();
        expect(readdirSync(inside)).not.toContain('postgres');
      } finally {
        const { location } = JSON.parse(readFileSync(path.join(inside, 'postgres.json'), 'utf8')) as {
          location: string;
        };
        expect(location).toMatch(/^\/var\/lib\/ganeti-graphql\/[0-9a-f]{12}$/);
        rmSync(location, { recursive: true, force: true });
        rmSync(closed, { recursive: true, force: true });
      }
    },
  );

  test('says why when it cannot start', async () => {
    const broken = startEmbeddedPostgres({ dataDir, durable: false, settings: { shared_buffers: 'plenty' } });
    await expect(broken).rejects.toThrow(/did not start.*shared_buffers/s);
    const postgres = await start(); // the failed start has let go of the folder
    await postgres.stop();
  });
});

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query<{ answer: unknown }>(statement);
    return rows[0]?.answer;
  } finally {
    await client.end();
  }
}

async function hold(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['--import', 'tsx', HOLDER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close').then(() => Promise.reject(new Error('the owner ended')));
  ended.catch(() => {});
  const [chunk] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
  return { url: chunk.toString().trim(), child };
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

function postmasterPid(): number {
  return Number.parseInt(readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

function watchdogPid(): number {
  const found = readdirSync('/proc').find((entry) => {
    try {
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      return command.startsWith('/bin/sh') && command.includes(dataDir);
    } catch {
      return false;
    }
  });
  return Number(found);
}

/** A killed orphan stays a zombie until the machine's first process reaps it. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
