import type { Clock } from './clock.ts';
import type { Cluster } from './cluster.ts';
import type { SimOp } from './jobs.ts';

/** What a running opcode has at hand. */
export interface OpcodeContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** The job's own opcode; Ganeti adds to it while it runs, and so do the opcodes here. */
  readonly op: SimOp;
  log(text: string): void;
}

/** What an opcode does, in Ganeti's three steps. Each may throw `OpError`. */
export interface OpcodeLogic {
  /** Before the locks: names are looked up here, so an unknown one fails without waiting. */
  expand(context: OpcodeContext): void;
  locks(op: SimOp): string[];
  /** Under the locks. Resolves with the opcode's result. */
  run(context: OpcodeContext): Promise<unknown>;
}

/** Logs as `lu.LogInfo` does. */
export function logInfo(context: OpcodeContext, text: string): void {
  context.log(` - INFO: ${text}`);
}

/** Logs as `lu.LogWarning` does: the job still succeeds. */
export function logWarning(context: OpcodeContext, text: string): void {
  context.log(` - WARNING: ${text}`);
}

/** Whether the job is a rehearsal (`?dry-run=1`); says so in its log. */
export function isRehearsal(context: OpcodeContext): boolean {
  if (context.op.dry_run !== true) return false;
  context.log('dry-run mode requested, not actually executing the operation');
  return true;
}
