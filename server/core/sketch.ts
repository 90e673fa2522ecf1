/**
 * A mergeable distribution of durations: counts in buckets whose bounds grow by a constant factor, so that every quantile
 * is within 2% of the exact one. Source: Masson et al., "DDSketch", VLDB 2019.
 */
export type Sketch = ReadonlyMap<number, number>

export const RELATIVE_ERROR = 0.02
/** The factor between the bounds of a bucket. */
export const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
/** The bucket of a value is its logarithm divided by this, rounded up. */
export const LOG_GAMMA = Math.log(GAMMA)
/** Half a day in milliseconds; longer times count as this. */
export const VALUE_MAX = 43_200_000

/** Values below 1 count as 1. */
export const bucketOf = (value: number): number =>
  Math.ceil(Math.log(Math.min(Math.max(value, 1), VALUE_MAX)) / LOG_GAMMA)

/** Adds the counts of a sketch as text: `bucket:count` or `bucket`, separated by commas. Skips anything else. */
export function addSketchText(sketch: Map<number, number>, text: string): void {
  if (text === '') return
  for (const entry of text.split(',')) {
    const [bucket, count = 1] = entry.split(':').map(Number)
    if (bucket === undefined || !Number.isFinite(bucket) || !Number.isFinite(count)) continue
    sketch.set(bucket, (sketch.get(bucket) ?? 0) + count)
  }
}

/** The text of a sketch, buckets in order. */
export const toSketchText = (sketch: Sketch): string =>
  [...sketch]
    .sort(([a], [b]) => a - b)
    .map(([bucket, count]) => (count === 1 ? String(bucket) : `${bucket}:${count}`))
    .join(',')
