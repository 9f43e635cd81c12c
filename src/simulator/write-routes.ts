import { fillOpcode, hasNonAscii, type OpcodeFilling, pythonType, summaryOf } from './fill-opcode.ts';
import { osNames } from './os-definitions.ts';
import { RapiError } from './rapi-error.ts';
import { queryFlag, queryText, type RapiRequest } from './rapi-request.ts';
import type { Handler, RapiParts, Route } from './route.ts';

/** How a resource makes its opcode: what of the body counts, and what RAPI sets itself. */
interface JobResource {
  readonly opcode: string;
  /** RAPI's class name of the resource, for the reason trail. */
  readonly resource: string;
  readonly body?: (request: RapiRequest) => unknown;
  readonly fixed: (request: RapiRequest, items: readonly string[]) => Record<string, unknown>;
  readonly rename?: Readonly<Record<string, string>>;
}

const NAME = '([\\w._-]+)';
const INSTANCE = `^/2/instances/${NAME}`;
const NETWORK = `^/2/networks/${NAME}`;

/** Resources that submit a job. They answer with its id, and never with a 404: the job then fails. */
export const WRITE_ROUTES: readonly Route[] = [
  {
    path: /^\/2\/instances$/,
    methods: {
      POST: submits({
        opcode: 'OP_INSTANCE_CREATE',
        resource: 'instances',
        body: createBody,
        rename: { os: 'os_type', name: 'instance_name' },
        fixed: dryRun,
      }),
    },
  },
  {
    path: new RegExp(`${INSTANCE}$`),
    methods: {
      DELETE: submits({
        opcode: 'OP_INSTANCE_REMOVE',
        resource: 'instances_name',
        fixed: (request, [name]) => ({ instance_name: name, ignore_failures: false, ...dryRun(request) }),
      }),
    },
  },
  {
    path: new RegExp(`${INSTANCE}/startup$`),
    methods: {
      PUT: submits({
        opcode: 'OP_INSTANCE_STARTUP',
        resource: 'instances_name_startup',
        body: onlyDepends,
        fixed: (request, [name]) => ({
          instance_name: name,
          force: queryFlag(request, 'force'),
          no_remember: queryFlag(request, 'no_remember'),
          ...dryRun(request),
        }),
      }),
    },
  },
  {
    path: new RegExp(`${INSTANCE}/shutdown$`),
    methods: {
      PUT: submits({
        opcode: 'OP_INSTANCE_SHUTDOWN',
        resource: 'instances_name_shutdown',
        fixed: (request, [name]) => ({
          instance_name: name,
          no_remember: queryFlag(request, 'no_remember'),
          ...dryRun(request),
        }),
      }),
    },
  },
  {
    path: new RegExp(`${INSTANCE}/reboot$`),
    methods: {
      POST: submits({
        opcode: 'OP_INSTANCE_REBOOT',
        resource: 'instances_name_reboot',
        fixed: (request, [name]) => ({
          instance_name: name,
          reboot_type: queryText(request, 'type') ?? 'hard',
          ignore_secondaries: queryFlag(request, 'ignore_secondaries'),
          ...dryRun(request),
        }),
      }),
    },
  },
  {
    path: new RegExp(`${INSTANCE}/modify$`),
    methods: {
      PUT: submits({
        opcode: 'OP_INSTANCE_SET_PARAMS',
        resource: 'instances_name_modify',
        body: modifyBody,
        rename: { custom_beparams: 'beparams', custom_hvparams: 'hvparams' },
        // Its dry run is a body parameter, and the query's is ignored.
        fixed: (_request, [name]) => ({ instance_name: name }),
      }),
    },
  },
  {
    path: /^\/2\/networks$/,
    methods: {
      POST: submits({
        opcode: 'OP_NETWORK_ADD',
        resource: 'networks',
        rename: { name: 'network_name' },
        fixed: dryRun,
      }),
    },
  },
  {
    path: new RegExp(`${NETWORK}$`),
    methods: { DELETE: onNetwork('OP_NETWORK_REMOVE', 'networks_name') },
  },
  {
    path: new RegExp(`${NETWORK}/connect$`),
    methods: { PUT: onNetwork('OP_NETWORK_CONNECT', 'networks_name_connect') },
  },
  {
    path: new RegExp(`${NETWORK}/disconnect$`),
    methods: { PUT: onNetwork('OP_NETWORK_DISCONNECT', 'networks_name_disconnect') },
  },
  {
    path: new RegExp(`${NETWORK}/modify$`),
    methods: {
      PUT: submits({
        opcode: 'OP_NETWORK_SET_PARAMS',
        resource: 'networks_name_modify',
        fixed: (_request, [name]) => ({ network_name: name }),
      }),
    },
  },
  ...tagRoutes('instances', 'instance'),
  ...tagRoutes('networks', 'network'),
  ...tagRoutes('nodes', 'node'),
  ...tagRoutes('groups', 'nodegroup'),
  { path: /^\/2\/tags$/, methods: tagMethods('tags', 'cluster') },
  { path: /^\/2\/os$/, methods: { GET: listOs } },
];

function submits(resource: JobResource): Handler {
  return (parts, request, items) => {
    const body = resource.body === undefined ? request.body : resource.body(request);
    return submitJob(parts, resource.opcode, {
      body,
      fixed: resource.fixed(request, items),
      reason: reasonTrail(parts, queryText(request, 'reason'), resource.resource),
      ...(resource.rename === undefined ? {} : { rename: resource.rename }),
    }).id;
  };
}

function submitJob(parts: RapiParts, opcode: string, filling: OpcodeFilling) {
  const op = fillOpcode(opcode, filling);
  if (parts.drained()) throw new RapiError(500, 'Queue drained');
  if (hasNonAscii(op)) {
    const id = parts.queue.burnId();
    throw new RapiError(
      500,
      `Failed to write /var/lib/ganeti/queue/job-${id}: /var/lib/ganeti/queue/job-${id}-1.tmp: commitBuffer: invalid argument (invalid character)`,
    );
  }
  return parts.queue.submit(op, summaryOf(op));
}

// `gnt:opcode:…` is added once the job has its id.
function reasonTrail(parts: RapiParts, user: string | null, resource: string): unknown[] {
  const { clock } = parts.cluster;
  const trail: unknown[] = user === null ? [] : [['gnt:user', user, clock.nanoseconds()]];
  return [...trail, [`gnt:library:rlib2:${resource}`, '', clock.nanoseconds()]];
}

function onNetwork(opcode: string, resource: string): Handler {
  return submits({ opcode, resource, fixed: (request, [name]) => ({ network_name: name, ...dryRun(request) }) });
}

function tagRoutes(collection: string, kind: string): Route[] {
  return [
    { path: new RegExp(`^/2/${collection}/${NAME}/tags$`), methods: tagMethods(`${collection}_name_tags`, kind) },
  ];
}

// Tags are query arguments only; a body of tags is ignored, and the job succeeds without setting any.
function tagMethods(resource: string, kind: string): Record<string, Handler> {
  const fixed: JobResource['fixed'] = (request, [name]) => ({
    kind,
    name: name ?? null,
    tags: [...(request.query.get('tag') ?? [])],
    ...dryRun(request),
  });
  return {
    PUT: submits({ opcode: 'OP_TAGS_SET', resource, body: onlyDepends, fixed }),
    DELETE: submits({ opcode: 'OP_TAGS_DEL', resource, body: onlyDepends, fixed }),
  };
}

async function listOs(parts: RapiParts): Promise<string[]> {
  const job = submitJob(parts, 'OP_OS_DIAGNOSE', {
    body: null,
    fixed: { output_fields: ['name', 'variants'], names: [] },
    reason: [],
  });
  while (job.end === null) await parts.cluster.clock.wait(20);
  return osNames();
}

function dryRun(request: RapiRequest): Record<string, unknown> {
  return { dry_run: queryFlag(request, 'dry-run') };
}

function createBody({ body }: RapiRequest): unknown {
  if (pythonType(body) !== 'dict') {
    throw new RapiError(400, `Body contents: Type is '${pythonType(body)}', but 'dict' is expected`);
  }
  const { __version__: version = 0, ...data } = body as Record<string, unknown>;
  if (version === 0) throw new RapiError(400, 'Instance creation request version 0 is no longer supported');
  if (version !== 1) throw new RapiError(400, `Unsupported request data version ${String(version)}`);
  return data;
}

function modifyBody({ body }: RapiRequest): unknown {
  // Lists can be copied in Python, and then do not take a key.
  if (Array.isArray(body)) throw new RapiError(500, 'list indices must be integers or slices, not str');
  if (pythonType(body) !== 'dict') throw new RapiError(500, `'${pythonType(body)}' object has no attribute 'copy'`);
  return body;
}

// These resources look at nothing in the body but the dependencies.
function onlyDepends({ body }: RapiRequest): unknown {
  if (pythonType(body) !== 'dict') return {};
  const { depends } = body as Record<string, unknown>;
  return depends === undefined ? {} : { depends };
}
