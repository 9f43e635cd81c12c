import { ConfigError, loadConfig } from './config.ts';
import { startProduct } from './product.ts';

/** The exit must not outlast a supervisor's patience: streams are drained within it, or cut. */
const EXIT_WITHIN_MS = 20_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const product = await startProduct(config);
  let isClosing = false;
  const shutDown = (signal: NodeJS.Signals): void => {
    // A second signal means: now.
    if (isClosing) process.exit(1);
    isClosing = true;
    product.environment.logger.info({ signal }, 'draining');
    setTimeout(() => process.exit(1), EXIT_WITHIN_MS).unref();
    void product.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  process.stdout.write(`
  ganeti-graphql is up.

    GraphiQL   ${product.url}/graphql
    Health     ${product.url}/readyz

  Open GraphiQL and press play in the first tab to watch; in a second window, press play in the second
  tab to build a virtual machine, and see it move.
\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(
    error instanceof ConfigError
      ? `${error.message}\n`
      : `ganeti-graphql did not start: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
});
