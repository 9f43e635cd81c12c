import { pythonType } from './fill-opcode.ts';
import { runQuery } from './query.ts';
import { RapiError } from './rapi-error.ts';
import { queryFlag, queryText, type RapiRequest } from './rapi-request.ts';
import type { RapiParts, Route } from './route.ts';
import { consoleView, groupView, infoView, instanceView, networkView, nodeView } from './views.ts';

// RAPI's pattern of a name in a path.
const NAME = '([\\w._-]+)';

/** Resources that only look. */
export const READ_ROUTES: readonly Route[] = [
  { path: /^\/(?:2)?$/, methods: { GET: () => null } },
  { path: /^\/version$/, methods: { GET: () => 2 } },
  {
    path: /^\/2\/features$/,
    methods: {
      GET: () => ['instance-create-reqv1', 'instance-reinstall-reqv1', 'node-migrate-reqv1', 'node-evac-res1'],
    },
  },
  { path: /^\/2\/info$/, methods: { GET: ({ cluster }) => infoView(cluster) } },
  {
    path: /^\/2\/instances$/,
    methods: {
      GET: ({ cluster }, request) =>
        queryFlag(request, 'bulk')
          ? cluster.instances().map((instance) => instanceView(cluster, instance))
          : uris('id', 'instances', cluster.instances()),
    },
  },
  {
    path: new RegExp(`^/2/instances/${NAME}$`),
    methods: {
      GET: ({ cluster }, _request, [name = '']) => instanceView(cluster, found(cluster.findInstance(name))),
    },
  },
  {
    path: new RegExp(`^/2/instances/${NAME}/console$`),
    methods: { GET: readConsole },
    access: { GET: ['write', 'read'] },
  },
  {
    path: new RegExp(`^/2/instances/${NAME}/tags$`),
    methods: {
      GET: ({ cluster }, _request, [name = '']) => {
        const instance = cluster.findInstance(name);
        if (instance === undefined) throw new RapiError(500, `('Instance name ${name} not found', 'unknown_entity')`);
        return instance.tags;
      },
    },
  },
  {
    path: /^\/2\/networks$/,
    methods: {
      GET: ({ cluster }, request) =>
        queryFlag(request, 'bulk')
          ? cluster.networks().map((network) => networkView(cluster, network))
          : uris('name', 'networks', cluster.networks()),
    },
  },
  {
    path: new RegExp(`^/2/networks/${NAME}$`),
    methods: {
      GET: ({ cluster }, _request, [name = '']) => networkView(cluster, found(cluster.findNetwork(name))),
    },
  },
  {
    path: new RegExp(`^/2/networks/${NAME}/tags$`),
    methods: {
      GET: ({ cluster }, _request, [name = '']) => {
        const network = cluster.findNetwork(name);
        if (network === undefined) throw new RapiError(500, `('Network name ${name} not found', 'unknown_entity')`);
        return network.tags;
      },
    },
  },
  {
    path: /^\/2\/nodes$/,
    methods: {
      GET: ({ cluster }, request) =>
        queryFlag(request, 'bulk')
          ? cluster.shape.nodes.map((node) => nodeView(cluster, node))
          : uris('id', 'nodes', cluster.shape.nodes),
    },
  },
  {
    path: new RegExp(`^/2/nodes/${NAME}$`),
    methods: { GET: ({ cluster }, _request, [name = '']) => nodeView(cluster, found(cluster.node(name))) },
  },
  {
    path: /^\/2\/groups$/,
    methods: {
      GET: ({ cluster }, request) =>
        queryFlag(request, 'bulk')
          ? cluster.shape.groups.map((group) => groupView(cluster, group))
          : uris('name', 'groups', cluster.shape.groups),
    },
  },
  {
    path: new RegExp(`^/2/groups/${NAME}$`),
    methods: { GET: ({ cluster }, _request, [name = '']) => groupView(cluster, found(cluster.group(name))) },
  },
  { path: /^\/2\/tags$/, methods: { GET: ({ cluster }) => cluster.tags } },
  {
    path: new RegExp(`^/2/query/${NAME}$`),
    methods: { GET: queryByArguments, PUT: queryByBody },
    // Results may be sensitive: not for a user without any option.
    access: { GET: ['write', 'read'], PUT: ['write', 'read'] },
  },
];

function readConsole({ cluster }: RapiParts, _request: RapiRequest, [name = '']: readonly string[]): unknown {
  const instance = cluster.findInstance(name);
  if (instance === undefined) throw new RapiError(500, 'list index out of range');
  if (!instance.running) throw new RapiError(503, 'Instance console unavailable');
  return consoleView(cluster, instance);
}

function queryByArguments(parts: RapiParts, request: RapiRequest, [resource = '']: readonly string[]): unknown {
  return runQuery(resource, argumentFields(request), null, parts.cluster, parts.queue);
}

function queryByBody(parts: RapiParts, request: RapiRequest, [resource = '']: readonly string[]): unknown {
  const { body } = request;
  if (pythonType(body) !== 'dict') {
    throw new RapiError(400, `Body contents: Type is '${pythonType(body)}', but 'dict' is expected`);
  }
  const { fields, qfilter, filter } = body as Record<string, unknown>;
  return runQuery(resource, fields ?? argumentFields(request), qfilter ?? filter ?? null, parts.cluster, parts.queue);
}

function argumentFields(request: RapiRequest): string[] {
  const fields = queryText(request, 'fields');
  if (fields === null) throw new RapiError(400, "Missing 'fields' query argument");
  return fields.split(',').map((field) => field.trim());
}

function found<T>(object: T | undefined): T {
  if (object === undefined) throw new RapiError(404);
  return object;
}

function uris(key: string, collection: string, objects: readonly { name: string }[]): Record<string, string>[] {
  return objects
    .map(({ name }) => name)
    .sort()
    .map((name) => ({ [key]: name, uri: `/2/${collection}/${name}` }));
}
