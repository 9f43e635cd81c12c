import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { appendChange } from '../../../src/changes/index.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { encodeGlobalId } from '../../../src/graphql/global-id.ts';
import { type Answer, createWorld, seed, type World } from './world.ts';

let world: World;
const open: AsyncIterableIterator<Answer>[] = [];

beforeAll(async () => {
  world = await createWorld({ live: true });
  await seed(world, 3);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.return?.()));
  expect(world.feed.stats().streams).toBe(0);
});
afterAll(() => world.close());

async function subscribe(document: string, variables: Record<string, unknown> = {}) {
  const stream = await world.subscribe(document, variables);
  if (!(Symbol.asyncIterator in stream)) throw new Error(JSON.stringify(stream.errors));
  open.push(stream);
  return {
    stream,
    /** The next event's data; undefined at the end. */
    next: async () => {
      const { value, done } = await stream.next();
      if (done) return undefined;
      expect(value.errors).toBeUndefined();
      return value.data;
    },
  };
}

async function refusal(document: string, variables: Record<string, unknown>) {
  const result = await world.subscribe(document, variables);
  if (Symbol.asyncIterator in result) {
    await result.return?.();
    throw new Error('not refused');
  }
  return result.errors?.[0]?.extensions;
}

const COLUMNS =
  '"operState" = $2::"OperState", "buildPercentage" = $3, "buildPhase" = $4::"BuildPhase", "buildMessage" = $5';

/** What the dispatcher does to a machine: a row, a version, a change. */
async function changeMachine(
  id: number,
  operState: string,
  percentage: number,
  phase = 'IMAGE',
  message: string | null = null,
) {
  await inTransaction(world.database.pool, async (tx) => {
    const before = await tx.query<Record<string, unknown>>(
      `SELECT * FROM "VirtualMachine" WHERE "id" = $1 FOR NO KEY UPDATE`,
      [id],
    );
    const after = await tx.query<Record<string, unknown>>(
      `UPDATE "VirtualMachine" SET ${COLUMNS}, "version" = "version" + 1 WHERE "id" = $1 RETURNING *`,
      [id, operState, percentage, phase, message],
    );
    const [was, is] = [before.rows[0], after.rows[0]];
    await appendChange(tx, {
      entityType: 'VIRTUAL_MACHINE',
      entityId: String(id),
      version: is?.version as number,
      changes: [{ field: 'operState', from: was?.operState, to: is?.operState }],
      before: { ...was, markEndUs: null, markJobId: null, isDeleted: was?.deletedAt !== null },
      after: { ...is, markEndUs: null, markJobId: null, isDeleted: is?.deletedAt !== null },
    });
  });
}

const vm = (id: number) => encodeGlobalId('VirtualMachine', id);

describe('virtualMachineChanged', () => {
  const WATCH = `subscription Watch($id: ID!, $after: String) { virtualMachineChanged(id: $id, after: $after) {
    kind version cursor at changes { field from to } operation { id } virtualMachine { id operState nics { id } } } }`;

  it('begins with a snapshot, goes on with each change, and continues behind a cursor', async () => {
    const { next, stream } = await subscribe(WATCH, { id: vm(1) });
    const first = (await next()).virtualMachineChanged;
    expect(first).toMatchObject({
      kind: 'SNAPSHOT',
      version: 1,
      changes: [],
      operation: null,
      virtualMachine: { operState: 'STARTED' },
    });
    await changeMachine(1, 'STOPPED', 60);
    const second = (await next()).virtualMachineChanged;
    expect(second).toMatchObject({
      kind: 'CHANGE',
      version: 2,
      changes: [{ field: 'operState', from: 'STARTED', to: 'STOPPED' }],
      virtualMachine: { id: vm(1), operState: 'STOPPED' },
    });
    await stream.return?.();
    await changeMachine(1, 'STARTED', 60);
    const again = await subscribe(WATCH, { id: vm(1), after: second.cursor });
    expect((await again.next()).virtualMachineChanged).toMatchObject({ kind: 'CHANGE', version: 3 });
  });

  it('is refused for what is not there, an id of something else, and a foreign cursor', async () => {
    expect(await refusal(WATCH, { id: vm(999) })).toEqual({ code: 'NOT_FOUND', path: ['id'] });
    expect(await refusal(WATCH, { id: encodeGlobalId('Network', 1) })).toEqual({ code: 'INVALID_INPUT', path: ['id'] });
    const { next } = await subscribe(WATCH, { id: vm(1) });
    const { cursor } = (await next()).virtualMachineChanged;
    expect(await refusal(WATCH, { id: vm(2), after: cursor })).toEqual({ code: 'INVALID_INPUT', path: ['after'] });
    expect(await refusal(WATCH, { id: vm(2), after: 'x' })).toEqual({ code: 'INVALID_INPUT', path: ['after'] });
  });

  it('costs one execution for many subscribers, who are handed one result', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => subscribe(WATCH, { id: vm(2) })));
    for (const { next } of many) await next();
    let results: IteratorResult<Answer>[] = [];
    const statements = await world.statements(async () => {
      const waiting = many.map(({ stream }) => stream.next());
      await changeMachine(2, 'STOPPED', 60);
      results = await Promise.all(waiting);
    });
    expect(new Set(results.map(({ value }) => value)).size).toBe(1);
    const reads = statements.filter(({ text }) => text.startsWith('SELECT "public"."VirtualMachine"'));
    expect(reads).toHaveLength(1);
  });

  it('ends at once when the client leaves, although nothing happens', async () => {
    const { next, stream } = await subscribe(WATCH, { id: vm(1) });
    await next();
    const waiting = stream.next();
    await stream.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(world.feed.stats().streams).toBe(0);
  });
});

describe('virtualMachinesChanged', () => {
  const WATCH = `subscription Watch($filter: VirtualMachineFilter, $after: String) { virtualMachinesChanged(filter: $filter, after: $after) {
    kind version cursor virtualMachine { id operState } } }`;

  it('begins with every machine that the filter lets through, and says once when one leaves', async () => {
    const all = await subscribe(WATCH);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { kind, virtualMachine } = (await all.next()).virtualMachinesChanged;
      expect(kind).toBe('SNAPSHOT');
      ids.push(virtualMachine.id);
    }
    expect(ids.sort()).toEqual([vm(1), vm(2), vm(3)].sort());

    const started = await subscribe(WATCH, { filter: { operState: ['STARTED'], nameContains: 'VM 00003' } });
    expect((await started.next()).virtualMachinesChanged.virtualMachine.id).toBe(vm(3));
    await changeMachine(3, 'STOPPED', 60);
    expect((await started.next()).virtualMachinesChanged).toMatchObject({
      kind: 'CHANGE',
      virtualMachine: { id: vm(3), operState: 'STOPPED' },
    });
    await changeMachine(3, 'ERROR', 60);
    await changeMachine(3, 'STARTED', 60);
    expect((await started.next()).virtualMachinesChanged).toMatchObject({ virtualMachine: { operState: 'STARTED' } });
  });

  it('is refused with bad ids in the filter and foreign cursors', async () => {
    expect(await refusal(WATCH, { filter: { flavorId: vm(1) } })).toEqual({
      code: 'INVALID_INPUT',
      path: ['filter', 'flavorId'],
    });
    expect(await refusal(WATCH, { filter: { nameContains: '\0' } })).toEqual({
      code: 'INVALID_INPUT',
      path: ['filter', 'nameContains'],
    });
    expect(await refusal(WATCH, { after: 'bm8' })).toEqual({ code: 'INVALID_INPUT', path: ['after'] });
  });
});

describe('buildProgress', () => {
  const WATCH = `subscription Watch($id: ID!) { buildProgress(virtualMachineId: $id) { percentage phase message operState version } }`;

  async function newMachine(): Promise<number> {
    const { rows } = await world.database.pool.query<{ id: number }>(
      `INSERT INTO "VirtualMachine" ("name", "ganetiName", "ownerId", "backendId", "flavorId", "imageId")
       VALUES ('b ' || gen_random_uuid(), gen_random_uuid()::text, 'local', 1, 1, 1) RETURNING "id"`,
    );
    return (rows[0] as { id: number }).id;
  }

  it.each(['STARTED', 'STOPPED'])('goes from now to 100 with %s, and ends', async (end) => {
    const id = await newMachine();
    const { next } = await subscribe(WATCH, { id: vm(id) });
    expect((await next()).buildProgress).toEqual({
      percentage: 0,
      phase: 'QUEUED',
      message: null,
      operState: 'BUILD',
      version: 1,
    });
    await changeMachine(id, 'BUILD', 37, 'IMAGE', 'copying');
    expect((await next()).buildProgress).toEqual({
      percentage: 37,
      phase: 'IMAGE',
      message: 'copying',
      operState: 'BUILD',
      version: 2,
    });
    // Nothing new for a build.
    await changeMachine(id, 'BUILD', 37, 'IMAGE', 'copying');
    await changeMachine(id, end, 90, 'DONE');
    expect((await next()).buildProgress).toMatchObject({ percentage: 100, operState: end, version: 4 });
    expect(await next()).toBeUndefined();
    expect(world.feed.stats().streams).toBe(0);
  });

  it('stays where it was on ERROR, and ends', async () => {
    const id = await newMachine();
    await changeMachine(id, 'BUILD', 45);
    const { next } = await subscribe(WATCH, { id: vm(id) });
    expect((await next()).buildProgress).toMatchObject({ percentage: 45, operState: 'BUILD' });
    await changeMachine(id, 'ERROR', 45);
    expect((await next()).buildProgress).toMatchObject({ percentage: 45, operState: 'ERROR' });
    expect(await next()).toBeUndefined();
  });

  it('says how a build ended that is over', async () => {
    const { next } = await subscribe(WATCH, { id: vm(1) });
    expect((await next()).buildProgress).toMatchObject({ percentage: 100, operState: 'STARTED' });
    expect(await next()).toBeUndefined();
    expect(await refusal(WATCH, { id: vm(999) })).toEqual({ code: 'NOT_FOUND', path: ['virtualMachineId'] });
  });

  it('ends at once when the client leaves', async () => {
    const id = await newMachine();
    const { next, stream } = await subscribe(WATCH, { id: vm(id) });
    await next();
    const waiting = stream.next();
    await stream.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('is read once for many who watch', async () => {
    const id = await newMachine();
    const many = await Promise.all(Array.from({ length: 20 }, () => subscribe(WATCH, { id: vm(id) })));
    for (const { next } of many) await next();
    let results: IteratorResult<Answer>[] = [];
    const statements = await world.statements(async () => {
      const waiting = many.map(({ stream }) => stream.next());
      await changeMachine(id, 'BUILD', 12);
      results = await Promise.all(waiting);
    });
    expect(results[0]?.value.data.buildProgress.percentage).toBe(12);
    expect(new Set(results.map(({ value }) => value)).size).toBe(1);
    expect(statements.filter(({ text }) => text.startsWith('SELECT "public"."VirtualMachine"'))).toHaveLength(1);
  });
});

describe('operationChanged and operationLog', () => {
  const ID = '0190a000-0000-7000-8000-000000000001';
  const LOG = `subscription Log($id: ID!, $afterSerial: Int) { operationLog(id: $id, afterSerial: $afterSerial) { serial step at message } }`;
  const WATCH = `subscription Watch($id: ID!) { operationChanged(id: $id) { kind version operation { id status jobs { step } } } }`;
  const id = encodeGlobalId('Operation', ID);

  beforeAll(async () => {
    await world.database.pool.query(
      `INSERT INTO "Operation" ("id", "kind", "status", "actor", "inputHash", "input", "virtualMachineId") VALUES ($1, 'createVirtualMachine', 'RUNNING', 'local', '', '{}', 1)`,
      [ID],
    );
    await write(0, 3);
  });

  async function write(from: number, lines: number, status = 'RUNNING') {
    await inTransaction(world.database.pool, async (tx) => {
      await tx.query(
        `INSERT INTO "OperationLogLine" ("operationId", "serial", "step", "atUs", "message")
         SELECT $1, n, 0, 1700000000000000 + n, 'line ' || n FROM generate_series($2::int + 1, $2::int + $3::int) n`,
        [ID, from, lines],
      );
      const { rows } = await tx.query<{ version: number }>(
        `UPDATE "Operation" SET "version" = "version" + 1, "status" = $2::"OperationStatus",
           "finalizedAt" = CASE WHEN $2 = 'SUCCESS' THEN now() END WHERE "id" = $1 RETURNING "version"`,
        [ID, status],
      );
      await appendChange(tx, {
        entityType: 'OPERATION',
        entityId: ID,
        version: rows[0]?.version as number,
        changes: [],
        before: {},
        after: {},
      });
    });
  }

  it('push lines in order, from any serial, and end with the operation', async () => {
    const all = await subscribe(LOG, { id });
    for (const serial of [1, 2, 3]) {
      expect((await all.next()).operationLog).toMatchObject({
        serial,
        step: 0,
        message: `line ${serial}`,
        at: '2023-11-14T22:13:20.000Z',
      });
    }
    const changed = await subscribe(WATCH, { id });
    expect((await changed.next()).operationChanged).toMatchObject({
      kind: 'SNAPSHOT',
      operation: { id, status: 'RUNNING', jobs: [] },
    });
    const late = await subscribe(LOG, { id, afterSerial: 2 });
    expect((await late.next()).operationLog.serial).toBe(3);
    await write(3, 1);
    expect((await all.next()).operationLog.serial).toBe(4);
    expect((await late.next()).operationLog.serial).toBe(4);
    // More than are read at once.
    await write(4, 450, 'SUCCESS');
    const serials: number[] = [];
    for (let data = await all.next(); data; data = await all.next()) serials.push(data.operationLog.serial);
    expect(serials).toEqual(Array.from({ length: 450 }, (_, index) => index + 5));
    const { operation } = (await changed.next()).operationChanged;
    expect(operation.id).toBe(id);
    const { value } = await late.stream.next();
    expect(value.data.operationLog.serial).toBe(5);
  });

  it('are refused with arguments outside their domain', async () => {
    expect(await refusal(LOG, { id, afterSerial: -1 })).toEqual({ code: 'INVALID_INPUT', path: ['afterSerial'] });
    expect(await refusal(LOG, { id: encodeGlobalId('Operation', '0190a000-0000-7000-8000-00000000ffff') })).toEqual({
      code: 'NOT_FOUND',
      path: ['id'],
    });
    expect(await refusal(WATCH, { id: vm(1) })).toEqual({ code: 'INVALID_INPUT', path: ['id'] });
  });
});
