/** A source's facts about a model, unchecked. */
export type Facts = Readonly<Record<string, unknown>>

export const numberOf = (facts: Facts, field: string): number | undefined => {
  const value = facts[field]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

export const textOf = (facts: Facts, field: string): string | undefined => {
  const value = facts[field]
  return typeof value === 'string' ? value : undefined
}

/** Dollars per million from dollars per one, without the dust of binary fractions. */
export const perMillion = (price: number | undefined): number | undefined =>
  price === undefined ? undefined : Number((price * 1_000_000).toPrecision(12))
