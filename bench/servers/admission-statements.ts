/** The limit of admission: the recorded statements of one, sent again through `pg` for other machines. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { answerCalls } from '../channel.ts';
import { compiled } from '../compiled.ts';
import { type AdmissionPlan, type Admissions, admitAll, type RecordedStatement } from './admission-statement.ts';
import { POOL_SIZE, type ServerOptions } from './server-options.ts';

interface Replay extends AdmissionPlan {
  readonly statements: readonly RecordedStatement[];
  readonly recordedMachine: number;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let pool: pg.Pool;
let lockNumberOf: (machineId: number) => string;

async function start({ databaseUrl }: ServerOptions): Promise<void> {
  const { lockNumber, resourceKey } =
    await compiled<typeof import('../../src/operations/resource-key.ts')>('operations/resource-key');
  lockNumberOf = (machineId) => String(lockNumber(resourceKey.virtualMachine(machineId)));
  pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
}

function replay({ statements, recordedMachine, ...plan }: Replay): Promise<Admissions> {
  const recordedLock = lockNumberOf(recordedMachine);
  return admitAll(plan, async (machineId) => {
    const lock = lockNumberOf(machineId);
    // The same new id in place of the same old one: operation, step.
    const ids = new Map<string, string>();
    const renewed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(renewed);
      if (value === recordedMachine) return machineId;
      if (typeof value !== 'string') return value;
      if (!UUID.test(value)) return value.replaceAll(String(recordedMachine), String(machineId));
      const id = ids.get(value) ?? randomUUID();
      ids.set(value, id);
      return id;
    };
    const client = await pool.connect();
    try {
      for (const { text, values } of statements)
        await client.query(text.replace(recordedLock, lock), values.map(renewed));
    } finally {
      client.release();
    }
  });
}

answerCalls({ start, replay });
