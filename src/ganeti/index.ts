/** The RAPI client: requests, replies, errors, jobs. Imports nothing of ours. */
export { isAscii } from './ascii.ts';
export { fetchCertificate, isFingerprint, type LeafCertificate, sameFingerprint } from './certificate.ts';
export { GanetiClient, type SubmitOptions } from './client.ts';
export type { GanetiConsole, GanetiInfo, GanetiNode } from './cluster.ts';
export type { GanetiConnection } from './connection.ts';
export {
  GanetiError,
  type GanetiFailure,
  type GanetiFailureKind,
  type GanetiFailureReason,
  GanetiRequestError,
} from './errors.ts';
export {
  type CreateInstanceSpec,
  createInstance,
  deleteInstance,
  type NicSpec,
  rebootInstance,
  shutdownInstance,
  startupInstance,
} from './instance-requests.ts';
export type { GanetiDisk, GanetiInstance, GanetiNic } from './instances.ts';
export type { JobQuery, JobQueryResult } from './job-query.ts';
export {
  type GanetiJob,
  type GanetiOp,
  isFinal,
  type JobError,
  type JobField,
  type JobLogEntry,
  type JobStatus,
  jobError,
  jobReason,
  parseJob,
  UnknownJobStatusError,
} from './jobs.ts';
export { GanetiShapeError } from './narrow.ts';
export {
  type CreateNetworkSpec,
  connectNetwork,
  createNetwork,
  deleteNetwork,
  disconnectNetwork,
} from './network-requests.ts';
export type { GanetiNetwork, GanetiNetworkGroup } from './networks.ts';
export { type ClusterProbe, probeCluster } from './probe.ts';
export { ANY_FINAL_STATUS, asDryRun, type GanetiRequest, type JobDependency } from './requests.ts';
