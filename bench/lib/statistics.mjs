/** Median, extremes, 90th percentile, and the 99th when there are enough values for one to mean something. */
export function statistics(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return {
    n: sorted.length,
    median,
    min: sorted[0],
    max: sorted.at(-1),
    ...(sorted.length >= 20 && { p90: at(0.9) }),
    ...(sorted.length >= 100 && { p99: at(0.99) }),
  };
}
