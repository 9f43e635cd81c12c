import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { Replica } from '../../../src/operations/replica.ts';
import { withClaims } from '../../../src/operations/transient-claims.ts';
import { type ClaimMode, IdempotencyKeyReused, ResourceBusy } from '../../../src/operations/user-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { admitBare, type BareEnvironment, bareEnvironment, claims, end, fingerprint, key, outcomes } from './world.ts';

let db: TestDatabase;
let env: BareEnvironment;
const logger = createLogger({ level: 'silent' });

beforeAll(async () => {
  db = await createTestDatabase({ max: 6 });
  env = await bareEnvironment(db);
});

afterAll(() => db.drop());

type Keys = ReadonlyMap<number, ClaimMode>;

interface Held {
  /** Of an operation, or null for a block. */
  readonly operationId: string | null;
  readonly keys: Keys;
}

/** What the claims should be, by the words of 6-claims alone. */
interface Model {
  held: Held[];
  /** By idempotency key: the input that it stands for and the operation that it made. */
  readonly admitted: Map<string, { readonly input: number; readonly operationId: string }>;
  /** Operations that have ended. */
  readonly ended: Set<string>;
}

const newModel = (): Model => ({ held: [], admitted: new Map(), ended: new Set() });

interface Block {
  readonly held: Held;
  readonly replica: number;
  finish(): Promise<unknown>;
}

class Real {
  readonly blocks: Block[] = [];
  readonly replicas: Replica[] = [];
  readonly #base: number;

  constructor(run: number) {
    // Each run has keys of its own.
    this.#base = 10_000 + run * 10;
  }

  wanted(keys: Keys) {
    return [...keys].map(([at, mode]) => [key(this.#base + at), mode] as const);
  }

  name(at: number): string {
    return key(this.#base + at);
  }

  async startReplica(at: number): Promise<void> {
    const replica = new Replica(db.url, logger);
    await replica.start();
    this.replicas[at] = replica;
  }

  /** Enters a block and stays in it. @throws what the block is refused with */
  async enter(keys: Keys, at: number): Promise<Block> {
    const replica = this.replicas[at] as Replica;
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    let running: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      const options = { bootId: replica.bootId, session: replica.session };
      running = withClaims(db.pool, claims(this.wanted(keys)), options, async () => {
        resolve();
        await left;
      });
      running.catch(reject);
    });
    const finish = () => {
      leave();
      return running;
    };
    return { held: { operationId: null, keys }, replica: at, finish };
  }

  async close(): Promise<void> {
    await Promise.all(this.blocks.map((block) => block.finish()));
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }
}

const clash = (a: ClaimMode, b: ClaimMode | undefined) => b !== undefined && (a === 'EXCLUSIVE' || b === 'EXCLUSIVE');

/** What stands in the way, as [key, mode, operation], sorted. */
function blockers(real: Real, held: readonly Held[], keys: Keys): string[] {
  return held
    .flatMap((other) =>
      [...other.keys].flatMap(([at, mode]) =>
        clash(mode, keys.get(at)) ? [`${real.name(at)} ${mode} ${other.operationId}`] : [],
      ),
    )
    .sort();
}

const named = (busy: ResourceBusy) => busy.conflicts.map((c) => `${c.resource} ${c.mode} ${c.operationId}`).sort();

/** I1 and I2: the table holds exactly the model's claims, by live holders. */
async function expectAgreement(model: Model, real: Real): Promise<void> {
  const live = real.replicas.map((replica) => replica.bootId);
  const { rows } = await db.pool.query<{ claim: string }>(
    `SELECT "resource" || ' ' || "mode" || ' ' || coalesce("operationId"::text, 'null') AS claim FROM "Claim"
      WHERE "operationId" IS NOT NULL OR "holderReplicaId"::text = ANY($1)`,
    [live],
  );
  const expected = model.held.flatMap((held) =>
    [...held.keys].map(([at, mode]) => `${real.name(at)} ${mode} ${held.operationId}`),
  );
  expect(rows.map((row) => row.claim).sort()).toEqual(expected.sort());
  for (const [index, one] of model.held.entries()) {
    for (const other of model.held.slice(index + 1)) {
      for (const [at, mode] of one.keys) expect(clash(mode, other.keys.get(at))).toBe(false);
    }
  }
  const operations = await db.prisma.operation.findMany({
    where: { id: { in: [...model.ended] } },
    include: { claims: true },
  });
  for (const operation of operations) expect(operation).toMatchObject({ claims: [], finalizedAt: expect.any(Date) });
}

abstract class Command implements fc.AsyncCommand<Model, Real> {
  check(_model: Readonly<Model>): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real);
    await expectAgreement(model, real);
  }

  abstract act(model: Model, real: Real): Promise<void>;
  abstract toString(): string;
}

const show = (keys: Keys) => [...keys].map(([at, mode]) => `${at}${mode[0]}`).join(',');

class Admit extends Command {
  constructor(
    readonly keys: Keys,
    readonly idempotencyKey: string | null,
    readonly input: number,
  ) {
    super();
  }

  async act(model: Model, real: Real): Promise<void> {
    const id = this.idempotencyKey === null ? null : `${real.name(0)} ${this.idempotencyKey}`;
    const known = id === null ? undefined : model.admitted.get(id);
    const inTheWay = blockers(real, model.held, this.keys);
    const before = await fingerprint(db.pool);
    const answer = await admitBare(env, {
      wanted: real.wanted(this.keys),
      input: { n: this.input },
      ...(id === null ? {} : { idempotencyKey: id }),
    }).catch((error: unknown) => error);
    if (known !== undefined && known.input !== this.input) expect(answer).toBeInstanceOf(IdempotencyKeyReused);
    else if (known !== undefined) expect(answer).toEqual({ operationId: known.operationId, isReplayed: true });
    else if (inTheWay.length > 0) {
      expect(answer).toBeInstanceOf(ResourceBusy);
      expect(named(answer as ResourceBusy)).toEqual(inTheWay);
    } else {
      expect(answer).toMatchObject({ isReplayed: false });
      const { operationId } = answer as { operationId: string };
      model.held.push({ operationId, keys: this.keys });
      if (id !== null) model.admitted.set(id, { input: this.input, operationId });
      return;
    }
    // I3 and I4: a refusal and a replay leave everything as it was.
    expect(await fingerprint(db.pool)).toEqual(before);
  }

  toString() {
    return `admit(${show(this.keys)}; ${this.idempotencyKey ?? 'no key'}; ${this.input})`;
  }
}

/** Several at once: whoever wins, no two are in each other's way, and nobody was refused without need (I14). */
class Burst extends Command {
  constructor(readonly wishes: readonly Keys[]) {
    super();
  }

  async act(model: Model, real: Real): Promise<void> {
    const before = [...model.held];
    const answers = await Promise.allSettled(this.wishes.map((keys) => admitBare(env, { wanted: real.wanted(keys) })));
    for (const [at, answer] of answers.entries()) {
      if (answer.status === 'fulfilled')
        model.held.push({ operationId: answer.value.operationId, keys: this.wishes[at] as Keys });
    }
    for (const [at, answer] of answers.entries()) {
      const keys = this.wishes[at] as Keys;
      if (answer.status === 'fulfilled') {
        const others = model.held.filter((held) => held.operationId !== answer.value.operationId);
        expect(blockers(real, others, keys)).toEqual([]);
      } else {
        const busy = outcomes([answer]).lost[0];
        expect(busy).toBeInstanceOf(ResourceBusy);
        const possible = blockers(real, model.held, keys);
        const certain = blockers(real, before, keys);
        expect(possible).toEqual(expect.arrayContaining(named(busy as ResourceBusy)));
        expect(named(busy as ResourceBusy)).toEqual(expect.arrayContaining(certain));
        expect((busy as ResourceBusy).conflicts.length).toBeGreaterThan(0);
      }
    }
  }

  toString() {
    return `burst(${this.wishes.map(show).join(' | ')})`;
  }
}

class End extends Command {
  constructor(
    readonly which: number,
    readonly status: 'SUCCESS' | 'ERROR',
  ) {
    super();
  }

  override check(model: Readonly<Model>): boolean {
    return model.held.some((held) => held.operationId !== null);
  }

  async act(model: Model): Promise<void> {
    const open = model.held.filter((held) => held.operationId !== null);
    const { operationId } = open[this.which % open.length] as Held;
    await end(db.pool, operationId as string, this.status);
    model.held = model.held.filter((held) => held.operationId !== operationId);
    model.ended.add(operationId as string);
  }

  toString() {
    return `end(${this.which}, ${this.status})`;
  }
}

class Enter extends Command {
  constructor(
    readonly keys: Keys,
    readonly replica: number,
  ) {
    super();
  }

  async act(model: Model, real: Real): Promise<void> {
    const inTheWay = blockers(real, model.held, this.keys);
    const block = await real.enter(this.keys, this.replica).catch((error: unknown) => error);
    if (inTheWay.length > 0) {
      expect(block).toBeInstanceOf(ResourceBusy);
      expect(named(block as ResourceBusy)).toEqual(inTheWay);
    } else {
      real.blocks.push(block as Block);
      model.held.push((block as Block).held);
    }
  }

  toString() {
    return `enter(${show(this.keys)}; replica ${this.replica})`;
  }
}

class Leave extends Command {
  constructor(readonly which: number) {
    super();
  }

  override check(model: Readonly<Model>): boolean {
    return model.held.some((held) => held.operationId === null);
  }

  async act(model: Model, real: Real): Promise<void> {
    const [block] = real.blocks.splice(this.which % real.blocks.length, 1) as [Block];
    await block.finish();
    model.held = model.held.filter((held) => held !== block.held);
  }

  toString() {
    return `leave(${this.which})`;
  }
}

/** A replica dies with its blocks: from this moment they stand in nobody's way (I13). */
class Crash extends Command {
  constructor(readonly replica: number) {
    super();
  }

  async act(model: Model, real: Real): Promise<void> {
    const dead = real.blocks.filter((block) => block.replica === this.replica);
    const claimed = await db.pool.query(`SELECT * FROM "Claim" WHERE "holderReplicaId" = $1`, [
      real.replicas[this.replica]?.bootId,
    ]);
    await real.replicas[this.replica]?.close();
    model.held = model.held.filter((held) => dead.every((block) => block.held !== held));
    for (const block of dead) {
      real.blocks.splice(real.blocks.indexOf(block), 1);
      await block.finish();
    }
    // A process that died would not have tidied up.
    for (const row of claimed.rows) {
      await db.pool.query(
        `INSERT INTO "Claim" ("resource", "mode", "holderReplicaId", "holderRequestId", "expiresAt") VALUES ($1, $2, $3, $4, $5)`,
        [row.resource, row.mode, row.holderReplicaId, row.holderRequestId, row.expiresAt],
      );
    }
    await real.startReplica(this.replica);
  }

  toString() {
    return `crash(${this.replica})`;
  }
}

const keys = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom<ClaimMode>('SHARED', 'EXCLUSIVE')), {
    minLength: 1,
    maxLength: 3,
    selector: ([at]) => at,
  })
  .map((entries): Keys => new Map(entries));
const replica = fc.constantFrom(0, 1);
const idempotencyKey = fc.option(fc.constantFrom('a', 'b'), { freq: 2 });

const commands = fc.commands(
  [
    fc.tuple(keys, idempotencyKey, fc.constantFrom(1, 1, 2)).map(([wanted, id, input]) => new Admit(wanted, id, input)),
    fc.array(keys, { minLength: 2, maxLength: 5 }).map((wishes) => new Burst(wishes)),
    fc
      .tuple(fc.nat(9), fc.constantFrom('SUCCESS' as const, 'ERROR' as const))
      .map(([at, status]) => new End(at, status)),
    fc
      .tuple(fc.nat(9), fc.constantFrom('SUCCESS' as const, 'ERROR' as const))
      .map(([at, status]) => new End(at, status)),
    fc.tuple(keys, replica).map(([wanted, at]) => new Enter(wanted, at)),
    fc.nat(9).map((at) => new Leave(at)),
    replica.map((at) => new Crash(at)),
  ],
  { maxCommands: 40, size: 'max' },
);

it('claims are as the model says after any sequence of requests, ends and crashes (I1 to I4, I13, I14)', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const real = new Real(runs++);
      await real.startReplica(0);
      await real.startReplica(1);
      try {
        await fc.asyncModelRun(() => ({ model: newModel(), real }), sequence);
      } finally {
        await real.close();
        // The next run starts from nothing.
        const { rows } = await db.pool.query<{ id: string }>(
          `SELECT "id" FROM "Operation" WHERE "finalizedAt" IS NULL`,
        );
        for (const { id } of rows) await end(db.pool, id);
        await db.pool.query('DELETE FROM "Claim"');
      }
    }),
    { numRuns: 12, interruptAfterTimeLimit: 12_000 },
  );
  expect(runs).toBeGreaterThan(0);
  expect(env.log.filter((line) => line.includes('claim-constraint'))).toEqual([]);
});
