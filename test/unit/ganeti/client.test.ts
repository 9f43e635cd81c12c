import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createNetwork,
  fetchCertificate,
  GanetiClient,
  type GanetiConnection,
  GanetiRequestError,
  probeCluster,
  startupInstance,
} from '../../../src/ganeti/index.ts';
import { createServerIdentity, fingerprintOf, type Simulator, startSimulator } from '../../../src/simulator/index.ts';

const NETWORK = createNetwork({ name: 'net', network: '10.0.0.0/28', conflictsCheck: false, tags: [] });
const REASON = { reason: 'unit:1' };
const PASSWORD = 'hunter2-secret';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ speed: 1000, password: PASSWORD });
});
afterAll(() => simulator.close());
afterEach(() => simulator.faults.clear());

const clients: GanetiClient[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Listens on loopback until the end of the test. */
async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function connection(changes: Partial<GanetiConnection> = {}): GanetiConnection {
  return {
    endpoints: [simulator.url],
    username: simulator.username,
    password: PASSWORD,
    tls: { fingerprint: simulator.fingerprint },
    ...changes,
  };
}

function clientWith(changes: Partial<GanetiConnection> = {}): GanetiClient {
  const client = new GanetiClient(connection(changes));
  clients.push(client);
  return client;
}

/** An HTTPS server that is no Ganeti, and everything it was ever told. */
async function impostor(
  reply: string,
  type = 'text/html',
): Promise<{ server: HttpsServer; url: string; fingerprint: string; heard: string[] }> {
  const identity = createServerIdentity();
  const heard: string[] = [];
  const server = createHttpsServer({ key: identity.keyPem, cert: identity.certificatePem }, (request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.writeHead(200, { 'content-type': type, connection: 'close' }).end(reply);
  });
  return { server, url: await listening(server), fingerprint: fingerprintOf(identity), heard };
}

describe('a submit', () => {
  it('refuses what must not be sent', async () => {
    const client = clientWith();
    const before = simulator.cluster.lastJobId();
    for (const reason of ['', 'né', 'rate-limit:1:x']) {
      await expect(client.submit(NETWORK, { reason })).rejects.toThrow(GanetiRequestError);
    }
    await expect(client.submit(NETWORK, { ...REASON, depends: [[-1, ['success']]] })).rejects.toThrow(
      GanetiRequestError,
    );
    await expect(client.submit(NETWORK, { reason: 'x'.repeat(8_000) })).rejects.toThrow(/characters of request line/);
    expect(simulator.cluster.lastJobId()).toBe(before);
  });

  it.each([
    ['the socket closed after the job was made', { dropAfterSubmit: true }, 1, 'unknown-outcome', 'unreachable'],
    ['the socket closed before', { dropBeforeSubmit: true }, 0, 'unknown-outcome', 'unreachable'],
    ['a 504', { error504: true }, 1, 'unknown-outcome', 'timeout'],
    ['half a reply', { garbage: true }, 1, 'unknown-outcome', 'garbage'],
    ['a web page', { html: true }, 1, 'unknown-outcome', 'garbage'],
    ['a reply that is late', { slow: 2_000 }, 0, 'unknown-outcome', 'timeout'],
    ['a drained queue', { drained: true }, 0, 'retryable', 'queue-drained'],
    ['nobody there', { down: true }, 0, 'retryable', 'unreachable'],
  ])('knows what %s means', async (_what, faults, jobs, kind, reason) => {
    const client = clientWith({ timeoutMs: 400 });
    await client.getInfo();
    const before = simulator.cluster.lastJobId();
    await simulator.faults.set(faults);
    await expect(client.submit(NETWORK, REASON)).rejects.toMatchObject({ kind, reason });
    expect(simulator.cluster.lastJobId() - before).toBe(jobs);
  });

  it('of something that answers no number has an unknown outcome', async () => {
    const { url, fingerprint } = await impostor('"41"', 'application/json');
    const client = clientWith({ endpoints: [url], tls: { fingerprint } });
    await expect(client.submit(NETWORK, REASON)).rejects.toMatchObject({ kind: 'unknown-outcome', reason: 'garbage' });
  });

  it('that is given up has an unknown outcome once sent, and none before', async () => {
    await simulator.faults.set({ slow: 5_000 });
    const client = clientWith();
    const controller = new AbortController();
    const submit = client.submit(NETWORK, { ...REASON, signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    await expect(submit).rejects.toMatchObject({ kind: 'unknown-outcome', reason: 'timeout' });
    await expect(client.submit(NETWORK, { ...REASON, signal: controller.signal })).rejects.toMatchObject({
      kind: 'retryable',
      reason: 'timeout',
    });
  });

  it('sends dependencies with requests that have no body of their own', async () => {
    const client = clientWith();
    const parent = await client.submit(startupInstance('nope'), REASON);
    const child = await client.submit(startupInstance('nope'), { ...REASON, depends: [[parent, ['success']]] });
    expect((await client.getJob(child))?.ops?.[0]?.depends).toEqual([[parent, ['success']]]);
  });
});

describe('a read', () => {
  it.each([
    ['the socket closed', { dropBeforeSubmit: { path: '.' } }, 'unreachable'],
    ['garbage', { garbage: true }, 'garbage'],
    ['a web page', { html: true }, 'garbage'],
    ['a late reply', { slow: 2_000 }, 'timeout'],
    ['nobody there', { down: true }, 'unreachable'],
  ])('can be repeated after %s', async (_what, faults, reason) => {
    const client = clientWith({ timeoutMs: 400 });
    await client.getInfo();
    await simulator.faults.set(faults);
    await expect(client.getInstance('x')).rejects.toMatchObject({ kind: 'retryable', reason });
  });

  it("takes only Ganeti's own 404 for an absence", async () => {
    const { server, url, fingerprint } = await impostor('');
    server.removeAllListeners('request');
    server.on('request', (_request, response) => response.writeHead(404, { connection: 'close' }).end('Not Found'));
    const client = clientWith({ endpoints: [url], tls: { fingerprint } });
    await expect(client.getInstance('x')).rejects.toMatchObject({ kind: 'retryable', reason: 'garbage' });
    expect(await clientWith().getInstance('x')).toBeNull();
  });

  it('finds the last job from one that is known, and from the start when that one is gone', async () => {
    const client = clientWith();
    await client.submit(startupInstance('nope'), REASON);
    // What an earlier test gave up may still become a job: Ganeti too works on what nobody waits for.
    const last = () => simulator.cluster.lastJobId();
    expect(await client.lastJobId()).toBe(last());
    expect(await client.lastJobId(1)).toBe(last());
    expect(await client.lastJobId(last())).toBe(last());
    expect(await client.lastJobId(last() + 500)).toBe(last());
  });
});

describe('connections', () => {
  it('are never more than four, and none stays open', async () => {
    await simulator.faults.set({ slow: 20 });
    const client = clientWith({ maxConnections: 50 });
    await client.getInfo();
    const before = simulator.cluster.connections.open;
    const seen: number[] = [];
    const watch = setInterval(() => seen.push(simulator.cluster.connections.open), 1);
    await Promise.all(Array.from({ length: 40 }, () => client.listGroups()));
    clearInterval(watch);
    expect(Math.max(...seen)).toBeGreaterThan(1);
    expect(Math.max(...seen)).toBeLessThanOrEqual(4 + before);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(simulator.cluster.connections.open).toBe(0);
  });

  it('end with the client', async () => {
    await simulator.faults.set({ slow: 5_000 });
    const client = clientWith();
    const call = client.getInfo();
    setTimeout(() => void client.close(), 200);
    await expect(call).rejects.toMatchObject({ reason: 'timeout' });
    await expect(client.getInfo()).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('go to the last endpoint that answered first', async () => {
    const client = clientWith({ endpoints: ['https://127.0.0.1:1', simulator.url] });
    await client.getInfo();
    const { total } = simulator.cluster.connections;
    await client.getInfo();
    // The pin is known by now: one handshake, one call.
    expect(simulator.cluster.connections.total).toBe(total + 1);
  });
});

describe('the password', () => {
  it('is not sent to a server with another certificate', async () => {
    const { url, heard } = await impostor('{}');
    for (const tls of [{ fingerprint: simulator.fingerprint }, {}, { caPem: simulator.certificatePem }]) {
      const client = clientWith({ endpoints: [url], tls });
      await expect(client.submit(NETWORK, REASON)).rejects.toMatchObject({
        kind: 'retryable',
        reason: 'certificate-mismatch',
      });
    }
    expect(heard).toEqual([]);
  });

  it('is not sent when the certificate changes after it was fetched', async () => {
    const first = await impostor('{"name":"x","software_version":"3.0.2"}', 'application/json');
    const client = clientWith({ endpoints: [first.url], tls: { fingerprint: first.fingerprint } });
    await client.getInfo();
    const other = createServerIdentity();
    first.server.setSecureContext({ key: other.keyPem, cert: other.certificatePem });
    first.heard.length = 0;
    // The pinned leaf is no longer a valid authority; the next call fetches the new one and compares it.
    for (let time = 0; time < 2; time += 1) {
      await expect(client.getInfo()).rejects.toMatchObject({ reason: 'certificate-mismatch' });
    }
    expect(first.heard).toEqual([]);
  });

  it('is trusted to an authority, the pin standing in for a missing SAN', async () => {
    const { certificatePem: caPem, fingerprint } = simulator;
    await expect(clientWith({ tls: { caPem } }).getInfo()).rejects.toMatchObject({ reason: 'certificate-mismatch' });
    expect(await clientWith({ tls: { caPem, fingerprint } }).getInfo()).toMatchObject({ name: simulator.name });
  });

  it('appears in no inspection and no error', async () => {
    const client = clientWith();
    const seen = [inspect(client, { depth: 9, showHidden: true }), String(client), JSON.stringify(client)];
    await simulator.faults.set({ dropBeforeSubmit: true });
    const calls = [
      () => client.submit(NETWORK, REASON),
      () => clientWith({ password: `${PASSWORD}x` }).getInfo(),
      () => clientWith({ endpoints: ['https://127.0.0.1:1'] }).getInfo(),
    ];
    for (const call of calls) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      seen.push(inspect(error, { depth: 9, showHidden: true }));
    }
    const secrets = [PASSWORD, Buffer.from(`${simulator.username}:${PASSWORD}`).toString('base64')];
    for (const text of seen) for (const secret of secrets) expect(text).not.toContain(secret);
    expect(() => new GanetiClient(connection({ endpoints: [`http://me:${PASSWORD}@host`] }))).toThrow(
      /^an endpoint is not an https origin$/,
    );
  });
});

describe('a probe', () => {
  it('says what it found', async () => {
    expect(await probeCluster(connection())).toMatchObject({
      info: { name: simulator.name, softwareVersion: '3.0.2' },
      groups: [{ name: 'default' }],
      instanceCount: 0,
      lastJobId: simulator.cluster.lastJobId(),
    });
  });

  it('tells what is no Ganeti', async () => {
    const replies: [string, string][] = [
      ['<html>It works!</html>', 'text/html'],
      ['{"status":"ok"}', 'application/json'],
      ['[]', 'application/json'],
    ];
    for (const [reply, type] of replies) {
      const { url, fingerprint } = await impostor(reply, type);
      const probe = probeCluster(connection({ endpoints: [url], tls: { fingerprint } }));
      await expect(probe).rejects.toMatchObject({ reason: 'not-a-ganeti' });
    }
  });

  it.each([
    ['plain HTTP', () => createHttpServer((_request, response) => response.end('hello'))],
    [
      'a talkative protocol',
      () =>
        createTcpServer((socket) =>
          socket
            .resume()
            .end('SSH-2.0-OpenSSH_9.2\r\n')
            .on('error', () => {}),
        ),
    ],
  ])('tells %s on the port', async (_what, create) => {
    const endpoints = [await listening(create())];
    await expect(probeCluster(connection({ endpoints }))).rejects.toMatchObject({ reason: 'not-a-ganeti' });
    await expect(fetchCertificate(endpoints[0] ?? '')).rejects.toMatchObject({ reason: 'not-a-ganeti' });
  });

  it('tells the four failures apart', async () => {
    const failure = (changes: Partial<GanetiConnection>) => probeCluster(connection({ timeoutMs: 1_000, ...changes }));
    await expect(failure({ password: 'wrong' })).rejects.toMatchObject({ reason: 'authentication' });
    await expect(failure({ tls: { fingerprint: 'ab'.repeat(32) } })).rejects.toMatchObject({
      reason: 'certificate-mismatch',
    });
    await expect(failure({ endpoints: ['https://127.0.0.1:1'] })).rejects.toMatchObject({ reason: 'unreachable' });
    await simulator.faults.set({ slow: 3_000 });
    await expect(failure({})).rejects.toMatchObject({ reason: 'unreachable' });
  });
});

describe('a connection', () => {
  it.each([
    ['no endpoint', { endpoints: [] }],
    ['an endpoint that is no URL', { endpoints: ['ganeti:5080'] }],
    ['a fingerprint that is none', { tls: { fingerprint: 'AB:CD' } }],
  ])('with %s is a mistake', (_what, changes) => {
    expect(() => new GanetiClient(connection(changes))).toThrow(GanetiRequestError);
  });

  it('takes a fingerprint in any form', async () => {
    const fingerprint = simulator.fingerprint.replaceAll(':', '').toLowerCase();
    expect(await clientWith({ tls: { fingerprint } }).getInfo()).toMatchObject({ name: simulator.name });
  });
});
