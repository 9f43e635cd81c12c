/** PostGraphile 4, set up as its manual says for production. */
import { createServer } from 'node:http';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { answerCalls } from '../../channel.ts';
import { POOL_SIZE } from '../../servers/server-options.ts';

async function start({ databaseUrl }) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
  const handler = postgraphile(pool, 'public', { disableQueryLog: true, dynamicJson: true, graphiql: false });
  const http = createServer(handler);
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${http.address().port}/graphql`;
}

answerCalls({ start });
