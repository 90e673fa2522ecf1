/** Returns the value below which the given share of the figures lies, or 0 without figures. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const median = (figures: readonly number[]): number => percentile(figures, 0.5)

export const p50AndP99 = (figures: readonly number[]) => ({
  p50: percentile(figures, 0.5),
  p99: percentile(figures, 0.99),
})
