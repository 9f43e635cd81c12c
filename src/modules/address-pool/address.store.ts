import type { Tx } from '../../database/transaction.ts';

/** Gives the addresses of NICs back to their pools; repeating it changes nothing. */
export async function releaseNicAddresses(tx: Tx, nicIds: readonly number[]): Promise<void> {
  if (nicIds.length === 0) return;
  await tx.query(`DELETE FROM "Address" WHERE "nicId" = ANY($1)`, [nicIds]);
}

/**
 * Takes the lowest free address of a range for a NIC. The caller holds the pool's advisory lock, so that the address
 * is still free when it is written; the unique index on (network, address) stands behind it.
 *
 * @param size of the range; its first address and its last one are the network's and the broadcast's
 * @returns null when every address is taken
 */
export async function takeLowestAddress(
  tx: Tx,
  pool: { networkId: number; subnet: string; size: number; gateway: string | null },
  nicId: number,
): Promise<string | null> {
  const { rows } = await tx.query<{ address: string }>(
    `INSERT INTO "Address" ("networkId", "address", "holder", "nicId")
     SELECT $1, host(network($2::inet)::inet + o), 'NIC', $5
       FROM generate_series(1, $3::int - 2) AS o
      WHERE host(network($2::inet)::inet + o) IS DISTINCT FROM $4::text
        AND NOT EXISTS (SELECT 1 FROM "Address" a
                         WHERE a."networkId" = $1 AND a."address" = host(network($2::inet)::inet + o))
      ORDER BY o LIMIT 1 RETURNING "address"`,
    [pool.networkId, pool.subnet, pool.size, pool.gateway, nicId],
  );
  return rows[0]?.address ?? null;
}

/** Takes one certain address for a NIC. @returns false when something holds it */
export async function takeAddress(tx: Tx, networkId: number, address: string, nicId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO "Address" ("networkId", "address", "holder", "nicId") VALUES ($1, $2, 'NIC', $3)
     ON CONFLICT ("networkId", "address") DO NOTHING`,
    [networkId, address, nicId],
  );
  return rowCount === 1;
}
