import { appendChange, type FieldStep } from '../../changes/index.ts';
import type { Queryable } from '../../database/pool.ts';
import type { Tx } from '../../database/transaction.ts';
import type { BackendCandidate } from './choose-backend.rules.ts';

/** What is read of a cluster where machines are placed. */
export interface PlacementBackend extends BackendCandidate {
  readonly nodeGroups: readonly string[];
}

const PLACEMENT = `
  SELECT b."id", b."name", b."isDrained", b."isOffline", b."diskTemplates", b."nodeGroups",
         -- The observation lags behind our own admissions: whichever count is higher is nearer the truth.
         greatest(b."instanceCount", (SELECT count(*)::int FROM "VirtualMachine" vm
                                       WHERE vm."backendId" = b."id" AND vm."deletedAt" IS NULL)) AS "instanceCount"
    FROM "Backend" b WHERE b."deletedAt" IS NULL`;

export async function readPlacementBackends(on: Queryable): Promise<PlacementBackend[]> {
  return (await on.query<PlacementBackend>(`${PLACEMENT} ORDER BY b."id"`)).rows;
}

/** One cluster as it stands, its flags held still until the end of the transaction (drains wait, other admissions do not). */
export async function sharePlacementBackend(tx: Tx, id: number): Promise<PlacementBackend | null> {
  return (await tx.query<PlacementBackend>(`${PLACEMENT} AND b."id" = $1 FOR SHARE OF b`, [id])).rows[0] ?? null;
}

export interface BackendRecord {
  readonly id: number;
  readonly name: string;
  readonly isDrained: boolean;
  readonly isOffline: boolean;
  readonly isPublic: boolean;
  readonly isReachable: boolean;
  readonly lastError: string | null;
  readonly version: number;
  readonly deletedAt: Date | null;
}

export async function lockBackend(tx: Tx, id: number): Promise<BackendRecord | null> {
  const { rows } = await tx.query<BackendRecord>(`SELECT * FROM "Backend" WHERE "id" = $1 FOR NO KEY UPDATE`, [id]);
  return rows[0] ?? null;
}

function attributes(backend: BackendRecord): object {
  const { name, isDrained, isOffline, isPublic } = backend;
  return { name, isDrained, isOffline, isPublic, isDeleted: backend.deletedAt !== null };
}

/** Raises a locked cluster's version and appends the change that tells of it. */
export async function appendBackendChange(
  tx: Tx,
  before: BackendRecord | null,
  after: BackendRecord,
  changes: readonly FieldStep[],
): Promise<void> {
  await appendChange(tx, {
    entityType: 'BACKEND',
    entityId: String(after.id),
    version: after.version,
    changes,
    before: before && attributes(before),
    after: attributes(after),
  });
}
