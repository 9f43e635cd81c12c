import {
  applyMachineEvent,
  type FinalJobState,
  type InstanceObservation,
  type JobState,
  type MachineEvent,
  type MachineRow,
} from '../../../../src/modules/virtual-machine/virtual-machine.rules.ts';
import type { NicRow } from '../../../../src/modules/virtual-machine/virtual-machine-nics.rules.ts';

export const UUID = '06152815-cf5d-4869-b94d-b69ec7b1ce67';
export const OTHER_UUID = '11111111-2222-4333-8444-555555555555';

/** A machine as its create leaves it at admission. */
export const NEW: MachineRow = {
  operState: 'BUILD',
  task: 'BUILDING',
  ganetiUuid: null,
  buildPercentage: 0,
  buildPhase: 'QUEUED',
  buildMessage: null,
  lastJobId: null,
  lastJobOpcode: null,
  lastJobStatus: null,
  lastJobMessage: null,
  markEndUs: 0n,
  markJobId: 0n,
};

/** A machine that was built by job 5, which ended at 50. */
export const STARTED: MachineRow = {
  ...NEW,
  operState: 'STARTED',
  task: null,
  ganetiUuid: UUID,
  buildPercentage: 100,
  buildPhase: 'DONE',
  lastJobId: 5n,
  lastJobOpcode: 'OP_INSTANCE_CREATE',
  lastJobStatus: 'SUCCESS',
  markEndUs: 50n,
  markJobId: 5n,
};

export const NIC: NicRow = {
  id: 1,
  name: 'snf-nic-1',
  index: 0,
  state: 'BUILD',
  mac: null,
  ganetiUuid: null,
  ipv6: null,
  isDeleted: false,
  subnet6: null,
};

export const PRESENT: InstanceObservation = {
  kind: 'present',
  uuid: UUID,
  nics: [{ name: 'snf-nic-1', uuid: 'nic-uuid', mac: 'aa:00:01:4e:81:bb', index: 0 }],
};
export const ABSENT: InstanceObservation = { kind: 'absent' };

export interface End {
  readonly status?: FinalJobState;
  /** Its end; ten times its id when not given. */
  readonly endUs?: bigint;
  readonly startsMachine?: boolean;
  readonly error?: string | null;
  readonly observation?: InstanceObservation;
  readonly instanceUuid?: string | null;
}

/** The end of a job on the machine; `opcode` without its `OP_INSTANCE_`. */
export function ended(jobId: number, opcode: string, end: End = {}): MachineEvent {
  const status = end.status ?? 'SUCCESS';
  const isCreated = opcode === 'CREATE' && status === 'SUCCESS';
  return {
    type: 'jobEnded',
    jobId: BigInt(jobId),
    opcode: opcode.startsWith('OP_') ? opcode : `OP_INSTANCE_${opcode}`,
    status,
    endUs: end.endUs ?? BigInt(jobId * 10),
    logMessage: null,
    startsMachine: end.startsMachine ?? true,
    error: end.error ?? (status === 'ERROR' ? `job ${jobId} failed` : null),
    observation: end.observation ?? (isCreated ? PRESENT : { kind: 'unasked' }),
    instanceUuid: end.instanceUuid ?? null,
  };
}

/** A word of a job under way. */
export function moved(jobId: number, opcode: string, status: JobState, build: number | null = null): MachineEvent {
  return {
    type: 'jobMoved',
    jobId: BigInt(jobId),
    opcode: `OP_INSTANCE_${opcode}`,
    status,
    logMessage: null,
    build: build === null ? null : { phase: 'IMAGE', percentage: build, message: '* running the OS scripts' },
  };
}

/** A deployer's report. */
export function reported(percentage: number): MachineEvent {
  return { type: 'buildReported', report: { phase: 'IMAGE', percentage, message: null } };
}

export interface Rows {
  readonly machine: MachineRow;
  readonly nics: readonly NicRow[];
  readonly released: readonly number[];
  readonly diagnostics: readonly string[];
}

/** Applies events one after the other, as the dispatcher does. */
export function replay(machine: MachineRow, events: readonly MachineEvent[], nics: readonly NicRow[] = [NIC]): Rows {
  return events.reduce<Rows>(
    (so, event) => {
      const outcome = applyMachineEvent(so.machine, so.nics, event);
      return {
        machine: outcome.machine,
        nics: outcome.nics,
        released: [...so.released, ...outcome.releasedNicIds],
        diagnostics: [...so.diagnostics, ...(outcome.diagnostic ? [outcome.diagnostic.message] : [])],
      };
    },
    { machine, nics, released: [], diagnostics: [] },
  );
}
