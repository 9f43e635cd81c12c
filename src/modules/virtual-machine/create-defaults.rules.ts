/** The parameters of an instance that are objects of their own, of which each key has its own owner. */
const NESTED = ['beparams', 'hvparams', 'osparams'];

/** GANETI_CREATE_DEFAULTS under a backend's own (decision 13): the latter win key by key, inside nested ones, too. */
export function mergeCreateDefaults(
  deployment: Readonly<Record<string, unknown>>,
  backend: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...deployment, ...backend };
  for (const key of NESTED) {
    const below = deployment[key];
    const above = backend[key];
    if (isObject(below) && isObject(above)) merged[key] = { ...below, ...above };
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
