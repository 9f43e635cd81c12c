import { type GanetiClient, type GanetiJob, jobReason } from '../ganeti/index.ts';
import { parseCopyRole } from '../modules/network/backend-network.rules.ts';
import type { FinalJobState, InstanceObservation } from '../modules/virtual-machine/virtual-machine.rules.ts';
import type { Environment } from '../operations/environment.ts';
import { stepReason } from '../operations/operation.store.ts';
import { decideByObject, type ObjectSeen } from './decide-by-object.rules.ts';
import type { InterpretedJob } from './interpret.ts';
import { changeSteps } from './settle.ts';
import { type OpenStep, planAgain } from './step.store.ts';

/** Of the jobs that bear a step's text: the one to adopt, and the ones that should not be there. */
export function chooseJob(jobs: readonly GanetiJob[], reason: string): { adopt: GanetiJob | null; extra: GanetiJob[] } {
  const [adopt = null, ...extra] = jobs.filter((job) => jobReason(job) === reason).sort((a, b) => a.id - b.id);
  return { adopt, extra };
}

/**
 * Decides about steps whose submission was never answered, once the settle time is over: their job is looked for by
 * its text among the jobs above the floor; found, it is followed; proven absent, the step is sent again with the same
 * text. Anything that the cluster does not answer leaves the step as it is (6-claims, section 6).
 */
export async function recoverSending(
  env: Environment,
  client: GanetiClient,
  steps: readonly OpenStep[],
): Promise<GanetiJob[]> {
  const waiting = steps.filter((step) => step.state === 'SENDING' && step.isSettled);
  if (waiting.length === 0) return [];
  const floor = Math.min(...waiting.map((step) => Number(step.jobIdFloor ?? 0n)));
  const { jobs } = await client.queryJobs({ afterId: floor });
  const adopted: GanetiJob[] = [];
  for (const step of waiting) {
    const { adopt, extra } = chooseJob(jobs, stepReason(step.operationId, step.step));
    for (const job of extra) await refuseExtra(env, client, step, job);
    if (adopt) {
      env.logger.info(
        { operationId: step.operationId, step: step.step, jobId: adopt.id },
        'adopted the job of an unanswered submission',
      );
      adopted.push(adopt);
      continue;
    }
    env.logger.info(
      { operationId: step.operationId, step: step.step },
      'no job came of an unanswered submission; sending it again',
    );
    await changeSteps(env, step.operationId, 'not submitted', async (tx) => {
      await planAgain(tx, step.id, 0, null);
      return [];
    });
  }
  return adopted;
}

async function refuseExtra(env: Environment, client: GanetiClient, step: OpenStep, job: GanetiJob): Promise<void> {
  env.logger.error(
    { alarm: 'double-job', operationId: step.operationId, step: step.step, jobId: job.id },
    'two jobs bear the text of one step',
  );
  if (job.status === 'queued' || job.status === 'waiting') await client.cancelJob(job.id);
}

/** How a job ended that Ganeti no longer knows. */
export interface MissingVerdict {
  readonly status: FinalJobState;
  readonly startsMachine: boolean;
  readonly group: string | null;
  /** The instance that it worked on; null for a network's job. */
  readonly instanceName: string | null;
  readonly markEndUs: bigint;
}

/**
 * Counts a job that Ganeti does not know; after two misses a settle time apart it looks at the object itself and tells
 * the end by what it finds.
 */
export async function onMissingJob(
  env: Environment,
  client: GanetiClient,
  step: OpenStep,
): Promise<MissingVerdict | 'wait' | 'undecidable'> {
  if (step.missingCount < 1 || !step.isMissingSettled) {
    await env.pool.query(
      `UPDATE "OperationJob" SET "missingCount" = "missingCount" + 1, "missingSince" = coalesce("missingSince", clock_timestamp()) WHERE "id" = $1`,
      [step.id],
    );
    return 'wait';
  }
  const { rows } = await env.pool.query<{ ganetiName: string; start: boolean; markEndUs: bigint }>(
    `SELECT vm."ganetiName", vm."markEndUs", coalesce((o."parameters"->>'start')::boolean, true) AS start
       FROM "Operation" o JOIN "VirtualMachine" vm ON vm."id" = o."virtualMachineId" WHERE o."id" = $1`,
    [step.operationId],
  );
  const machine = rows[0];
  const copy = await env.pool.query<{ markEndUs: bigint }>(`SELECT "markEndUs" FROM "BackendNetwork" WHERE "id" = $1`, [
    step.backendNetworkId,
  ]);
  const role = parseCopyRole(step.role);
  if (!role && !machine) return 'undecidable';
  const seen = role
    ? await seeNetwork(client, `${env.settings.ganetiPrefix}net-${role.networkId}`)
    : await seeInstance(client, machine?.ganetiName ?? '');
  const wanted = { startsMachine: machine?.start ?? true, group: role?.group ?? null };
  const status = decideByObject(step.opcode, seen, wanted);
  if (status === null) return 'undecidable';
  return {
    status,
    ...wanted,
    instanceName: role ? null : (machine?.ganetiName ?? null),
    markEndUs: (role ? copy.rows[0] : machine)?.markEndUs ?? 0n,
  };
}

/**
 * The end of a job that Ganeti forgot, as if it had been read. It is stamped with the newest time that is known of the
 * machine, not with any clock of ours, so that it can never outrank a real event that follows (trap 7).
 */
export function vanishedJob(step: OpenStep, verdict: MissingVerdict, observation: InstanceObservation): InterpretedJob {
  const jobId = step.jobId ?? 0n;
  const message = `Ganeti no longer knows job ${jobId}; what it worked on shows that it ended in ${verdict.status}.`;
  const facts = { jobId, opcode: step.opcode, logMessage: message };
  const end = { type: 'jobEnded' as const, ...facts, status: verdict.status, endUs: verdict.markEndUs };
  const error = verdict.status === 'SUCCESS' ? null : message;
  const isNetwork = step.opcode.startsWith('OP_NETWORK_');
  return {
    ...facts,
    status: verdict.status,
    isFinal: true,
    newLines: [],
    lastLogSerial: step.lastLogSerial,
    lastMessage: message,
    receivedUs: null,
    startUs: null,
    endUs: null,
    error: error === null ? null : { code: 'JOB_UNKNOWN', message: error },
    instanceName: verdict.instanceName,
    machineEvent: isNetwork ? null : { ...end, startsMachine: verdict.startsMachine, error, observation },
    copyEvent: isNetwork ? { ...end, group: verdict.group } : null,
  };
}

async function seeInstance(client: GanetiClient, name: string): Promise<ObjectSeen> {
  const instance = await client.getInstance(name);
  return instance ? { kind: 'instance', isRunning: instance.operState } : { kind: 'absent' };
}

async function seeNetwork(client: GanetiClient, name: string): Promise<ObjectSeen> {
  const network = await client.getNetwork(name);
  return network ? { kind: 'network', groups: network.groups.map((group) => group.group) } : { kind: 'absent' };
}

export async function markIndeterminate(env: Environment, step: OpenStep): Promise<void> {
  if (step.state === 'INDETERMINATE') return;
  await changeSteps(env, step.operationId, 'job unknown', async (tx) => {
    await tx.query(
      `UPDATE "OperationJob" SET "state" = 'INDETERMINATE', "errorCode" = 'JOB_UNKNOWN',
         "errorMessage" = 'Ganeti no longer knows the job, and what it worked on does not tell how it ended.' WHERE "id" = $1`,
      [step.id],
    );
    return [{ field: `jobs.${step.step}.state`, from: step.state, to: 'INDETERMINATE' }];
  });
}
