import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Viewer } from '../auth/viewer.ts';
import { inTransaction, type Tx } from '../database/transaction.ts';
import { type ClaimRequest, claimsToInsert, findConflicts } from './claims.rules.ts';
import {
  asBusy,
  deleteDeadClaims,
  insertOperationClaims,
  type LockRequest,
  readClaims,
  takeLocks,
} from './claims.store.ts';
import type { Environment } from './environment.ts';
import { inputHash, validIdempotencyKey } from './idempotency.ts';
import { insertOperation, insertSteps } from './operation.store.ts';
import type { OperationParameters, PlannedStep } from './operation-kind.ts';
import { type ResourceKey, resourceKey } from './resource-key.ts';
import { adoptedOperations, refuseHandingOver } from './transient-claims.ts';
import { IdempotencyKeyReused, ResourceBusy } from './user-error.ts';

/** What an admitted mutation answers with. */
export interface Admitted {
  readonly operationId: string;
  /** True when the idempotency key named an operation that was admitted before. */
  readonly isReplayed: boolean;
  readonly virtualMachineId?: number;
  readonly networkId?: number;
}

/** What the domain gives to its operation, inside the admission transaction. */
export interface Prepared {
  readonly virtualMachineId?: number;
  readonly networkId?: number;
  readonly backendId?: number;
  readonly parameters?: OperationParameters;
  readonly steps: readonly PlannedStep[];
}

/** What is wanted once it is known that this is no repeat of an earlier request. */
export interface AdmissionPlan {
  readonly claims: ClaimRequest;
  readonly locks: readonly ResourceKey[];
  /** Domain checks and rows, under the locks; throws a UserError to refuse. */
  readonly prepare: (tx: Tx, operationId: string) => Promise<Prepared>;
}

export interface AdmissionRequest {
  readonly kind: string;
  /** The validated input with defaults, ids normalised, secrets masked. */
  readonly input: object;
  readonly idempotencyKey?: string | undefined;
  readonly parentOperationId?: string | undefined;
  /** Reads outside the transaction what the claims depend on. */
  readonly describe: () => Promise<AdmissionPlan>;
}

interface Repeated {
  readonly id: string;
  readonly inputHash: string;
  readonly virtualMachineId: number | null;
  readonly networkId: number | null;
}

/**
 * Admits one operation in one short READ COMMITTED transaction (6-claims, section 3): locks in the order of their
 * numbers, repeat of an earlier key, dead claims away, all conflicts, domain checks, rows and claims. A refusal rolls
 * everything back: nothing is stored, nothing consumed. Never calls a cluster.
 *
 * @throws ResourceBusy, IdempotencyKeyReused, and what `describe` and `prepare` throw
 */
export async function admit(env: Environment, viewer: Viewer, request: AdmissionRequest): Promise<Admitted> {
  const key = validIdempotencyKey(request.idempotencyKey);
  const hash = inputHash(request.kind, request.input);
  const early = key === null ? null : await findRepeated(env.pool, viewer.id, key);
  if (early) return replay(early, hash);

  let plan: AdmissionPlan;
  try {
    plan = await request.describe();
  } catch (error) {
    // The first one may have been admitted, and even ended, since: its repeat finds the machine deleted.
    const late = key === null ? null : await findRepeated(env.pool, viewer.id, key);
    if (late) return replay(late, hash);
    throw error;
  }
  refuseHandingOver(plan.claims);
  const locks: LockRequest = new Map([
    ...plan.claims,
    ...plan.locks.map((lock) => [lock, 'EXCLUSIVE'] as const),
    ...(key === null ? [] : [[resourceKey.submission(viewer.id, key), 'EXCLUSIVE'] as const]),
  ]);
  const keys = [...plan.claims.keys()];
  const operationId = randomUUID();
  const wake = new Set<number>();
  try {
    return await inTransaction(env.pool, async (tx) => {
      wake.clear();
      await takeLocks(tx, locks);
      const repeated = key === null ? null : await findRepeated(tx, viewer.id, key);
      if (repeated) return replay(repeated, hash);

      await deleteDeadClaims(tx, keys);
      const active = await readClaims(tx, keys);
      const claimant = { ancestors: ancestorsOf(request) };
      const conflicts = findConflicts(plan.claims, active, claimant);
      if (conflicts.length > 0) throw new ResourceBusy(conflicts);

      const prepared = await plan.prepare(tx, operationId);
      const isOpen = prepared.steps.length > 0;
      await insertOperation(tx, {
        id: operationId,
        kind: request.kind,
        status: isOpen ? 'ADMITTED' : 'SUCCESS',
        actor: viewer.id,
        idempotencyKey: key,
        inputHash: hash,
        input: request.input,
        parameters: prepared.parameters ?? {},
        isDryRun: isOpen && env.settings.ganetiDryRun,
        parentOperationId: request.parentOperationId ?? null,
        virtualMachineId: prepared.virtualMachineId ?? null,
        networkId: prepared.networkId ?? null,
        backendId: prepared.backendId ?? null,
      });
      await insertSteps(tx, operationId, prepared.steps);
      // A terminal operation has no claims (I2), not even for the time of its transaction.
      if (isOpen) await insertOperationClaims(tx, operationId, claimsToInsert(plan.claims, active, claimant));
      for (const step of prepared.steps) wake.add(step.backendId);
      tx.afterCommit(() => {
        for (const backendId of wake) env.wake(backendId);
      });
      return admitted(operationId, false, prepared.virtualMachineId, prepared.networkId);
    });
  } catch (error) {
    throw asBusy(env.logger, error);
  }
}

function ancestorsOf(request: AdmissionRequest): ReadonlySet<string> {
  const adopted = adoptedOperations();
  return request.parentOperationId === undefined ? adopted : new Set([...adopted, request.parentOperationId]);
}

async function findRepeated(on: Pool | Tx, actor: string, key: string): Promise<Repeated | null> {
  const { rows } = await (on as Tx).query<Repeated>(
    `SELECT "id", "inputHash", "virtualMachineId", "networkId" FROM "Operation"
      WHERE "actor" = $1 AND "idempotencyKey" = $2`,
    [actor, key],
  );
  return rows[0] ?? null;
}

function replay(repeated: Repeated, hash: string): Admitted {
  if (repeated.inputHash !== hash) {
    throw new IdempotencyKeyReused('This idempotency key belongs to another request.', ['idempotencyKey']);
  }
  return admitted(repeated.id, true, repeated.virtualMachineId, repeated.networkId);
}

function admitted(
  operationId: string,
  isReplayed: boolean,
  virtualMachineId: number | null | undefined,
  networkId: number | null | undefined,
): Admitted {
  return {
    operationId,
    isReplayed,
    ...(virtualMachineId == null ? {} : { virtualMachineId }),
    ...(networkId == null ? {} : { networkId }),
  };
}
