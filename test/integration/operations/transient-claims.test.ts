import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/database/transaction.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { Replica } from '../../../src/operations/replica.ts';
import { lockNumber } from '../../../src/operations/resource-key.ts';
import {
  asOperation,
  type ClaimGrant,
  ClaimLost,
  type TransientOptions,
  withClaims,
} from '../../../src/operations/transient-claims.ts';
import { ResourceBusy } from '../../../src/operations/user-error.ts';
import { createTestDatabase, expectNoClaims, type TestDatabase } from '../../support/database.ts';
import {
  admitBare,
  type BareEnvironment,
  bareEnvironment,
  claims,
  claimsOf,
  end,
  holdLock,
  key,
  refusal,
  storedClaims,
  until,
  type Wanted,
} from './world.ts';

let db: TestDatabase;
let env: BareEnvironment;
let here: Replica;
const logger = createLogger({ level: 'silent' });
const replicas: Replica[] = [];

async function startReplica(): Promise<Replica> {
  const replica = new Replica(db.url, logger);
  replicas.push(replica);
  await replica.start();
  return replica;
}

beforeAll(async () => {
  db = await createTestDatabase({ max: 8 });
  env = await bareEnvironment(db);
  here = await startReplica();
});

afterEach(async () => {
  try {
    await expectNoClaims(db.pool);
  } finally {
    // One test's failure is not the next one's.
    await db.pool.query('DELETE FROM "Claim"');
  }
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await db.drop();
});

type Timing = Pick<TransientOptions, 'ttlMs' | 'renewalMs' | 'logger'>;

function hold<T>(
  wanted: Wanted,
  fn: (grant: ClaimGrant) => Promise<T>,
  timing: Timing = {},
  replica: Replica = here,
): Promise<T> {
  return withClaims(db.pool, claims(wanted), { bootId: replica.bootId, session: replica.session, ...timing }, fn);
}

/** A block that lasts until it is told to end. */
async function heldBlock(wanted: Wanted, timing: Timing = {}, replica: Replica = here) {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let block: Promise<void> = Promise.resolve();
  const grant = await new Promise<ClaimGrant>((resolve, reject) => {
    block = hold(
      wanted,
      async (granted) => {
        resolve(granted);
        await finished;
      },
      timing,
      replica,
    );
    block.catch(reject);
  });
  return {
    grant,
    end: () => {
      finish();
      return block;
    },
  };
}

const isHeld = (grant: ClaimGrant): Promise<void> => inTransaction(db.pool, (tx) => grant.assertHeld(tx));
const names = async () => (await storedClaims(db.pool)).map(({ resource, mode }) => `${resource} ${mode}`);

async function expiryOf(resource: string): Promise<number> {
  const { rows } = await db.pool.query<{ expiresAt: Date }>(`SELECT "expiresAt" FROM "Claim" WHERE "resource" = $1`, [
    resource,
  ]);
  return rows[0]?.expiresAt.getTime() ?? 0;
}

/** Aborted already, or soon. */
const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));

/** Ends a replica's session as a crash does. */
async function killSession(replica: Replica): Promise<void> {
  await db.pool.query(
    `SELECT pg_terminate_backend(l.pid) FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
        AND (l.classid::bigint << 32) | l.objid::bigint = hashtextextended('replica:' || $1::text, 0)`,
    [replica.bootId],
  );
}

describe('a block that holds claims', () => {
  it('gives its result; the claims stand while it runs, and are gone with it', async () => {
    const result = await hold(
      [
        [key(1), 'EXCLUSIVE'],
        [key(2), 'SHARED'],
      ],
      async (grant) => {
        expect(await names()).toEqual([`${key(1)} EXCLUSIVE`, `${key(2)} SHARED`]);
        expect(grant.signal.aborted).toBe(false);
        await isHeld(grant);
        return 'done';
      },
    );
    expect(result).toBe('done');
  });

  it('lets go when it throws, and throws the same', async () => {
    const mine = new Error('mine');
    await expect(hold([[key(1), 'EXCLUSIVE']], () => Promise.reject(mine))).rejects.toBe(mine);
  });

  it('is refused at once by an operation and by another block, which the conflict names or does not', async () => {
    const { operationId } = await admitBare(env, { wanted: [[key(1), 'EXCLUSIVE']] });
    const block = await heldBlock([[key(2), 'SHARED']]);
    const busy = await refusal(
      hold(
        [
          [key(2), 'EXCLUSIVE'],
          [key(1), 'SHARED'],
          [key(3), 'EXCLUSIVE'],
        ],
        async () => 'never',
      ),
      ResourceBusy,
    );
    expect(busy.conflicts).toEqual([
      { resource: key(1), mode: 'EXCLUSIVE', operationId },
      { resource: key(2), mode: 'SHARED', operationId: null },
    ]);
    expect(await names()).toEqual([`${key(1)} EXCLUSIVE`, `${key(2)} SHARED`]);
    await end(db.pool, operationId);
    await block.end();
  });

  it('refuses an operation, and lets SHARED beside SHARED', async () => {
    const block = await heldBlock([
      [key(1), 'SHARED'],
      [key(2), 'EXCLUSIVE'],
    ]);
    const busy = await refusal(admitBare(env, { wanted: [[key(2), 'SHARED']] }), ResourceBusy);
    expect(busy.conflicts).toEqual([{ resource: key(2), mode: 'EXCLUSIVE', operationId: null }]);
    const { operationId } = await admitBare(env, { wanted: [[key(1), 'SHARED']] });
    await hold([[key(1), 'SHARED']], async () => expect(await names()).toHaveLength(4));
    await end(db.pool, operationId);
    await block.end();
  });

  it('reports contention for the locks as ResourceBusy without conflicts, as an admission does', async () => {
    const lock = await holdLock(db, lockNumber(key(1)));
    try {
      const both = [hold([[key(1), 'SHARED']], async () => 'never'), admitBare(env, { wanted: [[key(1), 'SHARED']] })];
      for (const busy of await Promise.all(both.map((each) => refusal(each, ResourceBusy)))) {
        expect(busy).toMatchObject({ conflicts: [], retryable: true });
      }
    } finally {
      await lock.release();
    }
  });

  it('turns a violated constraint into ResourceBusy and an alarm', async () => {
    const alarms: unknown[] = [];
    await db.pool.query(
      `CREATE FUNCTION rogue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW."holderRequestId" <> 'rogue' THEN
           INSERT INTO "Claim" ("resource", "mode", "holderReplicaId", "holderRequestId", "expiresAt")
           VALUES (NEW."resource", 'EXCLUSIVE', gen_random_uuid(), 'rogue', clock_timestamp() + interval '1 minute');
         END IF; RETURN NEW; END $$;
       CREATE TRIGGER rogue BEFORE INSERT ON "Claim" FOR EACH ROW EXECUTE FUNCTION rogue()`,
    );
    try {
      const broken = hold([[key(1), 'SHARED']], async () => 'never', {
        logger: { error: (...line: unknown[]) => void alarms.push(line[0]) },
      });
      expect((await refusal(broken, ResourceBusy)).conflicts).toEqual([]);
      expect(alarms).toMatchObject([{ alarm: 'claim-constraint' }]);
    } finally {
      await db.pool.query('DROP TRIGGER rogue ON "Claim"; DROP FUNCTION rogue');
    }
  });
});

describe('renewal', () => {
  it('keeps a claim past its time to live', async () => {
    const block = await heldBlock([[key(1), 'EXCLUSIVE']], { ttlMs: 1_500, renewalMs: 100 });
    const first = await expiryOf(key(1));
    // By the database's clock, which is the one that counts.
    await until(async () => (await expiryOf(key(1))) > first + 1_500);
    await isHeld(block.grant);
    expect(block.grant.signal.aborted).toBe(false);
    await refusal(
      hold([[key(1), 'SHARED']], async () => 'never'),
      ResourceBusy,
    );
    await block.end();
  });

  it('a claim that is not renewed is given away when it expires; the fence keeps its holder from writing', async () => {
    const block = await heldBlock([[key(1), 'EXCLUSIVE']], { ttlMs: 200, renewalMs: 60_000 });
    await until(async () => (await expiryOf(key(1))) < Date.now() - 1);
    await until(async () => (await hold([[key(1), 'EXCLUSIVE']], isHeld).catch(() => 'busy')) !== 'busy');
    await refusal(isHeld(block.grant), ClaimLost);
    await block.end();
  });

  it.each([
    ['deleted', `DELETE FROM "Claim" WHERE "resource" = $1`],
    ['expired', `UPDATE "Claim" SET "expiresAt" = clock_timestamp() - interval '1 second' WHERE "resource" = $1`],
  ])('a claim that was %s aborts the block, and never comes back', async (_, loss) => {
    const block = await heldBlock(
      [
        [key(1), 'EXCLUSIVE'],
        [key(2), 'EXCLUSIVE'],
      ],
      { renewalMs: 50 },
    );
    await db.pool.query(loss, [key(1)]);
    await aborted(block.grant.signal);
    expect(block.grant.signal.reason).toBeInstanceOf(ClaimLost);
    await refusal(isHeld(block.grant), ClaimLost);
    await block.end();
  });

  it('a holder that cannot reach the store stops when its claim has run out', async () => {
    const own = new pg.Pool({ connectionString: db.url, max: 1 });
    own.on('error', () => undefined);
    const options = { bootId: here.bootId, session: here.session, ttlMs: 400, renewalMs: 50 };
    await withClaims(own, claims([[key(1), 'EXCLUSIVE']]), options, async (grant) => {
      // Its only connection is taken: every renewal waits.
      const taken = await own.connect();
      await aborted(grant.signal);
      expect(grant.signal.reason).toBeInstanceOf(ClaimLost);
      taken.release();
    });
    await own.end();
  });

  it('a transaction that asserted the claim keeps it from being given away', async () => {
    const block = await heldBlock([[key(1), 'EXCLUSIVE']], { ttlMs: 1_000, renewalMs: 60_000 });
    let other: Promise<unknown> = Promise.resolve();
    const order: string[] = [];
    await inTransaction(db.pool, async (tx) => {
      await block.grant.assertHeld(tx);
      await until(async () => {
        const { rows } = await db.pool.query<{ over: boolean }>(
          `SELECT "expiresAt" < clock_timestamp() AS over FROM "Claim"`,
        );
        return rows[0]?.over === true;
      });
      other = hold([[key(1), 'EXCLUSIVE']], async () => order.push('given away'));
      await sleep(100);
      order.push('written');
    });
    await other;
    expect(order).toEqual(['written', 'given away']);
    await block.end();
  });
});

describe('re-entrancy (I12)', () => {
  it('reuses what is held, EXCLUSIVE covering SHARED, and leaves the table as it was', async () => {
    await hold(
      [
        [key(1), 'EXCLUSIVE'],
        [key(2), 'SHARED'],
      ],
      async () => {
        const before = await storedClaims(db.pool);
        await hold(
          [
            [key(1), 'SHARED'],
            [key(2), 'SHARED'],
          ],
          async (grant) => {
            expect(await storedClaims(db.pool)).toEqual(before);
            await isHeld(grant);
            await hold(
              [
                [key(1), 'EXCLUSIVE'],
                [key(3), 'EXCLUSIVE'],
              ],
              async () => {
                expect(await names()).toEqual([`${key(1)} EXCLUSIVE`, `${key(2)} SHARED`, `${key(3)} EXCLUSIVE`]);
                await hold([[key(3), 'SHARED']], async () => expect(await names()).toHaveLength(3));
              },
            );
            await expect(hold([[key(4), 'SHARED']], () => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
            expect(await storedClaims(db.pool)).toEqual(before);
          },
        );
        expect(await storedClaims(db.pool)).toEqual(before);
      },
    );
  });

  it('SHARED to EXCLUSIVE is a programming error, not a Busy, and takes nothing', async () => {
    await hold([[key(1), 'SHARED']], async () => {
      const error = await refusal(
        hold(
          [
            [key(2), 'EXCLUSIVE'],
            [key(1), 'EXCLUSIVE'],
          ],
          async () => 'never',
        ),
        Error,
      );
      expect(error).not.toBeInstanceOf(ResourceBusy);
      expect(error.message).toContain('SHARED');
      expect(await names()).toEqual([`${key(1)} SHARED`]);
    });
  });

  it('blocks side by side share what the block around holds, and conflict in what they take themselves', async () => {
    await hold([[key(1), 'EXCLUSIVE']], async () => {
      let inside = 0;
      await Promise.all(
        [1, 2, 3].map((at) =>
          hold(
            [
              [key(1), 'EXCLUSIVE'],
              [key(10 + at), 'EXCLUSIVE'],
            ],
            async () => {
              inside += 1;
              await until(() => inside === 3);
            },
          ),
        ),
      );
      expect(await names()).toEqual([`${key(1)} EXCLUSIVE`]);
    });
    await hold([], async () => {
      const first = await heldBlock([[key(2), 'EXCLUSIVE']]);
      // It would otherwise run on when the first one has let go.
      await refusal(
        hold([[key(2), 'EXCLUSIVE']], async () => 'never'),
        ResourceBusy,
      );
      await first.end();
    });
  });

  it('another request is not inside the block', async () => {
    const block = await heldBlock([[key(1), 'EXCLUSIVE']]);
    await refusal(
      hold([[key(1), 'SHARED']], async () => 'never'),
      ResourceBusy,
    );
    await block.end();
  });

  it.each([
    ['runs', true],
    ['has yet to get its claims', false],
  ])('leaving a block while one within it %s throws', async (_, isRunning) => {
    let inner: Promise<unknown> = Promise.resolve();
    let finish: () => void = () => undefined;
    let started: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const error = await refusal(
      hold([[key(1), 'EXCLUSIVE']], async () => {
        inner = hold(
          [
            [key(1), 'SHARED'],
            [key(2), 'SHARED'],
          ],
          async (grant) => {
            started();
            await finished;
            // What it shared went with the block around: its writes must fail.
            expect(grant.signal.aborted).toBe(true);
            await refusal(isHeld(grant), ClaimLost);
          },
        );
        inner.catch(() => undefined);
        if (isRunning) await running;
      }),
      Error,
    );
    expect(error.message).toContain('still run');
    finish();
    await inner.catch((lost: unknown) => expect(lost).toBeInstanceOf(ClaimLost));
  });

  it('the loss of a claim is told to the blocks that reuse it', async () => {
    await hold(
      [[key(1), 'EXCLUSIVE']],
      (outer) =>
        hold([[key(1), 'SHARED']], async (inner) => {
          await db.pool.query('DELETE FROM "Claim"');
          await refusal(isHeld(inner), ClaimLost);
          await Promise.all([aborted(inner.signal), aborted(outer.signal)]);
          await refusal(
            hold([[key(1), 'SHARED']], async () => 'never'),
            ClaimLost,
          );
        }),
      { renewalMs: 50 },
    );
  });

  it('what goes on after its block holds nothing of it', async () => {
    let later: Promise<unknown> = Promise.resolve();
    await hold([[key(1), 'EXCLUSIVE']], async () => {
      later = sleep(50).then(() => hold([[key(1), 'SHARED']], async () => 'never'));
      later.catch(() => undefined);
    });
    await refusal(later, ClaimLost);
  });

  it('an operation cannot be admitted on what the block around holds: it would outlive the claim', async () => {
    await hold(
      [
        [key(1), 'EXCLUSIVE'],
        [key(2), 'SHARED'],
      ],
      async () => {
        for (const wanted of [
          [key(1), 'EXCLUSIVE'],
          [key(1), 'SHARED'],
          [key(2), 'EXCLUSIVE'],
        ] as const) {
          expect(await refusal(admitBare(env, { wanted: [wanted] }), Error)).not.toBeInstanceOf(ResourceBusy);
        }
        const { operationId } = await admitBare(env, {
          wanted: [
            [key(2), 'SHARED'],
            [key(3), 'EXCLUSIVE'],
          ],
        });
        expect(await claimsOf(db.pool, operationId)).toEqual([`${key(2)} S`, `${key(3)} X`]);
        await end(db.pool, operationId);
      },
    );
  });
});

describe('adoption: the worker of an operation', () => {
  it('is not refused by its own operation, whose keys it reuses; others are', async () => {
    const { operationId } = await admitBare(env, {
      wanted: [
        [key(1), 'EXCLUSIVE'],
        [key(2), 'SHARED'],
      ],
    });
    const before = await storedClaims(db.pool);
    await asOperation(operationId, async () => {
      await hold(
        [
          [key(1), 'EXCLUSIVE'],
          [key(2), 'SHARED'],
        ],
        async (grant) => {
          await isHeld(grant);
          expect(await storedClaims(db.pool)).toEqual(before);
          await hold(
            [
              [key(1), 'SHARED'],
              [key(3), 'EXCLUSIVE'],
            ],
            async () => expect(await names()).toHaveLength(3),
          );
        },
      );
      // What is held SHARED for a moment is the operation's EXCLUSIVE all the same.
      await hold([[key(1), 'SHARED']], () => hold([[key(1), 'EXCLUSIVE']], async () => undefined));
      const raise = await refusal(
        hold([[key(2), 'EXCLUSIVE']], async () => 'never'),
        Error,
      );
      expect(raise).not.toBeInstanceOf(ResourceBusy);
    });
    await refusal(
      hold([[key(1), 'SHARED']], async () => 'never'),
      ResourceBusy,
    );
    expect(await storedClaims(db.pool)).toEqual(before);
    await end(db.pool, operationId);
  });

  it('is refused by another operation, adopts more than one, and admits children on its keys', async () => {
    const one = await admitBare(env, { wanted: [[key(1), 'EXCLUSIVE']] });
    const two = await admitBare(env, { wanted: [[key(2), 'EXCLUSIVE']] });
    await asOperation(one.operationId, async () => {
      const busy = await refusal(
        hold(
          [
            [key(1), 'SHARED'],
            [key(2), 'SHARED'],
          ],
          async () => 'never',
        ),
        ResourceBusy,
      );
      expect(busy.conflicts.map((conflict) => conflict.operationId)).toEqual([two.operationId]);
      await asOperation(two.operationId, () =>
        hold(
          [
            [key(1), 'SHARED'],
            [key(2), 'EXCLUSIVE'],
          ],
          async () => undefined,
        ),
      );
      const child = await admitBare(env, {
        wanted: [
          [key(1), 'EXCLUSIVE'],
          [key(3), 'EXCLUSIVE'],
        ],
        parentOperationId: one.operationId,
      });
      expect(await claimsOf(db.pool, child.operationId)).toEqual([`${key(3)} X`]);
      await end(db.pool, child.operationId);
    });
    await end(db.pool, one.operationId);
    await end(db.pool, two.operationId);
  });

  it('must not end before the blocks within it', async () => {
    const { operationId } = await admitBare(env, { wanted: [] });
    let block: Awaited<ReturnType<typeof heldBlock>> | undefined;
    const left = asOperation(operationId, async () => {
      block = await heldBlock([[key(1), 'EXCLUSIVE']]);
    });
    expect((await refusal(left, Error)).message).toContain('still run');
    await block?.end();
    await end(db.pool, operationId);
  });
});

describe('the death of a holder', () => {
  it('frees its claims at once, whatever their expiry; many may find out together', async () => {
    const there = await startReplica();
    const blocks = await Promise.all([
      heldBlock([[key(1), 'EXCLUSIVE']], {}, there),
      heldBlock([[key(2), 'EXCLUSIVE']], {}, there),
      heldBlock([[key(3), 'EXCLUSIVE']], {}, there),
    ]);
    for (const at of [1, 2, 3])
      await refusal(
        hold([[key(at), 'SHARED']], async () => 'never'),
        ResourceBusy,
      );
    // As a crash leaves it: the session is gone, nobody tidied up.
    await there.close();
    const { operationId } = await admitBare(env, { wanted: [[key(1), 'EXCLUSIVE']] });
    expect((await storedClaims(db.pool)).map((claim) => claim.resource)).toEqual([key(1), key(2), key(3)]);

    // While one transaction has found the replica dead and is not over, another one asks the same.
    const second = await admitBare(env, {
      wanted: [[key(2), 'SHARED']],
      prepare: async () => {
        await hold([[key(3), 'SHARED']], async () => undefined);
        return { steps: [] };
      },
    });
    for (const id of [operationId, second.operationId]) await end(db.pool, id);
    for (const block of blocks) {
      expect(block.grant.signal.aborted).toBe(true);
      await refusal(isHeld(block.grant), ClaimLost);
      await block.end();
    }
  });

  it('a lost session aborts the grants of its replica and gives its claims away; the other’s stand', async () => {
    const there = await startReplica();
    const theirs = await heldBlock([[key(1), 'EXCLUSIVE']], {}, there);
    const ours = await heldBlock([[key(2), 'EXCLUSIVE']]);
    await killSession(there);
    await aborted(theirs.grant.signal);
    await refusal(isHeld(theirs.grant), ClaimLost);
    await refusal(
      hold([[key(2), 'SHARED']], async () => 'never'),
      ResourceBusy,
    );
    await isHeld(ours.grant);
    await theirs.end();
    await ours.end();

    // It comes back by itself, under the same name, and holds anew.
    await until(() => there.isConnected);
    const again = await heldBlock([[key(1), 'EXCLUSIVE']], {}, there);
    await refusal(
      hold([[key(1), 'SHARED']], async () => 'never'),
      ResourceBusy,
    );
    await again.end();
  });

  it('a replica without a session takes no claims', async () => {
    const there = await startReplica();
    await there.close();
    await refusal(
      hold([[key(1), 'EXCLUSIVE']], async () => 'never', {}, there),
      ClaimLost,
    );
  });

  it('a replica whose session cannot be opened leaves no session behind', async () => {
    const sessions = async () => {
      const { rows } = await db.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'ganeti-graphql replica' AND datname = current_database()`,
      );
      return rows[0]?.n;
    };
    const before = await sessions();
    await db.pool.query('ALTER TABLE "Replica" RENAME TO "Hidden"');
    await expect(startReplica()).rejects.toThrow('Replica');
    await until(async () => (await sessions()) === before);
    await db.pool.query('ALTER TABLE "Hidden" RENAME TO "Replica"');
  });
});
