import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILD_PHASES } from '../../../../src/modules/virtual-machine/build-progress.rules.ts';
import type { MachineEvent } from '../../../../src/modules/virtual-machine/virtual-machine.rules.ts';
import type { Task } from '../../../../src/operations/operation-kind.ts';
import { ABSENT, type End, ended, moved, NEW, NIC, PRESENT, type Rows, replay, reported } from './rows.ts';

/*
 * I11: delivering job events in any order, with duplicates, gives the same final rows as in order.
 *
 * What can happen: our own jobs on one machine come one after the other, since the next operation is admitted only when
 * the end of the last one was applied (claims). An administrator's jobs come at any time, end in any order, and are
 * heard of by their ends alone. Of each job the poller may hear late, twice, or out of order, and so of a deployer.
 */

interface Job {
  readonly id: number;
  readonly opcode: string;
  readonly end: End;
  /** Our operation's task; null for a job of an administrator. */
  readonly task: Task | null;
  readonly words: readonly MachineEvent[];
}

interface Life {
  /** In the order in which they end. */
  readonly jobs: readonly Job[];
}

const status = fc.constantFrom('SUCCESS', 'ERROR', 'CANCELED');
const percentages = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 4 });

const create: fc.Arbitrary<Job> = fc
  .record({ status, startsMachine: fc.boolean(), log: percentages, reports: percentages })
  .map(({ status, startsMachine, log, reports }) => ({
    id: 5,
    opcode: 'CREATE',
    end: { status, startsMachine, endUs: 50n },
    task: 'BUILDING',
    words: [
      moved(5, 'CREATE', 'QUEUED'),
      moved(5, 'CREATE', 'WAITING'),
      // A job's log is read from its beginning each time: what it tells only grows.
      ...[...log].sort((a, b) => a - b).map((percentage) => moved(5, 'CREATE', 'RUNNING', percentage)),
      ...reports.map(reported),
    ],
  }));

const later = fc.record({
  opcode: fc.constantFrom('STARTUP', 'SHUTDOWN', 'REBOOT', 'SET_PARAMS', 'FROM_THE_FUTURE'),
  status,
  isOurs: fc.boolean(),
  /** How much longer than its neighbours it runs. */
  delay: fc.nat(40),
});

const removal = fc.option(
  fc.record({
    isOurs: fc.boolean(),
    outcome: fc.constantFrom<End>(
      { status: 'SUCCESS' },
      { status: 'ERROR', observation: PRESENT },
      { status: 'CANCELED' },
      { status: 'ERROR', observation: ABSENT },
    ),
  }),
  { nil: null },
);

const life: fc.Arbitrary<Life> = fc
  .tuple(create, fc.array(later, { maxLength: 4 }), removal)
  .map(([build, others, last]) => {
    let ourEnd = 0;
    const middle = others.map(({ opcode, status, isOurs, delay }, at): Job => {
      const id = 6 + at;
      // Our jobs end in the order of their admission; an administrator's job may wait for a lock and end late.
      const end = isOurs ? Math.max(id * 10, ourEnd + 1) : id * 10 + delay;
      if (isOurs) ourEnd = end;
      const words = isOurs
        ? [moved(id, opcode, 'QUEUED'), moved(id, opcode, 'WAITING'), moved(id, opcode, 'RUNNING')]
        : [];
      return { id, opcode, end: { status, endUs: BigInt(end) }, task: isOurs ? 'REBOOTING' : null, words };
    });
    const jobs = [build, ...middle];
    if (last) {
      const id = 6 + others.length;
      // That nothing was there to remove is believed of our own removal, which comes after the build, and not of
      // anybody's: trap 12.
      const isOurs = last.isOurs || last.outcome.observation?.kind === 'absent';
      const words = isOurs ? [moved(id, 'REMOVE', 'QUEUED'), moved(id, 'REMOVE', 'RUNNING')] : [];
      const end = { ...last.outcome, endUs: 1_000n };
      jobs.push({ id, opcode: 'REMOVE', end, task: isOurs ? 'DESTROYING' : null, words });
    }
    return { jobs: jobs.sort((a, b) => Number((a.end.endUs as bigint) - (b.end.endUs as bigint))) };
  });

const endOf = (job: Job): MachineEvent => ended(job.id, job.opcode, job.end);

function admitted(rows: Rows, job: Job): Rows {
  const isGone = rows.machine.operState === 'DESTROYED';
  return job.task === null || isGone ? rows : { ...rows, machine: { ...rows.machine, task: job.task } };
}

function heard(rows: Rows, events: readonly MachineEvent[]): Rows {
  const next = replay(rows.machine, events, rows.nics);
  return {
    ...next,
    released: [...rows.released, ...next.released],
    diagnostics: [...rows.diagnostics, ...next.diagnostics],
  };
}

const START: Rows = { machine: NEW, nics: [NIC], released: [], diagnostics: [] };

/** As it happened, each word once. */
function inOrder({ jobs }: Life): Rows {
  return jobs.reduce((rows, job) => {
    const isOurs = job.task !== null;
    return heard(admitted(rows, job), [
      ...job.words,
      endOf(job),
      ...(isOurs ? [{ type: 'operationEnded' } as const] : []),
    ]);
  }, START);
}

/** As it may be heard: late, twice, out of order. `choices` picks what comes next. @returns the rows after each word */
function outOfOrder({ jobs }: Life, choices: Iterator<number>): Rows[] {
  const next = (below: number): number => (choices.next().value as number) % below;
  const ours = jobs.filter((job) => job.task !== null);
  const pending = jobs
    .filter((job) => job.task === null)
    .map((job) => ({ event: endOf(job), closes: null as Job | null }));
  const history: Rows[] = [START];
  const admit = (job: Job | undefined): void => {
    if (!job) return;
    history.push(admitted(history.at(-1) as Rows, job));
    pending.push(...job.words.map((event) => ({ event, closes: null })), { event: endOf(job), closes: job });
  };
  admit(ours.shift());
  while (pending.length > 0) {
    const at = next(pending.length);
    const { event, closes } = pending[at] as (typeof pending)[number];
    if (next(4) === 0) pending[at] = { event, closes: null };
    else pending.splice(at, 1);
    history.push(heard(history.at(-1) as Rows, [event]));
    if (closes !== null) {
      // In the transaction of the last job's end, once; only then may the next operation be admitted.
      history.push(heard(history.at(-1) as Rows, [{ type: 'operationEnded' }]));
      admit(ours.shift());
    }
  }
  return history;
}

/** What must be equal in the end. Of a machine that is gone nobody is told how far its build once was. */
function shape({ machine, nics, released, diagnostics }: Rows): unknown {
  const { operState, task, markEndUs, markJobId, lastJobId, lastJobOpcode, lastJobStatus } = machine;
  const common = { operState, task, markEndUs, markJobId, lastJobId, lastJobOpcode, lastJobStatus, released };
  if (operState === 'DESTROYED') return { ...common, nics: nics.map(({ state, isDeleted }) => ({ state, isDeleted })) };
  const { buildPercentage, buildPhase, buildMessage, ganetiUuid } = machine;
  return { ...common, buildPercentage, buildPhase, buildMessage, ganetiUuid, nics, diagnostics };
}

describe('a machine’s events', () => {
  it('in any order, late and twice, end in the rows that they end in as they happened', () => {
    fc.assert(
      fc.property(life, fc.infiniteStream(fc.nat()), (life, choices) => {
        expect(shape(outOfOrder(life, choices).at(-1) as Rows)).toEqual(shape(inOrder(life)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('never let the percentage or the phase of a build fall, and never give an address back twice', () => {
    fc.assert(
      fc.property(life, fc.infiniteStream(fc.nat()), (life, choices) => {
        const history = outOfOrder(life, choices);
        for (const [at, { machine }] of history.entries()) {
          const before = history[Math.max(0, at - 1)]?.machine ?? machine;
          expect(machine.buildPercentage).toBeGreaterThanOrEqual(before.buildPercentage);
          expect(BUILD_PHASES.indexOf(machine.buildPhase)).toBeGreaterThanOrEqual(
            BUILD_PHASES.indexOf(before.buildPhase),
          );
        }
        const last = history.at(-1) as Rows;
        expect(last.released).toEqual(last.machine.operState === 'DESTROYED' ? [1] : []);
      }),
      { numRuns: 300 },
    );
  });
});
