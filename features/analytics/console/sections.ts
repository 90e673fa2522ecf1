interface Valued {
  readonly value: string
}

/** The rows with one value of the first dimension, below their sum. */
export interface Section<Row> {
  /** Undefined while it loads, and beyond the values that are shown. */
  readonly sum: Row | undefined
  readonly rows: readonly Row[]
}

/** One section for each value, in the order of the sums. Rows without a sum come last. */
export function sectionsOf<Row extends Valued>(
  rows: readonly Row[],
  sums: readonly Row[],
  compare: (a: Row, b: Row) => number,
): ReadonlyArray<Section<Row>> {
  const byValue = Map.groupBy(rows.toSorted(compare), ({ value }) => value)
  const summed = sums.toSorted(compare).map(sum => ({ sum, rows: byValue.get(sum.value) ?? [] }))
  const known = new Set(sums.map(({ value }) => value))
  const others = [...byValue].filter(([value]) => !known.has(value))
  return [...summed, ...others.map(([, found]) => ({ sum: undefined, rows: found }))]
}
