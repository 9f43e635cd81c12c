import { appendChange, type FieldStep } from '../../changes/index.ts';
import type { Tx } from '../../database/transaction.ts';
import { fieldSteps } from '../../operations/field-steps.rules.ts';
import { releaseNicAddresses } from '../address-pool/address.store.ts';
import { touchNetworks } from '../network/network.store.ts';
import type { MachineOutcome, MachineRow } from './virtual-machine.rules.ts';
import type { NicRow } from './virtual-machine-nics.rules.ts';

/** A machine's row as the rules need it, with what identifies it. */
export interface MachineRecord extends MachineRow {
  readonly id: number;
  readonly name: string;
  readonly ganetiName: string;
  readonly ownerId: string;
  readonly backendId: number | null;
  readonly flavorId: number;
  readonly imageId: number;
  readonly version: number;
  readonly deletedAt: Date | null;
}

export interface LockedMachine {
  readonly machine: MachineRecord;
  readonly nics: readonly (NicRow & { readonly networkId: number })[];
}

/** Locks a machine and reads its NICs. NO KEY UPDATE, so that inserts of its children never wait. */
export async function lockMachine(tx: Tx, id: number): Promise<LockedMachine | null> {
  const { rows } = await tx.query<MachineRecord>(`SELECT * FROM "VirtualMachine" WHERE "id" = $1 FOR NO KEY UPDATE`, [
    id,
  ]);
  const machine = rows[0];
  if (!machine) return null;
  const nics = await tx.query<NicRow & { networkId: number }>(
    `SELECT n."id", n."name", n."index", n."state", n."mac", n."ganetiUuid", n."ipv6", n."networkId",
            n."deletedAt" IS NOT NULL AS "isDeleted", net."subnet6"
       FROM "NetworkInterface" n JOIN "Network" net ON net."id" = n."networkId"
      WHERE n."virtualMachineId" = $1 ORDER BY n."index"`,
    [id],
  );
  return { machine, nics: nics.rows };
}

const STATE_FIELDS = ['operState', 'task', 'ganetiUuid'] as const;
const BUILD_FIELDS = ['buildPercentage', 'buildPhase', 'buildMessage'] as const;

/** Why a machine's row changes: kept with the change for its history. */
export interface ChangeOrigin {
  readonly operationId: string | null;
  readonly cause: string;
}

/**
 * Writes what the rules made of a machine: its row, its NICs, the addresses given back, a diagnostic, and the change
 * that tells of it. Nothing is written when nothing differs. @returns the machine as it stands now
 */
export async function saveMachine(
  tx: Tx,
  locked: LockedMachine,
  outcome: MachineOutcome,
  origin: ChangeOrigin,
): Promise<LockedMachine> {
  const before = locked.machine;
  const after = outcome.machine;
  const stateSteps = fieldSteps<MachineRow>(before, after, STATE_FIELDS);
  const buildSteps = fieldSteps<MachineRow>(before, after, BUILD_FIELDS);
  const jobSteps = lastJobSteps(before, after);
  const nicSteps = await saveNics(tx, locked, outcome);
  if (outcome.diagnostic)
    await insertDiagnostic(tx, before.id, { ...outcome.diagnostic, details: null, eventAt: null });
  const diagnosticSteps: FieldStep[] = outcome.diagnostic
    ? [{ field: 'diagnostics', from: null, to: outcome.diagnostic.message }]
    : [];
  const steps = [...stateSteps, ...buildSteps, ...jobSteps, ...nicSteps, ...diagnosticSteps];
  const isMarkMoved = after.markEndUs !== before.markEndUs || after.markJobId !== before.markJobId;
  if (steps.length === 0 && !isMarkMoved) return locked;

  const { rows } = await tx.query<MachineRecord>(
    `UPDATE "VirtualMachine" SET
       "operState" = $2::"OperState", "task" = $3::"Task", "ganetiUuid" = $4,
       "buildPercentage" = $5, "buildPhase" = $6::"BuildPhase", "buildMessage" = $7,
       "buildUpdatedAt" = CASE WHEN $8 THEN clock_timestamp() ELSE "buildUpdatedAt" END,
       "lastJobId" = $9, "lastJobOpcode" = $10, "lastJobStatus" = $11::"JobStatus", "lastJobMessage" = $12,
       "markEndUs" = $13, "markJobId" = $14, "version" = "version" + $15, "updatedAt" = clock_timestamp(),
       "deletedAt" = CASE WHEN $2::"OperState" = 'DESTROYED' THEN coalesce("deletedAt", clock_timestamp()) END
     WHERE "id" = $1 RETURNING *`,
    [
      before.id,
      after.operState,
      after.task,
      after.ganetiUuid,
      after.buildPercentage,
      after.buildPhase,
      after.buildMessage,
      buildSteps.length > 0,
      after.lastJobId,
      after.lastJobOpcode,
      after.lastJobStatus,
      after.lastJobMessage,
      after.markEndUs,
      after.markJobId,
      steps.length > 0 ? 1 : 0,
    ],
  );
  const saved = rows[0] as MachineRecord;
  if (steps.length > 0) {
    const isProgress =
      stateSteps.length + nicSteps.length + diagnosticSteps.length === 0 &&
      before.lastJobStatus === after.lastJobStatus;
    await appendMachineChange(tx, before, saved, steps, origin, isProgress);
  }
  return { machine: saved, nics: locked.nics.map((nic, at) => ({ ...nic, ...outcome.nics[at] })) };
}

/** The values by which lists of machines are filtered. */
function attributes(machine: MachineRecord): object {
  const { ownerId, name, operState, backendId, flavorId, imageId } = machine;
  return { ownerId, name, operState, backendId, flavorId, imageId, isDeleted: machine.deletedAt !== null };
}

/** Appends the change that stands for the machine's present version. */
export async function appendMachineChange(
  tx: Tx,
  before: MachineRecord | null,
  after: MachineRecord,
  changes: readonly FieldStep[],
  origin: ChangeOrigin,
  isProgress = false,
): Promise<void> {
  await appendChange(tx, {
    entityType: 'VIRTUAL_MACHINE',
    entityId: String(after.id),
    version: after.version,
    changes,
    before: before && attributes(before),
    after: attributes(after),
    isProgress,
    operationId: origin.operationId,
    cause: origin.cause,
  });
}

function lastJobSteps(before: MachineRow, after: MachineRow): FieldStep[] {
  const lastJob = (row: MachineRow) =>
    row.lastJobId === null
      ? null
      : { jobId: row.lastJobId, opcode: row.lastJobOpcode, status: row.lastJobStatus, logMessage: row.lastJobMessage };
  return fieldSteps({ lastJob: lastJob(before) }, { lastJob: lastJob(after) }, ['lastJob']);
}

async function saveNics(tx: Tx, locked: LockedMachine, outcome: MachineOutcome): Promise<FieldStep[]> {
  const steps: FieldStep[] = [];
  const touched = new Set<number>();
  for (const [at, before] of locked.nics.entries()) {
    const after = outcome.nics[at] as NicRow;
    const changed = fieldSteps<NicRow>(before, after, ['index', 'state', 'mac', 'ganetiUuid', 'ipv6', 'isDeleted']);
    if (changed.length === 0) continue;
    touched.add(before.networkId);
    steps.push(...changed.map((step) => ({ ...step, field: `nics.${before.name}.${step.field}` })));
    await tx.query(
      `UPDATE "NetworkInterface" SET "index" = $2, "state" = $3::"NicState", "mac" = $4, "ganetiUuid" = $5, "ipv6" = $6,
         "updatedAt" = clock_timestamp(), "deletedAt" = CASE WHEN $7 THEN coalesce("deletedAt", clock_timestamp()) END
       WHERE "id" = $1`,
      [before.id, after.index, after.state, after.mac, after.ganetiUuid, after.ipv6, after.isDeleted],
    );
  }
  await touchNetworks(tx, [...touched], 'nics');
  await releaseNicAddresses(tx, outcome.releasedNicIds);
  return steps;
}

export interface NewDiagnostic {
  readonly level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
  readonly source: string;
  readonly message: string;
  readonly details: string | null;
  readonly eventAt: Date | null;
}

export async function insertDiagnostic(tx: Tx, virtualMachineId: number, diagnostic: NewDiagnostic): Promise<void> {
  await tx.query(
    `INSERT INTO "Diagnostic" ("virtualMachineId", "level", "source", "message", "details", "eventAt", "createdAt")
     VALUES ($1, $2::"DiagnosticLevel", $3, $4, $5, $6, clock_timestamp())`,
    [
      virtualMachineId,
      diagnostic.level,
      diagnostic.source.slice(0, 100),
      // 255 characters are what the field's clients show; the rest is in the details.
      diagnostic.message.slice(0, 255),
      diagnostic.details ?? (diagnostic.message.length > 255 ? diagnostic.message : null),
      diagnostic.eventAt,
    ],
  );
}

/** Raises a machine's version for a change of one of its children that no rule made (a diagnostic). */
export async function touchMachine(
  tx: Tx,
  locked: LockedMachine,
  step: FieldStep,
  origin: ChangeOrigin,
): Promise<void> {
  const { rows } = await tx.query<MachineRecord>(
    `UPDATE "VirtualMachine" SET "version" = "version" + 1, "updatedAt" = clock_timestamp() WHERE "id" = $1 RETURNING *`,
    [locked.machine.id],
  );
  await appendMachineChange(tx, locked.machine, rows[0] as MachineRecord, [step], origin);
}
