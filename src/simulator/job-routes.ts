import { pythonType } from './fill-opcode.ts';
import { isEnded, jobFields, type SimJob, unknownJobFields } from './jobs.ts';
import { RapiError } from './rapi-error.ts';
import { queryFlag, type RapiRequest } from './rapi-request.ts';
import type { RapiParts, Route } from './route.ts';

const BULK_FIELDS = ['id', 'ops', 'status', 'summary', 'opstatus', 'received_ts', 'start_ts', 'end_ts'];
const ALL_FIELDS = [...BULK_FIELDS, 'oplog', 'opresult'];
const WAIT_MS = 10_050;
const WAIT_STEP_MS = 100;

/** `/2/jobs` and what is below it. */
export const JOB_ROUTES: readonly Route[] = [
  {
    path: /^\/2\/jobs$/,
    methods: {
      GET: ({ queue }, request) =>
        queryFlag(request, 'bulk')
          ? queue.jobs().map((job) => pick(jobFields(job), BULK_FIELDS))
          : queue.jobs().map(({ id }) => ({ id, uri: `/2/jobs/${id}` })),
    },
  },
  {
    path: /^\/2\/jobs\/(\d+)$/,
    methods: {
      GET: ({ queue }, _request, [id]) => {
        const job = queue.job(Number(id));
        return job === undefined ? unknownJobFields(Number(id)) : pick(jobFields(job), ALL_FIELDS);
      },
      DELETE: ({ queue }, _request, [id]) => queue.cancel(Number(id)),
    },
  },
  { path: /^\/2\/jobs\/(\d+)\/wait$/, methods: { GET: waitForChange }, access: { GET: ['write'] } },
];

// Answers at once when something differs from what the caller knows or the job is final, else after ten seconds with the same.
async function waitForChange(parts: RapiParts, request: RapiRequest, [id]: readonly string[]): Promise<unknown> {
  const body = request.body;
  if (body === null) throw new RapiError(500, `'${pythonType(body)}' object is not subscriptable`);
  const {
    fields,
    previous_job_info: known = null,
    previous_log_serial: serial = null,
  } = body as Record<string, unknown>;
  if (fields === undefined) throw new RapiError(400, "Required parameter 'fields' is missing");
  if (!Array.isArray(fields)) throw new RapiError(400, "The 'fields' parameter should be a list");
  const job = parts.queue.job(Number(id));
  if (job === undefined) throw new RapiError(500, "Can't load job file");
  for (let waitedMs = 0; ; waitedMs += WAIT_STEP_MS) {
    const info = jobInfo(job, fields);
    const log = job.log.filter(([entry]) => serial === null || entry > Number(serial));
    const changed = JSON.stringify(info) !== JSON.stringify(known) || log.length > 0;
    if (changed || isEnded(job) || waitedMs >= WAIT_MS) return { job_info: info, log_entries: log };
    await parts.cluster.clock.wait(WAIT_STEP_MS);
  }
}

// One unknown field turns everything into nulls.
function jobInfo(job: SimJob, fields: readonly unknown[]): unknown[] {
  const known = jobFields(job);
  const complete = fields.every((field) => String(field) in known);
  return fields.map((field) => (complete ? known[String(field)] : null));
}

function pick(fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}
