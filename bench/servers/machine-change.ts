import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { monotonicMs } from '../channel.ts';
import { compiled } from '../compiled.ts';
import type { Commit } from '../load/subscriber-load.ts';

/** Changes to commit at an even pace. */
export interface ChangePlan {
  readonly machineId: number;
  readonly count: number;
  readonly perSecond: number;
}

/** The machine after a change: what peers put into their events. */
export interface ChangedMachine {
  readonly id: number;
  readonly name: string;
  readonly operState: string;
  readonly previousState: string;
  readonly task: string | null;
  readonly buildPercentage: number;
  readonly version: number;
}

/**
 * Commits real changes of a machine, its row and the record of it in one transaction, in the server's own process as a
 * dispatcher does. Every server does the same, so that their processor times compare.
 *
 * @param publish called after each commit, by servers that have no feed
 */
export async function commitChanges(
  pool: pg.Pool,
  { machineId, count, perSecond }: ChangePlan,
  publish: (machine: ChangedMachine) => void = () => {},
): Promise<Commit[]> {
  const { inTransaction } = await compiled<typeof import('../../src/database/transaction.ts')>('database/transaction');
  const { appendChange } = await compiled<typeof import('../../src/changes/index.ts')>('changes/index');
  const commits: Commit[] = [];
  const beganAt = performance.now();
  for (let index = 0; index < count; index += 1) {
    await sleep(Math.max(0, beganAt + (index * 1_000) / perSecond - performance.now()));
    let atMs = 0;
    const machine = await inTransaction(pool, async (tx) => {
      // Before the hook that wakes the feed: hooks run in the order of their registration.
      tx.afterCommit(() => {
        atMs = monotonicMs();
      });
      const { rows } = await tx.query<ChangedMachine>(TOGGLE, [machineId]);
      const changed = rows[0];
      if (!changed) throw new Error(`There is no machine ${machineId}.`);
      const { name, operState, previousState, version } = changed;
      await appendChange(tx, {
        entityType: 'VIRTUAL_MACHINE',
        entityId: String(machineId),
        version,
        changes: [{ field: 'operState', from: previousState, to: operState }],
        before: { name, operState: previousState, isDeleted: false },
        after: { name, operState, isDeleted: false },
        cause: 'bench',
      });
      return changed;
    });
    commits.push({ version: machine.version, atMs });
    publish(machine);
  }
  return commits;
}

const TOGGLE = `
  UPDATE "VirtualMachine" vm SET "version" = vm."version" + 1, "updatedAt" = clock_timestamp(),
    "operState" = CASE WHEN old."operState" = 'STARTED' THEN 'STOPPED' ELSE 'STARTED' END::"OperState"
    FROM (SELECT "id", "operState" FROM "VirtualMachine" WHERE "id" = $1 FOR NO KEY UPDATE) old WHERE vm."id" = old."id"
  RETURNING vm."id", vm."name", vm."operState", old."operState" AS "previousState", vm."task", vm."buildPercentage", vm."version"`;
