import { type GanetiJob, type GanetiOp, isFinal, type JobStatus, jobError } from '../ganeti/index.ts';
import type { CopyEvent } from '../modules/network/backend-network.rules.ts';
import { readBuildLog } from '../modules/virtual-machine/build-progress.rules.ts';
import {
  type FinalJobState,
  type InstanceObservation,
  type JobState,
  type MachineEvent,
  setsState,
} from '../modules/virtual-machine/virtual-machine.rules.ts';

/** What was known of a job's step before this reading of it. */
export interface JobContext {
  /** Log lines up to this serial were applied before. */
  readonly lastLogSerial: number;
  /** Whether the image's deployer reports percentages of its own. */
  readonly hasDeployerReports: boolean;
  readonly observation: InstanceObservation;
  /** Hides secrets in every text of the job before anything is stored. */
  readonly mask: (text: string) => string;
}

export interface LogLine {
  readonly serial: number;
  readonly atUs: bigint;
  readonly message: string;
}

/** A job in our words: what its step shows and what it means for machines and networks. */
export interface InterpretedJob {
  readonly jobId: bigint;
  readonly opcode: string;
  readonly status: JobState;
  readonly isFinal: boolean;
  readonly newLines: readonly LogLine[];
  readonly lastLogSerial: number;
  readonly lastMessage: string | null;
  readonly receivedUs: bigint | null;
  readonly startUs: bigint | null;
  readonly endUs: bigint | null;
  readonly error: { readonly code: string | null; readonly message: string } | null;
  /** The instance that the job is about, by name; null for network jobs and others. */
  readonly instanceName: string | null;
  readonly machineEvent: MachineEvent | null;
  readonly copyEvent: CopyEvent | null;
}

/** Whether this job's end needs the cluster's word on its instance before it can be interpreted (2-architecture). */
export function needsObservation(job: GanetiJob): boolean {
  const op = job.ops?.[0];
  if (op?.['dry_run'] === true) return false;
  const opcode = op?.OP_ID;
  if (opcode === 'OP_INSTANCE_CREATE') return job.status === 'success';
  return opcode === 'OP_INSTANCE_REMOVE' && job.status === 'error';
}

/**
 * The opcode that tells what a job did: of several (a reinstall is shutdown, reinstall and startup in one job) the last
 * that set a state, once all have succeeded.
 */
function decidingOp(job: GanetiJob): GanetiOp | undefined {
  const ops = job.ops ?? [];
  return (job.status === 'success' ? ops.findLast((op) => setsState(op.OP_ID)) : undefined) ?? ops[0];
}

/** Pure: the same job and context give the same events, however often and in whatever order it is read. */
export function interpret(job: GanetiJob, context: JobContext): InterpretedJob {
  const op = decidingOp(job);
  const opcode = op?.OP_ID ?? 'OP_UNKNOWN';
  // A rehearsal ends like the real thing and has changed nothing (decision 14).
  const changesNothing = !isFinal(job.status) || op?.['dry_run'] === true;
  const jobId = BigInt(job.id);
  const status = upper(job.status);
  const lines = job.opLog
    .flat()
    .map((line) => ({ serial: line.serial, atUs: line.atUs, message: context.mask(line.message) }));
  const newLines = lines.filter((line) => line.serial > context.lastLogSerial).sort((a, b) => a.serial - b.serial);
  const failure = jobError(job);
  const error = failure && { code: failure.code, message: context.mask(failure.message) };
  const lastMessage = lines.at(-1)?.message ?? null;
  const facts = { jobId, opcode, logMessage: error?.message ?? lastMessage };
  return {
    jobId,
    opcode,
    status,
    isFinal: isFinal(job.status),
    newLines,
    lastLogSerial: Math.max(context.lastLogSerial, ...newLines.map((line) => line.serial)),
    lastMessage: facts.logMessage,
    receivedUs: job.receivedUs,
    startUs: job.startUs,
    endUs: job.endUs,
    error: error ?? (status === 'CANCELED' ? { code: null, message: 'The job was canceled.' } : null),
    instanceName: typeof op?.['instance_name'] === 'string' ? op['instance_name'] : null,
    machineEvent: opcode.startsWith('OP_INSTANCE_') ? machineEvent() : null,
    copyEvent: opcode.startsWith('OP_NETWORK_') ? copyEvent() : null,
  };

  function machineEvent(): MachineEvent {
    const instanceUuid = typeof op?.['instance_uuid'] === 'string' ? op['instance_uuid'] : null;
    if (changesNothing) {
      const build =
        opcode === 'OP_INSTANCE_CREATE'
          ? readBuildLog(
              lines.map((line) => line.message),
              context.hasDeployerReports,
            )
          : null;
      return { type: 'jobMoved', ...facts, instanceUuid, status, build };
    }
    return {
      type: 'jobEnded',
      ...facts,
      instanceUuid,
      status: status as FinalJobState,
      // A job that was dequeued never started and has no end of its own.
      endUs: job.endUs ?? job.receivedUs ?? 0n,
      startsMachine: op?.['start'] !== false,
      error: error?.message ?? null,
      observation: context.observation,
    };
  }

  function copyEvent(): CopyEvent {
    if (changesNothing) return { type: 'jobMoved', ...facts, status };
    const group = op?.['group_name'];
    return {
      type: 'jobEnded',
      ...facts,
      status: status as FinalJobState,
      endUs: job.endUs ?? job.receivedUs ?? 0n,
      group: typeof group === 'string' ? group : null,
    };
  }
}

function upper(status: JobStatus): JobState {
  return status.toUpperCase() as JobState;
}
