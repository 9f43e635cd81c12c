import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../../src/graphql/global-id.ts';
import { createWorld, seed, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await seed(world, 250);
});
afterAll(() => world.close());

const LIST = `query List($first: Int, $after: String, $last: Int, $before: String, $orderBy: VirtualMachineOrderBy, $filter: VirtualMachineFilter) {
  virtualMachines(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, filter: $filter) {
    nodes { id name }
    edges { cursor node { name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

async function names(variables: Record<string, unknown>): Promise<string[]> {
  const { data, errors } = await world.run(LIST, variables);
  expect(errors).toBeUndefined();
  return data.virtualMachines.nodes.map((node: { name: string }) => node.name);
}

describe('what a list costs', () => {
  it('is one statement for the keys and one per table for 100 machines with everything around them', async () => {
    const document = `{ virtualMachines(first: 100) { nodes {
      id name operState buildPercentage
      backend { id name } flavor { id cpu } nics { id index ipv4 network { id name subnet } }
    } } }`;
    await world.run(document);
    let answer: Awaited<ReturnType<World['run']>> | undefined;
    const statements = await world.statements(async () => {
      answer = await world.run(document);
    });
    const { nodes } = answer?.data.virtualMachines ?? {};
    expect(nodes).toHaveLength(100);
    expect(nodes[0]).toMatchObject({
      name: 'vm 00250',
      buildPercentage: 100,
      backend: { name: 'one' },
      flavor: { cpu: 1 },
      nics: [
        { index: 0, network: { name: 'front' } },
        { index: 1, network: { name: 'back' } },
      ],
    });
    const tables = statements.map(({ text }) => /FROM (?:"public"\.)?\(?(?:SELECT .* FROM )?"(\w+)"/s.exec(text)?.[1]);
    expect(tables).toEqual(['VirtualMachine', 'VirtualMachine', 'Backend', 'Flavor', 'NetworkInterface', 'Network']);
  });

  it('is three statements more for a connection beneath each of 100 machines, not 100', async () => {
    const document = `{ virtualMachines(first: 100) { nodes { id operations(first: 2) {
      nodes { id kind backend { name } } pageInfo { hasNextPage } totalCount } } } }`;
    const { pool } = world.database;
    await pool.query(`
      INSERT INTO "Operation" ("id", "kind", "status", "actor", "inputHash", "input", "virtualMachineId", "backendId", "finalizedAt")
      SELECT gen_random_uuid(), 'createVirtualMachine', 'SUCCESS', 'local', '', '{}', vm.id, 1, now()
        FROM "VirtualMachine" vm, generate_series(1, 3)`);
    let answer: Awaited<ReturnType<World['run']>> | undefined;
    const statements = await world.statements(async () => {
      answer = await world.run(document);
    });
    for (const { operations } of answer?.data.virtualMachines.nodes ?? []) {
      expect(operations).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
      expect(operations.nodes).toHaveLength(2);
      expect(operations.nodes[0].backend.name).toBe('one');
    }
    // Keys and rows of the machines; keys, counts, rows and backends of their operations.
    expect(statements).toHaveLength(6);
  });

  it('does not grow with the number of targets of operations, whatever they are', async () => {
    const { pool } = world.database;
    await pool.query(`
      INSERT INTO "Operation" ("id", "kind", "status", "actor", "inputHash", "input", "virtualMachineId", "networkId", "backendId", "finalizedAt")
      SELECT gen_random_uuid(), 'mixed', 'SUCCESS', 'local', '', '{}', CASE n % 3 WHEN 0 THEN n END, CASE n % 3 WHEN 1 THEN 1 END, 1, now()
        FROM generate_series(3, 32) n`);
    const document = `{ operations(first: 30, filter: { kind: ["mixed"] }) { nodes { id target { __typename
      ... on VirtualMachine { name flavor { name } } ... on Network { name } ... on Backend { name isDrained } } } } }`;
    let answer: Awaited<ReturnType<World['run']>> | undefined;
    const statements = await world.statements(async () => {
      answer = await world.run(document);
    });
    expect(answer?.errors).toBeUndefined();
    const types = answer?.data.operations.nodes.map(
      ({ target }: { target: { __typename: string } }) => target.__typename,
    );
    expect(types.filter((type: string) => type === 'VirtualMachine')).toHaveLength(10);
    expect(new Set(types)).toEqual(new Set(['VirtualMachine', 'Network', 'Backend']));
    // Keys, operations, machines and their flavors, networks, clusters.
    expect(statements).toHaveLength(6);
  });

  it('is nothing for what is not selected', async () => {
    const counted = await world.statements(() => world.run('{ virtualMachines { totalCount } }'));
    expect(counted).toHaveLength(1);
    const paged = await world.statements(() => world.run('{ virtualMachines { pageInfo { hasNextPage } } }'));
    expect(paged).toHaveLength(1);
    expect(paged[0]?.text).not.toContain('count(');
  });

  it('does not grow with the page', async () => {
    const { pool } = world.database;
    await pool.query(`
      INSERT INTO "Operation" ("id", "kind", "status", "actor", "inputHash", "input", "createdAt", "finalizedAt")
      SELECT gen_random_uuid(), 'many', 'SUCCESS', 'local', '', '{}', timestamptz '2026-02-01' + n * interval '1 second', now()
        FROM generate_series(1, 5000) n`);
    await pool.query('ANALYZE "Operation"');
    const page = `query Page($after: String) { operations(after: $after) { pageInfo { endCursor } } }`;
    const buffers: number[] = [];
    let after: string | null = null;
    for (let number = 1; number <= 50; number += 1) {
      const [keys] = await world.statements(async () => {
        after = (await world.run(page, { after })).data.operations.pageInfo.endCursor;
      });
      const explained = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${keys?.text}`, [
        ...(keys?.values ?? []),
      ]);
      const { Plan } = explained.rows[0]['QUERY PLAN'][0];
      buffers.push(Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']);
    }
    // One more level of the index to go down at most, and the page's own rows spread over other blocks.
    expect(buffers[49]).toBeLessThanOrEqual((buffers[0] as number) + 5);
  });
});

describe('paging', () => {
  it('visits every item once, forwards and backwards, in either order', async () => {
    for (const orderBy of [
      { field: 'CREATED', direction: 'ASC' },
      { field: 'NAME', direction: 'DESC' },
    ]) {
      const forwards: string[] = [];
      for (let after: string | null = null, more = true; more; ) {
        const { data } = await world.run(LIST, { first: 33, after, orderBy });
        forwards.push(...data.virtualMachines.nodes.map((node: { name: string }) => node.name));
        more = data.virtualMachines.pageInfo.hasNextPage;
        after = data.virtualMachines.pageInfo.endCursor;
      }
      const backwards: string[] = [];
      for (let before: string | null = null, more = true; more; ) {
        const { data } = await world.run(LIST, { last: 33, before, orderBy });
        backwards.unshift(...data.virtualMachines.nodes.map((node: { name: string }) => node.name));
        more = data.virtualMachines.pageInfo.hasPreviousPage;
        before = data.virtualMachines.pageInfo.startCursor;
      }
      expect(forwards).toHaveLength(250);
      expect(new Set(forwards).size).toBe(250);
      expect(backwards).toEqual(forwards);
      expect(forwards[0]).toBe(orderBy.direction === 'ASC' ? 'vm 00001' : 'vm 00250');
    }
  });

  it('tells rows apart whose times differ by microseconds', async () => {
    const { pool } = world.database;
    await pool.query(`
      INSERT INTO "Operation" ("id", "kind", "status", "actor", "inputHash", "input", "createdAt", "finalizedAt")
      SELECT gen_random_uuid(), 'micro', 'SUCCESS', 'local', '', '{}', timestamptz '2026-01-01T00:00:00.123Z' + n * interval '1 microsecond', now()
        FROM generate_series(1, 25) n`);
    const seen: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { data } = await world.run(
        `query Page($after: String) { operations(first: 4, after: $after, filter: { kind: ["micro"] }) {
          nodes { id } pageInfo { hasNextPage endCursor } totalCount } }`,
        { after },
      );
      expect(data.operations.totalCount).toBe(25);
      seen.push(...data.operations.nodes.map((node: { id: string }) => node.id));
      more = data.operations.pageInfo.hasNextPage;
      after = data.operations.pageInfo.endCursor;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  it('goes on behind an item that has left the filter meanwhile', async () => {
    const { pool } = world.database;
    const filter = { nameContains: 'VM 0001' };
    const orderBy = { field: 'NAME', direction: 'ASC' };
    const { data } = await world.run(LIST, { first: 3, filter, orderBy });
    expect(data.virtualMachines.nodes.map((node: { name: string }) => node.name)).toEqual([
      'vm 00010',
      'vm 00011',
      'vm 00012',
    ]);
    await pool.query(
      `UPDATE "VirtualMachine" SET "operState" = 'DESTROYED', "deletedAt" = now() WHERE "name" = 'vm 00012'`,
    );
    const after = data.virtualMachines.pageInfo.endCursor;
    expect(await names({ first: 2, after, filter, orderBy })).toEqual(['vm 00013', 'vm 00014']);
    expect(await names({ first: 100, filter: { nameContains: 'vm 00012' } })).toEqual([]);
    expect(await names({ first: 100, filter: { nameContains: 'vm 00012', includeDeleted: true } })).toEqual([
      'vm 00012',
    ]);
  });

  it('has an empty page for first: 0', async () => {
    const { data } = await world.run(LIST, { first: 0 });
    expect(data.virtualMachines).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });
});

describe('bad arguments', () => {
  const refusal = async (document: string, variables?: Record<string, unknown>) => {
    const { errors } = await world.run(document, variables);
    expect(errors).toHaveLength(1);
    return errors?.[0]?.extensions;
  };

  it.each([
    [{ first: 101 }, 'first'],
    [{ first: -1 }, 'first'],
    [{ last: 101 }, 'last'],
    [{ last: -1 }, 'last'],
    [{ first: 1, last: 1 }, 'first'],
    [{ after: 'x' }, 'after'],
    [{ after: '' }, 'after'],
    [{ before: 'bm9uc2Vuc2U' }, 'before'],
    [{ after: '\0' }, 'after'],
  ])('%j are refused', async (variables, path) => {
    expect(await refusal(LIST, variables)).toEqual({ code: 'INVALID_INPUT', path: [path] });
  });

  it('a cursor of another list or another order is refused', async () => {
    const { data } = await world.run('{ networks(first: 1) { pageInfo { endCursor } } }');
    const foreign = data.networks.pageInfo.endCursor;
    expect(await refusal(LIST, { after: foreign })).toEqual({ code: 'INVALID_INPUT', path: ['after'] });
    const own = (await world.run(LIST, { first: 1 })).data.virtualMachines.pageInfo.endCursor;
    expect(await refusal(LIST, { after: own, orderBy: { field: 'NAME', direction: 'DESC' } })).toEqual({
      code: 'INVALID_INPUT',
      path: ['after'],
    });
    expect(await refusal(LIST, { after: own, orderBy: { field: 'CREATED', direction: 'ASC' } })).toEqual({
      code: 'INVALID_INPUT',
      path: ['after'],
    });
  });

  it('ids of another type are refused, unknown ones give null', async () => {
    const network = encodeGlobalId('Network', 1);
    expect(await refusal('query($id: ID!) { virtualMachine(id: $id) { id } }', { id: network })).toEqual({
      code: 'INVALID_INPUT',
      path: ['id'],
    });
    expect(await refusal(LIST, { filter: { backendId: network } })).toEqual({
      code: 'INVALID_INPUT',
      path: ['filter', 'backendId'],
    });
    const { data, errors } = await world.run(
      'query($id: ID!) { virtualMachine(id: $id) { id } node(id: $id) { id } }',
      {
        id: encodeGlobalId('VirtualMachine', 999_999),
      },
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({ virtualMachine: null, node: null });
  });

  it('NUL in a filter is refused', async () => {
    expect(await refusal(LIST, { filter: { nameContains: 'a\0' } })).toEqual({
      code: 'INVALID_INPUT',
      path: ['filter', 'nameContains'],
    });
  });

  it('an operation that may cost too much is refused before anything is read', async () => {
    const document =
      '{ backends(first: 100) { nodes { virtualMachines(first: 100) { nodes { operations(first: 100) { nodes { id } } } } } } }';
    const statements = await world.statements(async () => {
      expect(await refusal(document)).toMatchObject({ code: 'QUERY_TOO_EXPENSIVE', limit: 10_000 });
    });
    expect(statements).toEqual([]);
  });
});

describe('node and nodes', () => {
  it('find every kind of object again, in the order of the ids', async () => {
    const ids = [
      'Network:2',
      'VirtualMachine:7',
      'Flavor:1',
      'Image:1',
      'Backend:1',
      'NetworkInterface:1',
      'VirtualMachine:999999',
    ].map((text) => Buffer.from(text).toString('base64url'));
    const { data, errors } = await world.run('query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids });
    expect(errors).toBeUndefined();
    expect(data.nodes.map((node: { id: string } | null) => node?.id ?? null)).toEqual([...ids.slice(0, -1), null]);
    expect(data.nodes[1].__typename).toBe('VirtualMachine');
  });

  it.each([
    '',
    'x',
    'VmlydHVhbE1hY2hpbmU6MQ==',
    Buffer.from('Nothing:1').toString('base64url'),
    Buffer.from('VirtualMachine:99999999999').toString('base64url'),
    Buffer.from('VirtualMachine:01').toString('base64url'),
  ])('refuse %j', async (id) => {
    const one = await world.run('query($id: ID!) { node(id: $id) { id } }', { id });
    expect(one.errors?.[0]?.extensions).toEqual({ code: 'INVALID_INPUT', path: ['id'] });
    const many = await world.run('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: [id] });
    expect(many.errors?.[0]?.extensions).toEqual({ code: 'INVALID_INPUT', path: ['ids', '0'] });
  });
});
