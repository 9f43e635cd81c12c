import { afterEach, expect, test } from 'vitest';
import type { CallbackRoutes } from '../../../src/server/callbacks.ts';
import { startToy, type Toy } from './toy.ts';

const TOKEN = 'b7f3.aZ09-_~0123456789abcdef';

let toy: Toy;
let reports: [string, unknown][];

const callbacks: CallbackRoutes = {
  async progress(token, body) {
    reports.push([token, body]);
    if (token !== TOKEN) return { status: 404, message: 'There is no such build.' };
    return { status: 200 };
  },
  config: async (token) => (token === TOKEN ? { status: 200, body: { hostname: 'vm' } } : { status: 404 }),
};

async function start(options: Parameters<typeof startToy>[0] = {}): Promise<void> {
  reports = [];
  toy = await startToy({ callbacks, ...options });
}

const post = (url: string, body: string | undefined, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });

afterEach(() => toy.close(500));

test('a report is handed over and answered with 204, whatever its content type and host name', async () => {
  await start();
  const response = await post(`${toy.callbackUrl}/progress/${TOKEN}`, '{"progress": 37}');
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect(reports).toEqual([[TOKEN, { progress: 37 }]]);
  expect(toy.callbackUrl).toBe(toy.url);
});

test('what is refused is refused before it reaches the route', async () => {
  await start();
  const url = `${toy.callbackUrl}/progress/${TOKEN}`;
  const statuses = [
    await post(url, '{"progress":'),
    await post(url, undefined),
    await post(url, JSON.stringify({ message: 'x'.repeat(17_000) })),
    await fetch(url),
    await fetch(`${toy.callbackUrl}/config/${TOKEN}`, { method: 'POST' }),
    await post(`${toy.callbackUrl}/signal/${TOKEN}`, '{}'),
    await post(`${toy.callbackUrl}/progress/a/b`, '{}'),
    await post(`${toy.callbackUrl}/progress/`, '{}'),
  ].map(({ status }) => status);
  expect(statuses).toEqual([400, 400, 413, 405, 405, 404, 404, 404]);
  expect(reports).toEqual([]);
});

test("the route's refusal keeps its status and its message", async () => {
  await start();
  const response = await post(`${toy.callbackUrl}/progress/unknown`, '{}');
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ errors: [{ message: 'There is no such build.' }] });
});

test('a configuration is JSON', async () => {
  await start();
  expect(await (await fetch(`${toy.callbackUrl}/config/${TOKEN}`)).json()).toEqual({ hostname: 'vm' });
  expect((await fetch(`${toy.callbackUrl}/config/other`)).status).toBe(404);
});

test('one token may send so much, and another one is not affected', async () => {
  await start({ limits: { callbackPerSecond: 1, callbackBurst: 5 } });
  const statuses: number[] = [];
  for (let sent = 0; sent < 8; sent++) {
    statuses.push((await post(`${toy.callbackUrl}/progress/${TOKEN}`, '{"progress": 1}')).status);
  }
  expect(statuses.filter((status) => status === 204).length).toBeGreaterThanOrEqual(5);
  expect(statuses.at(-1)).toBe(429);
  expect((await fetch(`${toy.callbackUrl}/config/other`)).status).toBe(404);
});

test('a listener of their own serves them and nothing else, and the main one no longer does', async () => {
  await start({ callbackListen: { host: '127.0.0.1', port: 0 } });
  expect(toy.callbackUrl).not.toBe(toy.url);
  expect((await post(`${toy.callbackUrl}/progress/${TOKEN}`, '{}')).status).toBe(204);
  expect((await post(`${toy.url}/progress/${TOKEN}`, '{}')).status).toBe(404);
  for (const path of ['/graphql?query={hello}', '/healthz', '/readyz', '/metrics', '/']) {
    const headers = { 'x-graphql-yoga-csrf': '1' };
    expect((await fetch(`${toy.callbackUrl}${path}`, { headers })).status).toBe(404);
  }
});

test('a failing route is a masked 500, and no token is ever logged', async () => {
  await start({ callbacks: { ...callbacks, progress: () => Promise.reject(new Error(`lost /progress/${TOKEN}`)) } });
  const response = await post(`${toy.callbackUrl}/progress/${TOKEN}`, '{}');
  expect(response.status).toBe(500);
  const { errors } = (await response.json()) as { errors: [{ extensions: { requestId: string } }] };
  await fetch(`${toy.callbackUrl}/config/${TOKEN}`);
  const log = toy.log.join('');
  expect(log).toContain(errors[0].extensions.requestId);
  expect(log).toContain('"route":"config"');
  expect(log).not.toContain(TOKEN);
});
