import { NoBackendFits } from '../../operations/user-error.ts';

/** What the choice looks at. */
export interface BackendCandidate {
  readonly id: number;
  readonly name: string;
  readonly isDrained: boolean;
  readonly isOffline: boolean;
  readonly diskTemplates: readonly string[];
  /** Instances there, ours that are still being built among them. */
  readonly instanceCount: number;
}

/** Why a cluster cannot take a machine of this disk template; null when it can. */
export function whyNot(backend: BackendCandidate, diskTemplate: string): string | null {
  if (backend.isOffline) return 'offline';
  if (backend.isDrained) return 'drained';
  if (!backend.diskTemplates.includes(diskTemplate)) return `does not offer disk template ${diskTemplate}`;
  return null;
}

/**
 * The cluster for a new machine: of those that can take it the one with the fewest instances, the oldest on a tie.
 * @throws NoBackendFits saying why each was left out
 */
export function chooseBackend(candidates: readonly BackendCandidate[], diskTemplate: string): number {
  const fitting = candidates.filter((backend) => whyNot(backend, diskTemplate) === null);
  const [best] = fitting.sort((a, b) => a.instanceCount - b.instanceCount || a.id - b.id);
  if (best) return best.id;
  if (candidates.length === 0) throw new NoBackendFits('No cluster has been added yet.');
  const reasons = candidates.map((backend) => `${backend.name} ${whyNot(backend, diskTemplate)}`);
  throw new NoBackendFits(`No cluster can take this machine: ${reasons.join('; ')}.`);
}
