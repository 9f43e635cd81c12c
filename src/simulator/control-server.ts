import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** What the control endpoint can do, by path: each is given the JSON of the body and answers with JSON. */
export type ControlActions = Readonly<Record<string, (body: unknown) => unknown>>;

/**
 * A second, plain HTTP server on loopback, by which tests drive a simulator in another process. Only there when asked for:
 * who can reach it can do anything to the cluster.
 */
export async function startControlServer(
  port: number,
  actions: ControlActions,
): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => void answer(actions, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(actions: ControlActions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let status = 200;
  let result: unknown;
  try {
    const action = actions[request.url ?? ''];
    if (action === undefined) throw new Error(`no such action; there are ${Object.keys(actions).join(', ')}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    result = await action(text === '' ? {} : JSON.parse(text));
  } catch (error) {
    status = 400;
    result = { error: (error as Error).message };
  }
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(`${JSON.stringify(result ?? null)}\n`);
}
