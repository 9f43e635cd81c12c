/**
 * Rule 1 of the house: imports point one way, down the floors.
 *
 *   main → schema, server, dispatcher → modules → graphql → operations → changes → database, ganeti
 *
 * "main" is what lies in src/ itself. graphql/ stands above operations/, whose user errors and environment it shows.
 */

/** The floors from the top; each may import what stands below it. */
const FLOORS = [
  ['server', 'dispatcher'],
  ['modules'],
  ['graphql'],
  ['operations'],
  ['changes'],
  ['database', 'ganeti', 'auth', 'observability'],
];

const folders = (names) => `^src/(${names.join('|')})/`;

const upward = FLOORS.slice(1).map((floor, index) => {
  const above = FLOORS.slice(0, index + 1).flat();
  return {
    name: `${floor.join('-')}-imports-nothing-above`,
    comment: `${floor.join(', ')} must not import ${above.join(', ')}: imports point down the floors.`,
    severity: 'error',
    from: { path: folders(floor) },
    to: { path: folders(above) },
  };
});

/** What talks to the outside world: packages, Node's modules, and our own files that use them. */
const IO_PACKAGES = '(^|/)node_modules/(pg|pg-pool|undici|ws|graphql-ws|@prisma/(client|adapter-pg))/';
const IO_NODE = '^(node:)?(net|http|https|http2|tls|dgram|dns|fs|child_process|worker_threads|cluster)(/|$)';
const IO_OURS = '(^src/database/|\\.store\\.ts$|^src/ganeti/(client|transport|connection|probe|secure-socket)\\.ts$)';

const PURE = '(\\.rules\\.ts$|^src/modules/[^/]+/operations/)';

module.exports = {
  forbidden: [
    ...upward,
    {
      name: 'nothing-imports-main',
      comment: 'What lies in src/ itself assembles; it hands things down and is not asked for them. Settings likewise.',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'only-main-imports-server-and-dispatcher',
      comment: 'server/ and dispatcher/ stand at the top; what lies in src/ itself puts them together.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: folders(['server', 'dispatcher']) },
      to: { path: folders(['server', 'dispatcher']) },
    },
    {
      name: 'server-and-dispatcher-apart',
      comment: 'The server is handed what it serves and knows neither dispatcher nor modules.',
      severity: 'error',
      from: { path: folders(['server']) },
      to: { path: folders(['dispatcher', 'modules', 'operations', 'graphql', 'database']) },
    },
    {
      name: 'dispatcher-not-server',
      severity: 'error',
      from: { path: folders(['dispatcher']) },
      to: { path: folders(['server']) },
    },
    {
      name: 'ganeti-imports-nothing-of-ours',
      comment: 'The RAPI client stands by itself.',
      severity: 'error',
      from: { path: '^src/ganeti/' },
      to: { path: '^src/', pathNot: '^src/ganeti/' },
    },
    {
      name: 'simulator-imports-only-ganeti',
      comment: 'The simulator must not share a misunderstanding with the product.',
      severity: 'error',
      from: { path: '^src/simulator/' },
      to: { path: '^src/', pathNot: '^src/(simulator|ganeti)/' },
    },
    {
      name: 'only-main-starts-simulators',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/simulator/' },
      to: { path: '^src/simulator/' },
    },
    {
      name: 'the-database-knows-no-ganeti',
      comment: 'Neighbours that know nothing of each other.',
      severity: 'error',
      from: { path: '^src/database/' },
      to: { path: '^src/ganeti/' },
    },
    {
      name: 'rules-do-no-io',
      comment:
        '*.rules.ts and operations/<verb>.ts are pure functions from values to values; types may come from anywhere.',
      severity: 'error',
      from: { path: PURE },
      to: { path: `(${IO_PACKAGES}|${IO_NODE}|${IO_OURS})`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/generated/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/generated/' },
      // Only its `require` condition has that file, for createRequire().
      to: { couldNotResolve: true, pathNot: '^@graphql-yoga/render-graphiql/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'], conditionNames: ['import', 'node', 'default'] },
  },
};
