import { appendChange, type FieldStep } from '../../changes/index.ts';
import type { Tx } from '../../database/transaction.ts';
import type { NetworkRecord } from './network.rules.ts';

/** Locks networks in the order of their ids; missing ones are absent from the answer. */
export async function lockNetworks(tx: Tx, ids: readonly number[]): Promise<NetworkRecord[]> {
  const { rows } = await tx.query<NetworkRecord>(
    `SELECT * FROM "Network" WHERE "id" = ANY($1) ORDER BY "id" FOR NO KEY UPDATE`,
    [[...new Set(ids)]],
  );
  return rows;
}

/** A child's change (NIC, address) raises the version of its network (decision 4). Locks in the order of the ids. */
export async function touchNetworks(tx: Tx, ids: readonly number[], field: string): Promise<void> {
  if (ids.length === 0) return;
  for (const network of await lockNetworks(tx, ids)) {
    await saveNetwork(tx, network, {}, [{ field, from: null, to: null }]);
  }
}

type NetworkPatch = Partial<Pick<NetworkRecord, 'state' | 'isDrained'>>;

/** Writes a locked network's new values under a new version, with the change that tells of it. */
export async function saveNetwork(
  tx: Tx,
  before: NetworkRecord,
  patch: NetworkPatch,
  changes: readonly FieldStep[],
  operationId: string | null = null,
): Promise<NetworkRecord> {
  const { rows } = await tx.query<NetworkRecord>(
    `UPDATE "Network" SET "state" = $2::"NetworkState", "isDrained" = $3, "version" = "version" + 1,
       "updatedAt" = clock_timestamp() WHERE "id" = $1 RETURNING *`,
    [before.id, patch.state ?? before.state, patch.isDrained ?? before.isDrained],
  );
  const after = rows[0] as NetworkRecord;
  await appendNetworkChange(tx, before, after, changes, operationId);
  return after;
}

function attributes(network: NetworkRecord): object {
  const { ownerId, name, flavor, state, isPublic } = network;
  return { ownerId, name, flavor, state, isPublic, isDeleted: network.deletedAt !== null };
}

export async function appendNetworkChange(
  tx: Tx,
  before: NetworkRecord | null,
  after: NetworkRecord,
  changes: readonly FieldStep[],
  operationId: string | null,
): Promise<void> {
  await appendChange(tx, {
    entityType: 'NETWORK',
    entityId: String(after.id),
    version: after.version,
    changes,
    before: before && attributes(before),
    after: attributes(after),
    operationId,
  });
}
