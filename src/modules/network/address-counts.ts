import { createContextCache } from '@pothos/core';
import DataLoader from 'dataloader';
import ipaddr from 'ipaddr.js';
import type { Pool } from 'pg';
import type { GraphQLContext } from '../../graphql/context.ts';

/** How a network's IPv4 addresses are taken. */
export interface AddressCounts {
  readonly total: number;
  readonly reserved: number;
  readonly free: number;
}

interface Subnet {
  readonly id: number;
  readonly subnet: string | null;
  readonly gateway: string | null;
}

interface HeldCounts {
  readonly inUse: number;
  readonly setAside: number;
}

/** GraphQL's largest Int; a /1 has more addresses. */
const MOST = 2 ** 31 - 1;

const loaders = createContextCache(
  (context: GraphQLContext) =>
    new DataLoader<Subnet, HeldCounts, number>((networks) => readHeldCounts(context.environment.pool, networks), {
      cacheKeyFn: ({ id }) => id,
    }),
);

/** Counts the addresses of a network, together with those of all other networks of the operation; null without IPv4. */
export async function addressCountsOf(context: GraphQLContext, network: Subnet): Promise<AddressCounts | null> {
  if (network.subnet === null) return null;
  const { inUse, setAside } = await loaders(context).load(network);
  const total = Math.min(2 ** (32 - ipaddr.IPv4.parseCIDR(network.subnet)[1]), MOST);
  const reserved = fixedAddresses(network).length + setAside;
  return { total, reserved, free: Math.max(total - reserved - inUse, 0) };
}

/** Addresses that no pool row is needed to reserve; a /31 or /32 has neither network nor broadcast address. */
export function fixedAddresses({ subnet, gateway }: Omit<Subnet, 'id'>): string[] {
  if (subnet === null) return [];
  const ends =
    ipaddr.IPv4.parseCIDR(subnet)[1] > 30
      ? []
      : [ipaddr.IPv4.networkAddressFromCIDR(subnet), ipaddr.IPv4.broadcastAddressFromCIDR(subnet)];
  return [...new Set([...ends.map(String), ...(gateway === null ? [] : [gateway])])];
}

/** Rows of the pools by holder; a fixed address that has a row as well is not counted twice. */
async function readHeldCounts(pool: Pool, networks: readonly Subnet[]): Promise<HeldCounts[]> {
  const fixed = networks.flatMap((network) => fixedAddresses(network).map((address) => ({ id: network.id, address })));
  const { rows } = await pool.query<{ networkId: number } & HeldCounts>(
    `SELECT a."networkId", count(*) FILTER (WHERE a."holder" = 'NIC')::int4 AS "inUse",
            count(*) FILTER (WHERE a."holder" = 'EXTERNAL')::int4 AS "setAside"
       FROM "Address" a
      WHERE a."networkId" = ANY($1::int4[]) AND a."address" NOT LIKE '%:%'
        AND NOT EXISTS (SELECT FROM unnest($2::int4[], $3::text[]) AS f(id, address)
                         WHERE f.id = a."networkId" AND f.address = a."address")
      GROUP BY a."networkId"`,
    [networks.map(({ id }) => id), fixed.map(({ id }) => id), fixed.map(({ address }) => address)],
  );
  const byNetwork = new Map(rows.map((row) => [row.networkId, row]));
  return networks.map(({ id }) => byNetwork.get(id) ?? { inUse: 0, setAside: 0 });
}
