import type { Queryable } from './pool.ts';

/** PostgreSQL 15 is the oldest supported, the oldest that the migrations have been applied to. */
export const OLDEST_SUPPORTED_MAJOR = 15;

export class UnsupportedServerError extends Error {
  override readonly name = 'UnsupportedServerError';
}

/**
 * @throws UnsupportedServerError when the server is older than {@link OLDEST_SUPPORTED_MAJOR}
 */
export async function requireSupportedServer(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  );
  checkServerVersion(rows[0]?.number ?? 0, rows[0]?.version ?? 'unknown');
}

/**
 * @param versionNumber - `server_version_num`, such as 150004
 * @throws UnsupportedServerError
 */
export function checkServerVersion(versionNumber: number, version: string): void {
  if (versionNumber >= OLDEST_SUPPORTED_MAJOR * 10_000) return;
  throw new UnsupportedServerError(
    `The database server is PostgreSQL ${version}; ganeti-graphql needs ${OLDEST_SUPPORTED_MAJOR} or newer`,
  );
}
