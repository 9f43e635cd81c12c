/** PostGraphile 5 with its Amber preset, set up as its manual says for production. Needs Node 22. */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { answerCalls } from '../../channel.ts';
import { POOL_SIZE } from '../../servers/server-options.ts';

async function start({ databaseUrl }) {
  const instance = postgraphile({
    extends: [PostGraphileAmberPreset],
    // As in version 4, columns without an index may be filtered by: "deletedAt" has none.
    disablePlugins: ['PgIndexBehaviorsPlugin'],
    pgServices: [makePgService({ connectionString: databaseUrl, schemas: ['public'], poolConfig: { max: POOL_SIZE } })],
    grafast: { explain: false },
    grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  });
  const http = createServer();
  await instance.createServ(grafserv).addTo(http);
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${http.address().port}/graphql`;
}

answerCalls({ start });
