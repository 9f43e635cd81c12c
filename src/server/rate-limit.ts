/** Keys remembered at once. A key that is forgotten starts with a full bucket, which is what an idle one has anyway. */
const KEPT_KEYS = 10_000;

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * A token bucket per key: `burst` requests at once, `perSecond` on average.
 *
 * @param nowMs a monotonic clock in milliseconds; tests give their own.
 * @returns whether one more request of `key` may pass.
 */
export function createRateLimit(
  options: { perSecond: number; burst: number },
  nowMs: () => number = () => performance.now(),
): (key: string) => boolean {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    const now = nowMs();
    const bucket = buckets.get(key) ?? { tokens: options.burst, filledAtMs: now };
    // Set again at the end of the Map's order, so that its first key is the one unused longest.
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > KEPT_KEYS) buckets.delete(buckets.keys().next().value as string);
    const refill = ((now - bucket.filledAtMs) / 1000) * options.perSecond;
    bucket.tokens = Math.min(options.burst, bucket.tokens + refill);
    bucket.filledAtMs = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
}
