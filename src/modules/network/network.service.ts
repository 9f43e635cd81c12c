import type { Viewer } from '../../auth/viewer.ts';
import { inTransaction, sqlState } from '../../database/transaction.ts';
import { type Admitted, admit } from '../../operations/admit.ts';
import { claimRequest } from '../../operations/claims.rules.ts';
import type { Environment } from '../../operations/environment.ts';
import { resourceKey } from '../../operations/resource-key.ts';
import { NameTaken, NotFound } from '../../operations/user-error.ts';
import { checkName } from '../catalog/text.rules.ts';
import { checkNetworkInput, type NetworkInput, type NetworkRecord, networkTags } from './network.rules.ts';
import { appendNetworkChange, lockNetworks, saveNetwork } from './network.store.ts';

/**
 * Creates a network: a row only, and an operation that is SUCCESS at once. Its copies in the clusters are made at
 * first use. @throws InvalidInput, Unsupported, NameTaken, IdempotencyKeyReused
 */
export async function createNetwork(
  env: Environment,
  viewer: Viewer,
  input: NetworkInput & { readonly idempotencyKey?: string | null | undefined },
): Promise<Admitted> {
  const name = checkName(input.name, ['name']);
  const ranges = checkNetworkInput(input);
  return admit(env, viewer, {
    kind: 'createNetwork',
    input: { ...input, name },
    idempotencyKey: input.idempotencyKey ?? undefined,
    describe: async () => {
      const { rows } = await env.pool.query<{ id: number }>(
        `SELECT nextval(pg_get_serial_sequence('"Network"', 'id'))::int AS id`,
      );
      const id = (rows[0] as { id: number }).id;
      return {
        claims: claimRequest([[resourceKey.network(id), 'EXCLUSIVE']]),
        locks: [],
        prepare: async (tx, operationId) => {
          const inserted = await tx
            .query<NetworkRecord>(
              `INSERT INTO "Network" ("id", "name", "ownerId", "flavor", "mode", "link", "macPrefix", "subnet", "gateway",
                 "subnet6", "gateway6", "dhcp", "isPublic", "tags", "createdAt", "updatedAt")
               VALUES ($1, $2, $3, $4::"NetworkFlavor", 'bridged', $5, $6, $7, $8, $9, $10, $11, $12, $13,
                 clock_timestamp(), clock_timestamp()) RETURNING *`,
              [
                id,
                name,
                viewer.id,
                input.flavor,
                env.settings.defaultBridge,
                env.settings.defaultMacPrefix,
                ranges.subnet,
                ranges.gateway,
                ranges.subnet6,
                ranges.gateway6,
                input.dhcp,
                input.isPublic,
                networkTags(input),
              ],
            )
            .catch((error: unknown) => {
              if (sqlState(error) === '23505')
                throw new NameTaken(`You have a network called "${name}" already.`, ['name']);
              throw error;
            });
          const network = inserted.rows[0] as NetworkRecord;
          const steps = [{ field: 'state', from: null, to: network.state }];
          await appendNetworkChange(tx, null, network, steps, operationId);
          return { networkId: id, steps: [] };
        },
      };
    },
  });
}

/** A drained network takes no new NICs; those that it has stay. */
export function drainNetwork(env: Environment, _viewer: Viewer, id: number): Promise<void> {
  return setDrained(env, id, true);
}

export function undrainNetwork(env: Environment, _viewer: Viewer, id: number): Promise<void> {
  return setDrained(env, id, false);
}

async function setDrained(env: Environment, id: number, isDrained: boolean): Promise<void> {
  await inTransaction(env.pool, async (tx) => {
    const [network] = await lockNetworks(tx, [id]);
    if (!network || network.deletedAt !== null) throw new NotFound('There is no such network.', ['id']);
    if (network.isDrained === isDrained) return;
    await saveNetwork(tx, network, { isDrained }, [{ field: 'isDrained', from: network.isDrained, to: isDrained }]);
  });
}
