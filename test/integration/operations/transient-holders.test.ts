import { describe, expect, it } from 'vitest';
import { asOperation, ClaimLost } from '../../../src/operations/transient-claims.ts';
import { ResourceBusy } from '../../../src/operations/user-error.ts';
import { aborted, db, env, heldBlock, hold, isHeld, killSession, names, startReplica } from './transient-world.ts';
import { admitBare, claimsOf, end, key, refusal, storedClaims, until } from './world.ts';

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
