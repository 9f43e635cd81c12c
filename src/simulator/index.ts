/** A simulated Ganeti cluster that speaks RAPI over real HTTPS. */
export type { Account } from './accounts.ts';
export type { SimInstance, SimNetwork, SimNic } from './cluster.ts';
export type { FaultMatch, FaultSettings, FaultSwitch } from './faults.ts';
export type { SimJob, SimOp } from './jobs.ts';
export { createServerIdentity, fingerprintOf, type ServerIdentity } from './self-signed.ts';
export {
  type Simulator,
  type SimulatorFaults,
  type SimulatorInspection,
  type SimulatorOptions,
  startSimulator,
} from './simulator.ts';
