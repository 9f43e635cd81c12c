import { ALL_JOB_FIELDS, type GanetiJob, type JobField, parseJob } from './jobs.ts';
import { list, record } from './narrow.ts';

/** Which jobs to read: those above an id, those of a set of ids, or both. Neither asks for nothing. */
export interface JobQuery {
  afterId?: number;
  ids?: readonly number[];
}

/** The jobs that were found; one that cannot be read does not hide the others. An id that is unknown is simply absent. */
export interface JobQueryResult {
  jobs: GanetiJob[];
  malformed: { id: number; error: Error; raw: unknown }[];
}

type QueryFilter = readonly unknown[];

// 200 equalities are about 4 kB of filter; each id costs luxid one file read, so more in one call gains nothing.
const IDS_PER_QUERY = 200;

/**
 * The filters that together select a query's jobs. Only id predicates are pushed down into luxid's job list (10 ms); any
 * other reads every job file. Archived jobs appear only when selected by their id.
 */
export function jobFilters(query: JobQuery): QueryFilter[] {
  const clauses: QueryFilter[] = [...new Set(query.ids ?? [])].map((id) => ['=', 'id', id]);
  if (query.afterId !== undefined) clauses.unshift(['>', 'id', query.afterId]);
  const filters: QueryFilter[] = [];
  for (let start = 0; start < clauses.length; start += IDS_PER_QUERY) {
    const chunk = clauses.slice(start, start + IDS_PER_QUERY);
    filters.push(chunk.length === 1 ? (chunk[0] as QueryFilter) : ['|', ...chunk]);
  }
  return filters;
}

/** The fields to ask for: what the caller wants, and the two without which a job cannot be told. */
export function queriedFields(fields: readonly JobField[] = ALL_JOB_FIELDS): JobField[] {
  return [...new Set<JobField>(['id', 'status', ...fields])];
}

/** Reads the reply of `PUT /2/query/job`: rows of `[status, value]` cells, status 0 being the only one with a value. Throws `GanetiShapeError`. */
export function parseJobRows(reply: unknown, fields: readonly JobField[]): JobQueryResult {
  const result: JobQueryResult = { jobs: [], malformed: [] };
  for (const row of list(record(reply, 'query reply').data, 'query rows')) {
    const raw = rowFields(list(row, 'query row'), fields);
    const id = raw.id;
    // A job that was archived or lost between luxid's listing and its reading has cells without data.
    if (typeof id !== 'number' || raw.status === null) continue;
    try {
      result.jobs.push(parseJob(raw));
    } catch (error) {
      result.malformed.push({ id, error: error instanceof Error ? error : new Error(String(error)), raw });
    }
  }
  return result;
}

function rowFields(row: readonly unknown[], fields: readonly JobField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field, index) => {
      const cell = row[index];
      return [field, Array.isArray(cell) && cell[0] === 0 ? cell[1] : null];
    }),
  );
}
