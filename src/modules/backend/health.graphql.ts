import type { Backend } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { loadRow } from '../../graphql/row-loader.ts';
import { BackendType, backendRows } from './backend.graphql.ts';
import { type ClusterHealth, type Health, readHealth, type SetAsideJobHealth } from './health.ts';

const ClusterHealthType = builder.objectRef<ClusterHealth>('ClusterHealth').implement({
  description: 'Whether one cluster answers.',
  fields: (t) => ({
    backend: t.field({
      type: BackendType,
      nullable: true,
      description: 'The cluster; null when it was removed just now.',
      resolve: ({ backendId }, _args, context, info) => loadRow<Backend>(backendRows, context, info, String(backendId)),
    }),
    name: t.exposeString('name', { description: 'What it is called here.' }),
    reachable: t.exposeBoolean('reachable', { description: 'Whether it answered the last time it was asked.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it answered last; null when it never has.',
    }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why it did not answer; null when it did.' }),
  }),
});

const SetAsideJob = builder.objectRef<SetAsideJobHealth>('SetAsideJob').implement({
  description: 'A job whose outcome could not be applied; it is tried again by and by.',
  fields: (t) => ({
    backend: t.field({
      type: BackendType,
      nullable: true,
      description: 'The cluster that ran it; null when it was removed just now.',
      resolve: ({ backendId }, _args, context, info) => loadRow<Backend>(backendRows, context, info, String(backendId)),
    }),
    jobId: t.expose('jobId', { type: 'BigInt', description: 'Its number in the cluster.' }),
    error: t.exposeString('error', { description: 'What went wrong.' }),
    tries: t.exposeInt('tries', { description: 'How often it was tried.' }),
    nextTryAt: t.expose('nextTryAt', { type: 'DateTime', description: 'When it is tried next.' }),
  }),
});

const HealthType = builder.objectRef<Health>('Health').implement({
  description: 'What an operator looks at first.',
  fields: (t) => ({
    clusters: t.field({
      type: [ClusterHealthType],
      description: 'Every cluster and whether it answers.',
      resolve: (health) => health.clusters,
    }),
    setAsideJobs: t.field({
      type: [SetAsideJob],
      description: 'Jobs whose outcome could not be applied, at most 100.',
      resolve: (health) => health.setAsideJobs.map((job) => ({ ...job, jobId: BigInt(job.jobId) })),
    }),
    warnings: t.exposeStringList('warnings', { description: 'What is set badly or needs a look.' }),
  }),
});

builder.queryField('health', (t) =>
  t.field({
    type: HealthType,
    description: 'Whether the clusters answer, and what is stuck.',
    resolve: (_root, _args, { environment }) => readHealth(environment),
  }),
);
