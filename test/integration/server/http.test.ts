import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startToy, type Toy } from './toy.ts';

let toy: Toy;

beforeAll(async () => {
  toy = await startToy({ metrics: async () => 'up 1\n' });
});

afterAll(() => toy.close(500));

/** A GET or any other request to a path of the server. */
async function request(path: string, init: RequestInit = {}) {
  const response = await fetch(`${toy.url}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : {},
  };
}

const csrf = { 'x-graphql-yoga-csrf': '1' };
const codeOf = (body: { errors: { extensions: { code: string } }[] }) => body.errors[0]?.extensions.code;

describe('requests', () => {
  test('POST and GET run queries', async () => {
    expect((await toy.post('{ hello(name: "post") }')).body).toEqual({ data: { hello: 'hello post' } });
    const query = encodeURIComponent('query($name: String) { hello(name: $name) }');
    const get = await request(`/graphql?query=${query}&variables={"name":"get"}`, { headers: csrf });
    expect(get.body).toEqual({ data: { hello: 'hello get' } });
  });

  test('a mutation needs POST', async () => {
    expect((await toy.post('mutation { touch }')).body.data).toEqual({ touch: 'touched' });
    expect((await request('/graphql?query=mutation{touch}', { headers: csrf })).status).toBe(405);
  });

  test('a subscription without a stream is told where to go, and opens nothing', async () => {
    const { status, body } = await toy.post('subscription { ticks }');
    expect([status, codeOf(body)]).toEqual([406, 'NOT_ACCEPTABLE']);
    expect(toy.counters.open).toBe(0);
  });

  test('batches, broken JSON, other types and other methods are refused with a code', async () => {
    const send = (body: string, contentType = 'application/json') =>
      request('/graphql', { method: 'POST', headers: { 'content-type': contentType, ...csrf }, body });
    const codes = [
      await send('[{"query":"{hello}"},{"query":"{hello}"}]'),
      await send('{"query":'),
      await send('{"query":7}'),
      await send('{}'),
      await send('null'),
      await send('query={hello}', 'application/x-www-form-urlencoded'),
      await request('/graphql', { method: 'PUT' }),
      await request('/graphql?query={hello}&variables=nope', { headers: csrf }),
      await request('/graphql?query={hello}', { headers: { ...csrf, accept: 'image/png' } }),
    ].map(({ status, body }) => [status, codeOf(body)]);
    expect(codes).toEqual([
      [400, 'BAD_REQUEST'],
      [400, 'BAD_REQUEST'],
      [400, 'BAD_REQUEST'],
      [400, 'BAD_REQUEST'],
      [400, 'BAD_REQUEST'],
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
      [405, 'METHOD_NOT_ALLOWED'],
      [400, 'BAD_REQUEST'],
      [406, 'NOT_ACCEPTABLE'],
    ]);
  });

  test('the context learns that the client has gone', async () => {
    const abort = new AbortController();
    const body = JSON.stringify({ query: '{ slow(ms: 2000) }' });
    const headers = { 'content-type': 'application/json' };
    const known = toy.counters.contexts.length;
    const gone = fetch(`${toy.url}/graphql`, { method: 'POST', headers, body, signal: abort.signal }).catch(() => {});
    await eventually(() => toy.counters.contexts.length).toBe(known + 1);
    expect(toy.counters.contexts[known]?.signal?.aborted).toBe(false);
    abort.abort();
    await gone;
    await eventually(() => toy.counters.contexts[known]?.signal?.aborted).toBe(true);
  });

  test('a request id is made, or taken over when it is one', async () => {
    expect((await toy.post('{ hello }')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const own = { 'x-request-id': 'trace-0123456789' };
    expect((await toy.post('{ hello }', { headers: own })).headers.get('x-request-id')).toBe('trace-0123456789');
    const forged = { 'x-request-id': 'a b"}' };
    expect((await toy.post('{ hello }', { headers: forged })).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('requests that a foreign page could make', () => {
  test.each([
    [
      'a form',
      { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'query={hello}' },
    ],
    ['text', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"query":"{hello}"}' }],
    ['no type', { method: 'POST', body: new Uint8Array([123, 125]) }],
    ['GET', { method: 'GET' }],
    ['an event source', { method: 'GET', headers: { accept: 'text/event-stream' } }],
  ])('%s is refused without a header of its own', async (_name, init) => {
    const path = init.method === 'GET' ? '/graphql?query={hello}' : '/graphql';
    const { status, body } = await request(path, init as RequestInit);
    expect([status, codeOf(body)]).toEqual([403, 'CSRF_PREVENTION']);
  });

  test('a page of our own may use GET', async () => {
    const { status } = await request('/graphql?query={hello}', { headers: { 'sec-fetch-site': 'same-origin' } });
    expect(status).toBe(200);
  });
});

describe('names and origins in development', () => {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{hello}"}' };
  const withHeader = (header: Record<string, string>) => ({ ...post, headers: { ...post.headers, ...header } });

  test('a foreign origin is refused, a local one is answered', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example']) {
      expect((await request('/graphql', withHeader({ origin }))).status).toBe(403);
    }
    const local = await request('/graphql', withHeader({ origin: 'http://localhost:5173' }));
    expect(local.status).toBe(200);
    expect(local.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    const preflight = await request('/graphql', {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:5173', 'access-control-request-headers': 'content-type' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type');
  });

  test('without the rule a foreign origin gets no permission to read', async () => {
    const open = await startToy({ allowedHosts: 'any', corsOrigins: ['https://console.example'] });
    const ask = (origin: string) => fetch(`${open.url}/graphql`, withHeader({ origin }));
    expect((await ask('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    expect((await ask('https://console.example')).headers.get('access-control-allow-origin')).toBe(
      'https://console.example',
    );
    await open.close(500);
  });
});

describe('errors', () => {
  const inputErrors = [
    ['a literal', '{ order(input: { items: [{ size: 2 }, { size: 3 }] }) }', {}, ['input', 'items', '1', 'size']],
    ['a missing field', '{ order(input: { }) }', {}, ['input']],
    [
      'a variable',
      'query($i: OrderInput!) { order(input: $i) }',
      { i: { items: [{ size: 3 }] } },
      ['i', 'items', '0', 'size'],
    ],
    ['a missing variable', 'query($i: OrderInput!) { order(input: $i) }', {}, ['i']],
    ['a null variable', 'query($i: OrderInput!) { order(input: $i) }', { i: null }, ['i']],
    ['an unknown field', 'query($i: OrderInput!) { order(input: $i) }', { i: { items: [], x: 1 } }, ['i']],
    ['a default', 'query($e: Even = 3) { order(input: { items: [{ size: $e }] }) }', {}, ['e']],
  ] as const;

  test.each(inputErrors)('%s that is no valid input', async (_name, query, variables, path) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, body } = await toy.post(query, { variables, headers: { accept } });
      expect(body.errors[0].extensions).toEqual({ code: 'INVALID_INPUT', path });
      expect(status).toBe(accept === 'application/json' ? 200 : 400);
      expect(body.data).toBeUndefined();
    }
  });

  test('the text of a value cannot forge a path', async () => {
    const variables = { i: { items: [{ size: 'x" at "i.password' }] } };
    const { body } = await toy.post('query($i: OrderInput!) { order(input: $i) }', { variables });
    expect(body.errors[0].extensions.path).toEqual(['i', 'items', '0', 'size']);
  });

  test('other mistakes in a document', async () => {
    expect(codeOf((await toy.post('{')).body)).toBe('GRAPHQL_PARSE_FAILED');
    expect(codeOf((await toy.post('{ nope }')).body)).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(codeOf((await toy.post('{ order }')).body)).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(codeOf((await toy.post('query A { hello } query B { hello }')).body)).toBe('OPERATION_RESOLUTION_FAILURE');
  });

  test('what nobody meant to send is masked, and logged under the request id that the client gets', async () => {
    for (const [query, secret] of [
      ['{ bug }', 'hunter2'],
      ['{ leaky }', 'internal value'],
    ] as const) {
      const { body, headers } = await toy.post(query);
      expect(JSON.stringify(body)).not.toContain(secret);
      expect(body.errors[0]).toMatchObject({
        message: 'Unexpected error.',
        extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: headers.get('x-request-id') },
      });
      const lines = toy.log.filter((line) => line.includes(secret));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(headers.get('x-request-id'));
    }
  });

  test('what was meant passes', async () => {
    const { body } = await toy.post('{ refused }');
    expect(body.errors[0]).toMatchObject({ message: 'Not yours.', extensions: { code: 'FORBIDDEN' } });
  });
});

describe('limits', () => {
  test('size of the body, tokens, depth, aliases', async () => {
    const large = await toy.post('{ hello }', { variables: { filler: 'x'.repeat(300_000) } });
    expect([large.status, codeOf(large.body)]).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE']);
    expect(codeOf((await toy.post(`{ ${'hello '.repeat(5_000)} }`)).body)).toBe('GRAPHQL_PARSE_FAILED');
    const nested = (levels: number) => `{ nested ${'{ self '.repeat(levels)} { value } ${'}'.repeat(levels)} }`;
    expect((await toy.post(nested(10))).body.errors).toBeUndefined();
    expect((await toy.post(nested(11))).body.errors[0].message).toContain('13 fields deep');
  });

  test('introspection passes, unless it is switched off', async () => {
    expect((await toy.post(getIntrospectionQuery())).body.data.__schema).toBeDefined();
    const closed = await startToy({ introspection: false });
    expect(codeOf((await closed.post('{ __schema { queryType { name } } }')).body)).toBe('GRAPHQL_VALIDATION_FAILED');
    expect((await closed.post('{ helo }')).body.errors[0].message).not.toContain('Did you mean');
    await closed.close(500);
  });
});

describe('the other paths', () => {
  test('health, readiness, metrics, nothing', async () => {
    expect(await request('/healthz')).toMatchObject({ status: 200, body: { status: 'live' } });
    expect(await request('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    expect(await request('/metrics')).toMatchObject({ status: 200, text: 'up 1\n' });
    const { status, body } = await request('/nothing');
    expect([status, codeOf(body)]).toEqual([404, 'NOT_FOUND']);
  });

  test('a health check that fails or hangs is a no', async () => {
    const unwell = await startToy({ health: () => Promise.reject(new Error('no')) });
    expect((await fetch(`${unwell.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${unwell.url}/healthz`)).status).toBe(200);
    await unwell.close(500);
    const stuck = await startToy({ health: () => new Promise(() => {}), limits: { healthTimeoutMs: 50 } });
    expect((await fetch(`${stuck.url}/readyz`)).status).toBe(503);
    await stuck.close(500);
  });
});
