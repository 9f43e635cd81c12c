import { GanetiClient } from './client.ts';
import type { GanetiInfo, GanetiNode } from './cluster.ts';
import type { GanetiConnection } from './connection.ts';
import { GanetiError, type GanetiFailureReason } from './errors.ts';

/** What a cluster shows to someone who would add it. */
export interface ClusterProbe {
  info: GanetiInfo;
  groups: { name: string }[];
  nodes: GanetiNode[];
  instanceCount: number;
  lastJobId: number;
}

/**
 * Looks at a cluster before it is added. Throws {@link GanetiError} whose reason is one of `authentication`,
 * `certificate-mismatch`, `unreachable`, `not-a-ganeti`.
 */
export async function probeCluster(connection: GanetiConnection): Promise<ClusterProbe> {
  const client = new GanetiClient(connection);
  try {
    const info = await client.getInfo();
    // Queries ask for credentials even where RAPI runs without --require-authentication, and answers /2/info to anyone.
    const lastJobId = await client.lastJobId();
    const [groups, nodes, names] = await Promise.all([
      client.listGroups(),
      client.listNodes(),
      client.listInstanceNames(),
    ]);
    return { info, groups, nodes, instanceCount: names.length, lastJobId };
  } catch (error) {
    if (!(error instanceof GanetiError)) throw error;
    throw new GanetiError({
      kind: error.kind,
      reason: probeReason(error),
      message: error.message,
      ...(error.status === undefined ? {} : { status: error.status }),
    });
  } finally {
    await client.close();
  }
}

function probeReason(error: GanetiError): GanetiFailureReason {
  switch (error.reason) {
    case 'authentication':
    case 'forbidden':
      return 'authentication';
    case 'certificate-mismatch':
      return 'certificate-mismatch';
    // Ganeti's own error bodies come from a Ganeti that is just not able to answer (a failover, a dead luxid).
    case 'unreachable':
    case 'timeout':
    case 'server-error':
    case 'queue-drained':
      return 'unreachable';
    default:
      return 'not-a-ganeti';
  }
}
