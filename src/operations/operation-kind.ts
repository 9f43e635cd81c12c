import type { GanetiRequest } from '../ganeti/index.ts';
import type { ClaimRequest } from './claims.rules.ts';
import type { ResourceKey } from './resource-key.ts';

/** What the machine shows in `task` while an operation on it is open. */
export type Task = 'BUILDING' | 'STARTING' | 'STOPPING' | 'REBOOTING' | 'DESTROYING';

/** One Ganeti job that an operation plans; `role` names it within its operation. */
export interface PlannedStep {
  readonly role: string;
  readonly opcode: string;
  readonly backendId: number;
  readonly backendNetworkId?: number;
  /** Roles of earlier steps of this operation whose jobs must be final first. */
  readonly after?: readonly string[];
  /** Ids of steps of other operations whose jobs must be final first (a network's copy under way). */
  readonly afterSteps?: readonly string[];
}

/** Per-build secrets, derived at submission and never stored. */
export interface BuildSecrets {
  readonly progressUrl: string;
}

/** What is stored with an operation for its planning and settling; never a secret. */
export type OperationParameters = Readonly<Record<string, unknown>>;

/**
 * The one definition of a mutation's operation: what it claims, when it is allowed, which jobs it plans, what each of
 * them asks of Ganeti, and which of them decides its outcome. Pure; admission, submission, recovery and the claims
 * table in the docs are driven by it.
 */
export interface OperationKind<Keys, Subject> {
  readonly name: string;
  readonly task: Task | null;
  /** Held from admission to the final event. */
  claims(keys: Keys): ClaimRequest;
  /** Advisory locks of the admission transaction only. */
  locks(keys: Keys): readonly ResourceKey[];
  /** @throws UserError when the subject's state does not allow it */
  allow(subject: Subject): void;
  plan(subject: Subject): readonly PlannedStep[];
  /** The request of a planned step, made again from the rows at each submission. */
  request(role: string, subject: Subject, parameters: OperationParameters, secrets: BuildSecrets): GanetiRequest;
  /** The role whose end is the operation's end result; the other steps only prepare it. */
  readonly decidedBy: string;
}
