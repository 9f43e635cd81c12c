import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ClaimLost } from '../../../src/operations/transient-claims.ts';
import { ResourceBusy } from '../../../src/operations/user-error.ts';
import { aborted, db, env, heldBlock, hold, isHeld, names } from './transient-world.ts';
import { admitBare, claimsOf, end, key, refusal, storedClaims, until } from './world.ts';

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
