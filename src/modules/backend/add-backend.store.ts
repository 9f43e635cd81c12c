import type { Tx } from '../../database/transaction.ts';
import { appendBackendChange, type BackendRecord } from './backend.store.ts';
import type { BackendObservation } from './observation.rules.ts';

export interface NewBackend {
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly username: string;
  readonly passwordCipher: string;
  readonly caPem: string | null;
  readonly certificateFingerprint: string | null;
  readonly hypervisor: string;
  readonly clusterName: string;
  readonly clusterUuid: string;
  readonly createDefaults: object;
  readonly isPublic: boolean;
  readonly isDrained: boolean;
  readonly lastJobId: number;
  readonly observation: BackendObservation;
}

export async function insertBackend(tx: Tx, backend: NewBackend): Promise<BackendRecord> {
  const seen = backend.observation;
  const values: Record<string, unknown> = {
    name: backend.name,
    endpoints: backend.endpoints,
    username: backend.username,
    passwordCipher: backend.passwordCipher,
    caPem: backend.caPem,
    certificateFingerprint: backend.certificateFingerprint,
    clusterName: backend.clusterName,
    clusterUuid: backend.clusterUuid,
    hypervisor: backend.hypervisor,
    createDefaults: JSON.stringify(backend.createDefaults),
    isPublic: backend.isPublic,
    isDrained: backend.isDrained,
    lastJobId: backend.lastJobId,
    ...seen,
  };
  const columns = Object.keys(values);
  const { rows } = await tx.query<BackendRecord>(
    `INSERT INTO "Backend" (${columns.map((column) => `"${column}"`).join(', ')}, "lastSeenAt", "createdAt", "updatedAt")
     VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')}, clock_timestamp(), clock_timestamp(), clock_timestamp()) RETURNING *`,
    Object.values(values),
  );
  const inserted = rows[0] as BackendRecord;
  await appendBackendChange(tx, null, inserted, [{ field: 'name', from: null, to: inserted.name }]);
  return inserted;
}

/** Moves the sequences of ids past those that names in a cluster bear already. */
export async function raiseSequences(
  tx: Tx,
  highest: Readonly<Record<'VirtualMachine' | 'Network' | 'NetworkInterface', number>>,
): Promise<void> {
  for (const [table, id] of Object.entries(highest)) {
    if (id === 0) continue;
    const sequence = `pg_get_serial_sequence('"${table}"', 'id')`;
    await tx.query(`SELECT setval(${sequence}, greatest($1::bigint, nextval(${sequence})))`, [id]);
  }
}
