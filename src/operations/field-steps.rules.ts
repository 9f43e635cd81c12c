import type { FieldStep } from '../changes/index.ts';

/** One step per field in which two values of an entity differ; Dates and lists are compared by what they say. */
export function fieldSteps<T extends object>(
  before: Partial<T> | null,
  after: T,
  fields: readonly (keyof T & string)[],
): FieldStep[] {
  return fields
    .map((field) => ({ field, from: before?.[field] ?? null, to: after[field] ?? null }))
    .filter(({ from, to }) => !isSame(from, to));
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  return text(a) === text(b);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner));
}
