/** Values sorted into buckets, as Prometheus keeps them. Bounds are upper bounds, in order; what is above the last is counted too. */
export class Histogram {
  readonly bounds: readonly number[]
  /** Of each bucket alone; the last is of what is above every bound. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let bucket = 0
    for (const bound of this.bounds) {
      if (value <= bound) break
      bucket += 1
    }
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += value
  }
}
