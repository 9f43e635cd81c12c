/** A process that runs an embedded database until it is killed: `hold-embedded.ts <dataDir>`. */
import { startEmbeddedPostgres } from '../../../src/database/embedded.ts';

const { url } = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', durable: false });
process.stdout.write(`${url}\n`);
setInterval(() => {}, 60_000);
