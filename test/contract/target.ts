import { GanetiClient, type GanetiConnection } from '../../src/ganeti/index.ts';
import { type Simulator, startSimulator } from '../../src/simulator/index.ts';

/** The cluster a run of the suite is about. */
export interface ContractTarget {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** SHA-256 of its certificate. */
  readonly fingerprint: string;
  /** An OS that reports its build to `progress_url` and fails at 30 % with `fail=yes`. */
  readonly osName: string;
  /** An OS whose script always fails. */
  readonly failingOsName: string;
  readonly diskTemplate: string;
  readonly bridge: string;
  /** The address under which the cluster's nodes reach this process. */
  readonly callbackHost: string;
}

// Fast enough for a quick suite, slow enough that what happens during a build can be seen.
const SIMULATOR_SPEED = 4;

/**
 * `RAPI_CONTRACT_TARGET` (JSON) or, without it, a simulator of this process. The suite itself does not know which it got.
 */
export async function openTarget(): Promise<{ target: ContractTarget; close(): Promise<void> }> {
  const given = process.env.RAPI_CONTRACT_TARGET;
  if (given !== undefined && given !== '')
    return { target: JSON.parse(given) as ContractTarget, close: async () => {} };
  const simulator = await startSimulator({ speed: SIMULATOR_SPEED });
  return { target: simulatorTarget(simulator), close: () => simulator.close() };
}

function simulatorTarget(simulator: Simulator): ContractTarget {
  return {
    url: simulator.url,
    username: simulator.username,
    password: simulator.password,
    fingerprint: simulator.fingerprint,
    osName: 'labimage+default',
    failingOsName: 'labfail',
    diskTemplate: 'file',
    bridge: 'br0',
    callbackHost: '127.0.0.1',
  };
}

/** A connection to the target, with changes. */
export function connectionTo(target: ContractTarget, changes: Partial<GanetiConnection> = {}): GanetiConnection {
  return {
    endpoints: [target.url],
    username: target.username,
    password: target.password,
    tls: { fingerprint: target.fingerprint },
    ...changes,
  };
}

/** A client of the target. */
export function clientOf(target: ContractTarget): GanetiClient {
  return new GanetiClient(connectionTo(target));
}
