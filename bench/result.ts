/** One number of ours beside the same number of a peer, as results are kept. */
export interface Comparison {
  readonly scenario: string;
  /** What was measured, with its unit. */
  readonly metric: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  /** `ours / peer`. */
  readonly ratio: number;
  /** What the specification asks of the ratio; null where it asks nothing. */
  readonly bar: string | null;
  readonly holds: boolean | null;
}

/** A bound on a ratio. */
export type Bar = { readonly atLeast: number } | { readonly atMost: number };

/** Sets two medians side by side. A bar is looked at, never enforced. */
export function compare(
  what: Pick<Comparison, 'scenario' | 'metric' | 'peerName'>,
  ours: readonly number[],
  peer: readonly number[],
  bar?: Bar,
): Comparison {
  const { scenario, metric, peerName } = what;
  const ratio = rounded(median(ours) / median(peer));
  const values = { ours: rounded(median(ours)), peer: rounded(median(peer)), peerName, ratio };
  if (!bar) return { scenario, metric, ...values, bar: null, holds: null };
  return 'atLeast' in bar
    ? { scenario, metric, ...values, bar: `≥ ${bar.atLeast}`, holds: ratio >= bar.atLeast }
    : { scenario, metric, ...values, bar: `≤ ${bar.atMost}`, holds: ratio <= bar.atMost };
}

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Three significant digits: more would claim more than was measured. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
