import { createHash } from 'node:crypto';

/** The name of something that can be claimed; made by the builders below only, never from free text. */
export type ResourceKey = string & { readonly __resourceKey: unique symbol };

/** Percent-encodes all but [A-Za-z0-9._~-], so that no two resources can share a key (6-claims, sections 2 and 4). */
function part(id: string | number): string {
  return encodeURIComponent(String(id)).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function key(type: string, ...ids: (string | number)[]): ResourceKey {
  return [type, ...ids.map(part)].join(':') as ResourceKey;
}

export const resourceKey = {
  backend: (id: number) => key('backend', id),
  reconcile: (backendId: number) => key('reconcile', backendId),
  virtualMachine: (id: number) => key('vm', id),
  network: (id: number) => key('network', id),
  backendNetwork: (networkId: number, backendId: number) => key('backendnetwork', networkId, backendId),
  addressPool: (networkId: number) => key('ippool', networkId),
  image: (id: number) => key('image', id),
  deployment: (id: string) => key('deployment', id),
  /** Lock only, never a row: two requests with one idempotency key run one after the other. */
  submission: (actor: string, idempotencyKey: string) => key('submit', actor, idempotencyKey),
} as const;

/** The 64-bit number under which PostgreSQL's advisory locks know a key. */
export function lockNumber(resource: ResourceKey): bigint {
  return createHash('sha256').update(resource, 'utf8').digest().readBigInt64BE(0);
}
