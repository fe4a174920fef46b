/** Medians and percentiles of small samples. Pure. */

/** The middle value, or the mean of the two middle ones. Throws on an empty list: a median of nothing is a bug. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('No values to take the median of.');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Nearest-rank percentile: the smallest value that at least `share` (0 to 1) of all values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('No values to take a percentile of.');
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[Math.min(rank, sorted.length) - 1]!;
}
