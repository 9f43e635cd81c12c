import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/database/transaction.ts';
import { lockNumber } from '../../../src/operations/resource-key.ts';
import { ClaimLost, withClaims } from '../../../src/operations/transient-claims.ts';
import { ResourceBusy } from '../../../src/operations/user-error.ts';
import { aborted, db, env, expiryOf, heldBlock, here, hold, isHeld, names } from './transient-world.ts';
import { admitBare, claims, end, holdLock, key, refusal, until } from './world.ts';

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
