import type { Cluster } from './cluster.ts';
import type { JobQueue } from './job-queue.ts';
import { jobFields, type SimJob } from './jobs.ts';
import { compileFilter, type QueryItem, unparsable } from './query-filter.ts';
import { groupView, instanceView, networkView, nodeView } from './views.ts';

// Result status of a cell: a value, a field nobody knows, a value that does not exist (yet).
const NORMAL = 0;
const UNKNOWN_FIELD = 1;
const UNAVAILABLE = 3;

const KINDS: Readonly<Record<string, string>> = {
  id: 'number',
  status: 'text',
  name: 'text',
  uuid: 'text',
  priority: 'number',
  archived: 'bool',
};

/** `/2/query/<resource>`: rows of `[status, value]` cells. Throws the errors of the real one as `RapiError`. */
export function runQuery(
  resource: string,
  fields: unknown,
  filter: unknown,
  cluster: Cluster,
  queue: JobQueue,
): Record<string, unknown> {
  if (!Array.isArray(fields)) throw unparsable([resource, fields, filter], 'Unable to read list');
  const compiled = compileFilter(filter, [resource, fields, filter]);
  const items =
    resource === 'job' ? jobItems(queue, compiled.pushedDown) : otherItems(resource, fields, filter, cluster);
  const names = fields.map(String);
  return {
    data: items.filter((item) => compiled.matches(item)).map((item) => names.map((name) => cell(item, name))),
    fields: names.map((name) => definition(name, isKnown(name, items))),
  };
}

function definition(name: string, known: boolean): Record<string, string> {
  if (!known) return { name, title: name, kind: 'unknown', doc: `Unknown field '${name}'` };
  return { name, title: name, kind: KINDS[name] ?? 'other', doc: name };
}

// Without any item nobody can tell; then every field passes for one.
function isKnown(name: string, items: readonly QueryItem[]): boolean {
  const [first] = items;
  return first === undefined || name in first;
}

function cell(item: QueryItem, name: string): [number, unknown] {
  if (!(name in item)) return [UNKNOWN_FIELD, null];
  const value = item[name];
  return value === null || value === undefined ? [UNAVAILABLE, null] : [NORMAL, value];
}

function jobItems(queue: JobQueue, only: { ids: number[]; above: number | null } | null): QueryItem[] {
  if (only === null) return queue.jobs().map(jobFields);
  const wanted = new Map<number, SimJob>();
  for (const id of only.ids) {
    const job = queue.job(id);
    if (job !== undefined) wanted.set(id, job);
  }
  if (only.above !== null) for (const job of queue.jobsAfter(only.above)) wanted.set(job.id, job);
  return [...wanted.values()].sort((one, other) => one.id - other.id).map(jobFields);
}

function otherItems(resource: string, fields: unknown[], filter: unknown, cluster: Cluster): QueryItem[] {
  switch (resource) {
    case 'instance':
      return cluster
        .instances()
        .map((instance) => ({ ...instanceView(cluster, instance), hypervisor: cluster.shape.hypervisor }));
    case 'network':
      return cluster.networks().map((network) => networkView(cluster, network));
    case 'node':
      return cluster.shape.nodes.map((node) => nodeView(cluster, node));
    case 'group':
      return cluster.shape.groups.map((group) => groupView(cluster, group));
    default:
      throw unparsable(
        [resource, fields, filter],
        `Can't parse value '${resource}' as neitherQueryTypeLuxi nor QueryTypeOp`,
      );
  }
}
