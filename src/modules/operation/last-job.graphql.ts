import type { JobStatus } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';

export const JobStatusEnum = builder.enumType('JobStatus', {
  description: 'Where a Ganeti job stands, in Ganeti’s words.',
  values: {
    QUEUED: { description: 'It waits for its turn.' },
    WAITING: { description: 'It waits for locks or for the jobs that it depends on.' },
    CANCELING: { description: 'It was asked to stop.' },
    RUNNING: { description: 'It is at work.' },
    CANCELED: { description: 'It was stopped before it began.' },
    SUCCESS: { description: 'It is done.' },
    ERROR: { description: 'It failed.' },
  } as const,
});

interface LastJobRow {
  readonly lastJobId: bigint | null;
  readonly lastJobOpcode: string | null;
  readonly lastJobStatus: JobStatus | null;
  readonly lastJobMessage: string | null;
}

export const LastJob = builder.objectRef<LastJobRow>('LastJob').implement({
  description: 'The newest Ganeti job about an object, as last heard of.',
  fields: (t) => ({
    jobId: t.field({
      type: 'BigInt',
      description: 'Its number in the cluster.',
      resolve: (row) => row.lastJobId as bigint,
    }),
    opcode: t.exposeString('lastJobOpcode', {
      nullable: true,
      description: 'What it does, in Ganeti’s words: OP_INSTANCE_CREATE, ….',
    }),
    status: t.expose('lastJobStatus', { type: JobStatusEnum, nullable: true, description: 'Where it stands.' }),
    logMessage: t.exposeString('lastJobMessage', {
      nullable: true,
      description: 'The last line of its log, or its error.',
    }),
  }),
});

/** The row itself as its last job, or null when there was none. */
export function lastJobOf<Row extends LastJobRow>(row: Row): Row | null {
  return row.lastJobId === null ? null : row;
}
