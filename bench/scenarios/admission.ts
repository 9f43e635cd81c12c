import pg from 'pg';
import { startChild } from '../child.ts';
import { compare } from '../result.ts';
import { alternate } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { FIRST_MACHINE } from '../seed.ts';
import type { Admissions, RecordedStatement } from '../servers/admission-statement.ts';

const CLIENTS = 16;
/** Of one side in one round. */
const WITHIN_MS = 5_000;

/** What our code costs around the statements of an admission: claims, operation, rows and the record of changes. */
export const admission: Scenario = {
  name: 'admission',
  title: `startVirtualMachine by ${CLIENTS} clients, a machine each time`,
  async run(bench) {
    const databaseUrl = await bench.database.copy('admission');
    await withClient(databaseUrl, `UPDATE "Backend" SET "isOffline" = false`);
    const ours = startChild('servers/admission-product.ts');
    const peer = startChild('servers/admission-statements.ts');
    try {
      for (const child of [ours, peer]) await child.call('start', { databaseUrl });
      const recordedMachine = FIRST_MACHINE;
      const statements = await ours.call<RecordedStatement[]>('record', recordedMachine);
      let firstMachine = recordedMachine + 1;
      const measure = async (side: 'ours' | 'peer', count: number): Promise<number> => {
        const plan = { firstMachine, count, clients: CLIENTS, withinMs: WITHIN_MS };
        const { admitted, perSecond } =
          side === 'ours'
            ? await ours.call<Admissions>('admit', plan)
            : await peer.call<Admissions>('replay', { ...plan, statements, recordedMachine });
        firstMachine += admitted;
        return perSecond;
      };
      const sides = ['ours', 'peer'] as const;
      const count = bench.quick ? 300 : 900;
      await alternate(sides, 1, (side) => measure(side, count));
      const measured = await alternate(sides, bench.quick ? 2 : 4, (side) => measure(side, count));
      await expectAdmitted(databaseUrl, firstMachine - recordedMachine);
      return [
        compare(
          {
            scenario: 'admission',
            metric: 'admissions/s',
            peerName: `the same ${statements.length} statements through pg`,
          },
          measured.get('ours') ?? [],
          measured.get('peer') ?? [],
          { atLeast: 0.6 },
        ),
      ];
    } finally {
      await Promise.all([ours.stop(), peer.stop()]);
    }
  },
};

/** Both sides left the same behind: an operation, its step, two claims and a started task for each machine. */
async function expectAdmitted(databaseUrl: string, expected: number): Promise<void> {
  const [row] = await withClient(
    databaseUrl,
    `SELECT (SELECT count(*)::int FROM "Operation") AS operations, (SELECT count(*)::int FROM "OperationJob") AS steps,
            (SELECT count(*)::int / 2 FROM "Claim") AS claims,
            (SELECT count(*)::int FROM "VirtualMachine" WHERE "task" = 'STARTING') AS machines`,
  );
  const wrong = Object.entries(row ?? {}).filter(([, count]) => count !== expected);
  if (wrong.length > 0) throw new Error(`${expected} admissions left ${JSON.stringify(row)} behind`);
}

async function withClient(databaseUrl: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return client.query(statement).then(
    async ({ rows }) => {
      await client.end();
      return rows;
    },
    async (error: unknown) => {
      await client.end();
      throw error;
    },
  );
}
