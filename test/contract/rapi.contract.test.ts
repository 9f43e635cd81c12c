import { afterAll, beforeAll, vi } from 'vitest';
import { Bench } from './bench.ts';
import { describeBuilds } from './build-contract.ts';
import { describeInstances } from './instance-contract.ts';
import { describeJobs } from './job-contract.ts';
import { describeModification } from './modify-contract.ts';
import { describeNetworks } from './network-contract.ts';
import { describeQueries } from './query-contract.ts';
import { describeTransport } from './transport-contract.ts';

// One suite for a real Ganeti and for the simulator. Nothing below may ask which of them it talks to.
// A job is about 0.3 s on an idle machine; a loaded one was seen to take ten times that.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(async () => {
  await bench.close();
});

describeTransport(() => bench);
describeJobs(() => bench);
describeQueries(() => bench);
describeNetworks(() => bench);
describeBuilds(() => bench);
describeInstances(() => bench);
describeModification(() => bench);
