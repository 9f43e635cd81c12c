import { randomUUID } from 'node:crypto';
import { appendChange, type FieldStep } from '../changes/index.ts';
import type { Tx } from '../database/transaction.ts';
import type { JobStatus } from '../ganeti/index.ts';
import type { OperationParameters, PlannedStep } from './operation-kind.ts';
import type { OperationStatus, StepState } from './operation-status.rules.ts';

export interface OperationRow {
  readonly id: string;
  readonly kind: string;
  readonly status: OperationStatus;
  readonly actor: string;
  readonly idempotencyKey: string | null;
  readonly inputHash: string;
  readonly parameters: OperationParameters;
  readonly isDryRun: boolean;
  readonly isCancelRequested: boolean;
  readonly virtualMachineId: number | null;
  readonly networkId: number | null;
  readonly backendId: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly logSerial: number;
  readonly version: number;
  readonly finalizedAt: Date | null;
}

export interface StepRow {
  readonly id: string;
  readonly operationId: string;
  readonly step: number;
  readonly backendId: number;
  readonly backendNetworkId: number | null;
  readonly opcode: string;
  readonly role: string;
  readonly state: StepState;
  readonly dependsOn: readonly string[];
  readonly jobId: bigint | null;
  readonly jobIdFloor: bigint | null;
  readonly jobStatus: Uppercase<JobStatus> | null;
  readonly sendCount: number;
  readonly sentAt: Date | null;
  readonly missingCount: number;
  readonly lastLogSerial: number;
  readonly lastLogMessage: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

export interface NewOperation {
  readonly id: string;
  readonly kind: string;
  readonly status: OperationStatus;
  readonly actor: string;
  readonly idempotencyKey: string | null;
  readonly inputHash: string;
  readonly input: object;
  readonly parameters: OperationParameters;
  readonly isDryRun: boolean;
  readonly parentOperationId: string | null;
  readonly virtualMachineId: number | null;
  readonly networkId: number | null;
  readonly backendId: number | null;
}

/** The text by which a step's job is found again in a cluster: ASCII, no user text (6-claims, section 6). */
export function stepReason(operationId: string, step: number): string {
  return `op:${operationId}.${step}`;
}

/** The step that a job's reason names; null for a job that is not ours. */
export function parseStepReason(reason: string | null): { operationId: string; step: number } | null {
  const match = /^op:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.(\d{1,4})$/.exec(reason ?? '');
  return match ? { operationId: match[1] as string, step: Number(match[2]) } : null;
}

export async function insertOperation(tx: Tx, operation: NewOperation): Promise<void> {
  await tx.query(
    `INSERT INTO "Operation" ("id", "kind", "status", "actor", "idempotencyKey", "inputHash", "input", "parameters",
       "isDryRun", "parentOperationId", "virtualMachineId", "networkId", "backendId", "finalizedAt", "createdAt")
     VALUES ($1, $2, $3::"OperationStatus", $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
       CASE WHEN $3::"OperationStatus" = 'SUCCESS' THEN clock_timestamp() END, clock_timestamp())`,
    [
      operation.id,
      operation.kind,
      operation.status,
      operation.actor,
      operation.idempotencyKey,
      operation.inputHash,
      JSON.stringify(operation.input),
      JSON.stringify(operation.parameters),
      operation.isDryRun,
      operation.parentOperationId,
      operation.virtualMachineId,
      operation.networkId,
      operation.backendId,
    ],
  );
  await appendOperationChange(tx, null, { ...operation, version: 1 }, [
    { field: 'status', from: null, to: operation.status },
  ]);
}

/** One row per planned step; each waits for the steps that its plan names. @returns the steps' ids by role */
export async function insertSteps(tx: Tx, operationId: string, steps: readonly PlannedStep[]): Promise<void> {
  const idByRole = new Map(steps.map((step) => [step.role, randomUUID()]));
  if (idByRole.size !== steps.length) throw new Error('Two steps of one operation bear the same role.');
  for (const [index, step] of steps.entries()) {
    const dependsOn = [...(step.after ?? []).map((role) => idByRole.get(role)), ...(step.afterSteps ?? [])];
    await tx.query(
      `INSERT INTO "OperationJob" ("id", "operationId", "step", "backendId", "backendNetworkId", "opcode", "role", "dependsOn")
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8::uuid[])`,
      [
        idByRole.get(step.role),
        operationId,
        index,
        step.backendId,
        step.backendNetworkId ?? null,
        step.opcode,
        step.role,
        dependsOn,
      ],
    );
  }
}

/** Lock order: an operation comes before the machines, networks and backends that it touches. */
export async function lockOperation(tx: Tx, id: string): Promise<OperationRow | null> {
  const { rows } = await tx.query<OperationRow>(`SELECT * FROM "Operation" WHERE "id" = $1 FOR NO KEY UPDATE`, [id]);
  return rows[0] ?? null;
}

export async function readSteps(tx: Pick<Tx, 'query'>, operationId: string): Promise<StepRow[]> {
  const { rows } = await tx.query<StepRow>(`SELECT * FROM "OperationJob" WHERE "operationId" = $1 ORDER BY "step"`, [
    operationId,
  ]);
  return rows;
}

type OperationIdentity = Pick<
  OperationRow,
  'id' | 'actor' | 'kind' | 'status' | 'virtualMachineId' | 'networkId' | 'backendId' | 'version'
>;

/** The values by which lists of operations are filtered. */
function attributes({ actor, kind, status, virtualMachineId, networkId, backendId }: OperationIdentity): object {
  return { actor, kind, status, virtualMachineId, networkId, backendId };
}

/** Appends the change that stands for the operation's new version; the caller has raised it in the row. */
export async function appendOperationChange(
  tx: Tx,
  before: OperationIdentity | null,
  after: OperationIdentity,
  changes: readonly FieldStep[],
  isProgress = false,
): Promise<void> {
  await appendChange(tx, {
    entityType: 'OPERATION',
    entityId: after.id,
    version: after.version,
    changes,
    before: before ? attributes(before) : null,
    after: attributes(after),
    isProgress,
    operationId: after.id,
  });
}
