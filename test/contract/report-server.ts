import { createServer, type Server } from 'node:http';

/** A report of an OS script. */
export type Report = Record<string, unknown>;

/** What listens for the reports of a build. */
export class ReportServer {
  readonly received: Report[] = [];
  readonly url: string;
  readonly #server: Server;
  #told: () => void = () => {};

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async listen(host: string): Promise<ReportServer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, host, resolve);
    });
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no address');
    const reports = new ReportServer(server, `http://${host}:${address.port}/progress`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        reports.received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Report);
        reports.#told();
        response.end();
      });
    });
    return reports;
  }

  /** Resolves once a report fits; rejects after half a minute. */
  async until(fits: (report: Report) => boolean): Promise<void> {
    const timeout = AbortSignal.timeout(30_000);
    while (!this.received.some(fits)) {
      await new Promise<void>((resolve, reject) => {
        this.#told = resolve;
        timeout.onabort = () => reject(new Error('the report did not come'));
      });
    }
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }
}
