import { parseConfig } from '../../src/config.ts';
import type { CheckpointName } from '../../src/dispatcher/checkpoint.ts';
import { startProduct } from '../../src/product.ts';

/** What the parent arms: at this point of this opcode's submission or end, the process kills itself. */
export interface CrashOrder {
  readonly at: CheckpointName;
  readonly opcode: string;
}

// The whole product in a process of its own, so that SIGKILL takes everything that a real crash takes.
let order: CrashOrder | null = null;
process.on('message', (message: CrashOrder) => {
  order = message;
  process.send?.('armed');
});

const config = parseConfig(process.env);
const product = await startProduct(
  { ...config, secretKey: config.secretKey as string },
  {
    checkpoint: (name, opcode) => {
      if (order?.at === name && order.opcode === opcode) process.kill(process.pid, 'SIGKILL');
    },
  },
);
process.on('disconnect', () => void product.close().then(() => process.exit(0)));
process.send?.('ready');
