import type { Tx } from '../../database/transaction.ts';
import { fieldSteps } from '../../operations/field-steps.rules.ts';
import { PoolExhausted } from '../../operations/user-error.ts';
import type { CopyRow } from './backend-network.rules.ts';
import { deriveNetworkState, type NetworkRecord, nextMacPrefix } from './network.rules.ts';
import { lockNetworks, saveNetwork } from './network.store.ts';

/**
 * Makes the copy of a network in a cluster when there is none: whoever inserts the row plans the jobs that bring it up
 * (decision 8). The caller has locked the network's row, so that a race for the first use makes one copy (trap 27).
 *
 * @throws PoolExhausted when sixteen copies of the network bear every MAC prefix that it has
 */
export async function ensureCopy(
  tx: Tx,
  network: Pick<NetworkRecord, 'id' | 'macPrefix'>,
  backend: { readonly id: number; readonly nodeGroups: readonly string[] },
): Promise<void> {
  const { rows } = await tx.query<{ backendId: number; macPrefix: string }>(
    `SELECT "backendId", "macPrefix" FROM "BackendNetwork" WHERE "networkId" = $1 AND "deletedAt" IS NULL`,
    [network.id],
  );
  if (rows.some((copy) => copy.backendId === backend.id)) return;
  const macPrefix = nextMacPrefix(
    network.macPrefix,
    rows.map((copy) => copy.macPrefix),
  );
  if (macPrefix === null) throw new PoolExhausted('The network has no MAC prefix left for another cluster.');
  await tx.query(
    `INSERT INTO "BackendNetwork" ("networkId", "backendId", "macPrefix", "missingGroups") VALUES ($1, $2, $3, $4)`,
    [network.id, backend.id, macPrefix, [...backend.nodeGroups]],
  );
}

interface CopyRecord extends Omit<CopyRow, 'isDeleted'> {
  readonly id: number;
  readonly networkId: number;
  readonly deletedAt: Date | null;
}

const COPY_FIELDS = [
  'operState',
  'connectedGroups',
  'missingGroups',
  'lastJobId',
  'lastJobStatus',
  'lastJobMessage',
] as const;

/**
 * Applies a rule to a copy under its network's lock, raises the versions of both, and derives the network's state
 * anew. @returns false when there is no such copy
 */
export async function changeCopy(
  tx: Tx,
  backendNetworkId: number,
  rule: (copy: CopyRow) => CopyRow,
  operationId: string | null,
): Promise<boolean> {
  const found = await tx.query<{ networkId: number }>(`SELECT "networkId" FROM "BackendNetwork" WHERE "id" = $1`, [
    backendNetworkId,
  ]);
  if (!found.rows[0]) return false;
  const network = (await lockNetworks(tx, [found.rows[0].networkId]))[0] as NetworkRecord;
  const copies = await tx.query<CopyRecord>(`SELECT * FROM "BackendNetwork" WHERE "networkId" = $1 ORDER BY "id"`, [
    network.id,
  ]);
  const record = copies.rows.find((copy) => copy.id === backendNetworkId) as CopyRecord;
  const before: CopyRow = { ...record, isDeleted: record.deletedAt !== null };
  const after = rule(before);
  const steps = fieldSteps<CopyRow>(before, after, COPY_FIELDS).map((step) => ({
    ...step,
    field: `backendNetworks.${backendNetworkId}.${step.field}`,
  }));
  const isMarkMoved = after.markEndUs !== before.markEndUs || after.markJobId !== before.markJobId;
  if (steps.length === 0 && !isMarkMoved) return true;
  await tx.query(
    `UPDATE "BackendNetwork" SET "operState" = $2::"NetworkState", "connectedGroups" = $3, "missingGroups" = $4,
       "lastJobId" = $5, "lastJobOpcode" = $6, "lastJobStatus" = $7::"JobStatus", "lastJobMessage" = $8,
       "markEndUs" = $9, "markJobId" = $10, "version" = "version" + $11, "updatedAt" = clock_timestamp() WHERE "id" = $1`,
    [
      backendNetworkId,
      after.operState,
      after.connectedGroups,
      after.missingGroups,
      after.lastJobId,
      after.lastJobOpcode,
      after.lastJobStatus,
      after.lastJobMessage,
      after.markEndUs,
      after.markJobId,
      steps.length > 0 ? 1 : 0,
    ],
  );
  if (steps.length === 0) return true;
  const states = copies.rows.map((copy) => (copy.id === backendNetworkId ? after.operState : copy.operState));
  const state = deriveNetworkState({ action: network.action, isDeleted: network.deletedAt !== null }, states);
  await saveNetwork(
    tx,
    network,
    { state },
    [...steps, ...fieldSteps({ state: network.state }, { state }, ['state'])],
    operationId,
  );
  return true;
}
