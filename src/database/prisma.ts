import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from './generated/client.ts';

/**
 * The Prisma client on the process's own pool, so that both share one limit of connections.
 * `$disconnect()` leaves the pool open; whoever made the pool ends it.
 */
export function createPrisma(pool: pg.Pool): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool),
    // What no reader of the graph has any business with, and a list of machines fetched a hundred times.
    omit: { backend: { passwordCipher: true, caPem: true }, image: { secretsCipher: true } },
  });
}

export type { PrismaClient };
