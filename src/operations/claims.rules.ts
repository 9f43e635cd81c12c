import type { ResourceKey } from './resource-key.ts';
import type { ClaimConflict, ClaimMode } from './user-error.ts';

/** What a request wants to hold; one mode per key. */
export type ClaimRequest = ReadonlyMap<ResourceKey, ClaimMode>;

/** A claim that stands: of an operation, or of a short request while not expired and its holder alive. */
export interface ActiveClaim {
  readonly resource: string;
  readonly mode: ClaimMode;
  /** Null for a short request's. */
  readonly operationId: string | null;
}

/** Who asks: the operations above it, whose claims never stand in its way (6-claims, section 5). */
export interface Claimant {
  readonly ancestors: ReadonlySet<string>;
}

/** Merges wishes for one key: EXCLUSIVE covers SHARED. */
export function claimRequest(wanted: Iterable<readonly [ResourceKey, ClaimMode]>): ClaimRequest {
  const merged = new Map<ResourceKey, ClaimMode>();
  for (const [resource, mode] of wanted) {
    if (mode === 'EXCLUSIVE' || !merged.has(resource)) merged.set(resource, mode);
  }
  return merged;
}

function isOwn(claim: ActiveClaim, claimant: Claimant): boolean {
  return claim.operationId !== null && claimant.ancestors.has(claim.operationId);
}

/**
 * All conflicts, in key order. EXCLUSIVE conflicts with any active claim on the key, SHARED with an EXCLUSIVE one;
 * keys have no hierarchy. A claim of the claimant's own tree is ignored.
 */
export function findConflicts(
  wanted: ClaimRequest,
  active: readonly ActiveClaim[],
  claimant: Claimant,
): ClaimConflict[] {
  return active
    .filter((claim) => {
      const mode = wanted.get(claim.resource as ResourceKey);
      if (mode === undefined || isOwn(claim, claimant)) return false;
      return mode === 'EXCLUSIVE' || claim.mode === 'EXCLUSIVE';
    })
    .map(({ resource, mode, operationId }) => ({ resource, mode, operationId }))
    .sort((a, b) => (a.resource < b.resource ? -1 : a.resource > b.resource ? 1 : 0));
}

/**
 * The keys to insert: those that the claimant's tree does not hold yet. A key held SHARED by an ancestor and wanted
 * EXCLUSIVE is a programming error, not a Busy: no ordering of requests could ever satisfy it.
 */
export function claimsToInsert(wanted: ClaimRequest, active: readonly ActiveClaim[], claimant: Claimant): ClaimRequest {
  const missing = new Map(wanted);
  for (const claim of active) {
    if (!isOwn(claim, claimant)) continue;
    const mode = missing.get(claim.resource as ResourceKey);
    if (mode === undefined) continue;
    if (mode === 'EXCLUSIVE' && claim.mode === 'SHARED') {
      throw new Error(`${claim.resource} is held SHARED by this request's own tree; it cannot be raised to EXCLUSIVE.`);
    }
    missing.delete(claim.resource as ResourceKey);
  }
  return missing;
}
