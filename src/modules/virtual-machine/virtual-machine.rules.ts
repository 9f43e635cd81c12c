import {
  type FinalJobState,
  isNewer,
  type JobFacts,
  type JobState,
  type OrderingMark,
  type ShownJob,
  withLastJob,
  withMark,
} from '../../operations/job-order.rules.ts';
import type { Task } from '../../operations/operation-kind.ts';
import { type BuildPhase, type BuildReport, isLaterPhase } from './build-progress.rules.ts';
import type { NicRow, ReportedNic } from './virtual-machine-nics.rules.ts';
import { matchNics } from './virtual-machine-nics.rules.ts';

export type OperState = 'BUILD' | 'ERROR' | 'STOPPED' | 'STARTED' | 'DESTROYED';
export type { FinalJobState, JobFacts, JobState } from '../../operations/job-order.rules.ts';

/** The part of a machine's row that events change. */
export interface MachineRow extends ShownJob, OrderingMark {
  readonly operState: OperState;
  readonly task: Task | null;
  readonly ganetiUuid: string | null;
  readonly buildPercentage: number;
  readonly buildPhase: BuildPhase;
  readonly buildMessage: string | null;
}

/** What the cluster said of the instance when a job was read; `unknown` never reaches the rules, it postpones them. */
export type InstanceObservation =
  | { readonly kind: 'unasked' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly uuid: string; readonly nics: readonly ReportedNic[] };

/** A job about an instance; its uuid where the job tells it. */
type InstanceJob = JobFacts & { readonly instanceUuid?: string | null };

export type MachineEvent =
  | ({ readonly type: 'jobMoved'; readonly status: JobState; readonly build: BuildReport | null } & InstanceJob)
  | ({
      readonly type: 'jobEnded';
      readonly status: FinalJobState;
      readonly endUs: bigint;
      /** What a create asked for: the machine ends STARTED or STOPPED accordingly. */
      readonly startsMachine: boolean;
      readonly error: string | null;
      readonly observation: InstanceObservation;
    } & InstanceJob)
  /** The build cannot go on though no create job ended: refused by RAPI, or canceled before it was sent. */
  | { readonly type: 'buildFailed'; readonly error: string }
  | { readonly type: 'buildReported'; readonly report: BuildReport }
  | { readonly type: 'operationEnded' };

export interface MachineOutcome {
  readonly machine: MachineRow;
  readonly nics: readonly NicRow[];
  /** NICs whose addresses go back to their pools. */
  readonly releasedNicIds: readonly number[];
  readonly diagnostic: {
    readonly level: 'ERROR' | 'WARNING';
    readonly source: string;
    readonly message: string;
  } | null;
  /** Why nothing of the entity's state changed, for the log. */
  readonly ignored: string | null;
}

/** Opcodes whose success sets the state of a machine that is there (3-domain b). */
const STATE_ON_SUCCESS: Readonly<Record<string, OperState>> = {
  OP_INSTANCE_STARTUP: 'STARTED',
  OP_INSTANCE_SHUTDOWN: 'STOPPED',
  OP_INSTANCE_REBOOT: 'STARTED',
};
const CREATE = 'OP_INSTANCE_CREATE';
const REMOVE = 'OP_INSTANCE_REMOVE';

/** Whether a success of this opcode sets a machine's state; every other one leaves it alone, unknown ones too. */
export function setsState(opcode: string): boolean {
  return opcode === CREATE || opcode === REMOVE || opcode in STATE_ON_SUCCESS;
}

/**
 * What an event makes of a machine and its NICs (3-domain c1, c6). Pure; any order and repetition of the same events
 * ends in the same rows: state is guarded by the mark, the job shown by (id, rank), the percentage only rises.
 */
export function applyMachineEvent(machine: MachineRow, nics: readonly NicRow[], event: MachineEvent): MachineOutcome {
  if (machine.operState === 'DESTROYED') return unchanged(machine, nics, 'the machine is destroyed');
  if (isOfAnother(machine, event)) return unchanged(machine, nics, 'the job is about another instance of this name');
  switch (event.type) {
    case 'jobMoved':
      return unchanged(withBuild(withLastJob(machine, event, event.status), event.build), nics);
    case 'jobEnded':
      return applyEnd(withLastJob(machine, event, event.status), nics, event);
    case 'buildFailed':
      if (machine.operState !== 'BUILD') return unchanged(machine, nics, 'no build is going on');
      return failBuild({ ...machine, operState: 'ERROR' }, nics, event.error);
    case 'buildReported':
      return unchanged(withBuild(machine, event.report), nics, reportIgnored(machine, event.report));
    case 'operationEnded':
      return unchanged({ ...machine, task: null }, nics);
  }
}

/** Someone removed our instance and made another under its name (decision 6). */
function isOfAnother(machine: MachineRow, event: MachineEvent): boolean {
  const uuid = 'instanceUuid' in event ? event.instanceUuid : null;
  return uuid != null && machine.ganetiUuid !== null && uuid !== machine.ganetiUuid;
}

type JobEnded = Extract<MachineEvent, { type: 'jobEnded' }>;

function applyEnd(machine: MachineRow, nics: readonly NicRow[], event: JobEnded): MachineOutcome {
  // For good, whatever else was heard of meanwhile: a removal needs no newer mark.
  if (isRemoved(machine, event)) return destroy(withMark(machine, event), nics);
  if (event.opcode === CREATE) return endBuild(machine, nics, event);
  const operState = event.status === 'SUCCESS' ? STATE_ON_SUCCESS[event.opcode] : undefined;
  // What sets no state moves no mark either: it must not hide an older success that is handled later (trap 1).
  if (operState === undefined) return unchanged(machine, nics);
  if (!isNewer(machine, event)) return unchanged(machine, nics, `job ${event.jobId} is not newer than the mark`);
  return unchanged(withMark({ ...machine, operState }, event), nics);
}

/** An instance that is not there yet is not gone: its create may still be in the queue (trap 12). */
function isRemoved(machine: MachineRow, event: JobEnded): boolean {
  if (event.opcode !== REMOVE) return false;
  if (event.status === 'SUCCESS') return true;
  return event.status === 'ERROR' && event.observation.kind === 'absent' && machine.task !== 'BUILDING';
}

/**
 * The end of the create. Something newer may have set the state already, and keeps it; but the build itself ends here,
 * or its bar and its NICs would stand still for ever.
 */
function endBuild(machine: MachineRow, nics: readonly NicRow[], event: JobEnded): MachineOutcome {
  if (machine.buildPhase === 'DONE') return unchanged(machine, nics, 'the build is over');
  const isNews = isNewer(machine, event);
  const marked = withMark(machine, event);
  if (event.status === 'SUCCESS') {
    const operState = isNews ? (event.startsMachine ? 'STARTED' : 'STOPPED') : machine.operState;
    return finishBuild({ ...marked, operState }, nics, event.observation);
  }
  const isRepeated = !isNews && !nics.some((nic) => nic.state === 'BUILD');
  if (isRepeated) return unchanged(machine, nics, `job ${event.jobId} is not newer than the mark`);
  const operState = isNews ? 'ERROR' : machine.operState;
  return failBuild({ ...marked, operState }, nics, event.error ?? `The create job ${event.jobId} was canceled.`);
}

function finishBuild(machine: MachineRow, nics: readonly NicRow[], observation: InstanceObservation): MachineOutcome {
  const reported = observation.kind === 'present' ? observation.nics : [];
  return unchanged(
    {
      ...machine,
      ganetiUuid: observation.kind === 'present' ? observation.uuid : machine.ganetiUuid,
      buildPercentage: 100,
      buildPhase: 'DONE',
      buildMessage: null,
    },
    matchNics(nics, reported).map((nic) =>
      nic.state === 'BUILD' || nic.state === 'ERROR' ? { ...nic, state: 'ACTIVE' } : nic,
    ),
  );
}

/** The addresses stay with the NICs until the user destroys the machine (3-domain c1.5). */
function failBuild(machine: MachineRow, nics: readonly NicRow[], error: string): MachineOutcome {
  return {
    machine: { ...machine, buildMessage: error },
    nics: nics.map((nic) => (nic.isDeleted ? nic : { ...nic, state: 'ERROR' })),
    releasedNicIds: [],
    diagnostic: { level: 'ERROR', source: 'ganeti', message: error },
    ignored: null,
  };
}

function destroy(machine: MachineRow, nics: readonly NicRow[]): MachineOutcome {
  const live = nics.filter((nic) => !nic.isDeleted);
  return {
    machine: { ...machine, operState: 'DESTROYED', task: null },
    nics: nics.map((nic) => ({ ...nic, state: 'DOWN', isDeleted: true })),
    releasedNicIds: live.map((nic) => nic.id),
    diagnostic: null,
    ignored: null,
  };
}

/**
 * Progress has a mark of its own: it moves neither the state nor the mark of state events (traps 3 and 4). How far a
 * failed build got may still be told late; what it failed of stays its last word.
 */
function withBuild(machine: MachineRow, report: BuildReport | null): MachineRow {
  if (report === null || machine.buildPhase === 'DONE') return machine;
  const isLater = isLaterPhase(report.phase, machine.buildPhase);
  const buildPercentage = Math.max(machine.buildPercentage, report.percentage ?? 0);
  if (!isLater && buildPercentage === machine.buildPercentage && report.phase !== machine.buildPhase) return machine;
  return {
    ...machine,
    buildPercentage,
    buildPhase: isLater ? report.phase : machine.buildPhase,
    buildMessage: machine.operState === 'BUILD' ? (report.message ?? machine.buildMessage) : machine.buildMessage,
  };
}

function reportIgnored(machine: MachineRow, report: BuildReport): string | null {
  if (machine.buildPhase === 'DONE') return 'no build is going on';
  if (report.percentage !== null && report.percentage < machine.buildPercentage) {
    return `${report.percentage} % is below the ${machine.buildPercentage} % shown`;
  }
  return null;
}

function unchanged(machine: MachineRow, nics: readonly NicRow[], ignored: string | null = null): MachineOutcome {
  return { machine, nics, releasedNicIds: [], diagnostic: null, ignored };
}
