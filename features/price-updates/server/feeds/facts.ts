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

/**
 * The first member that says something about prices, and is none that is known. It may change what the others mean, as a mode of
 * billing does. Members that are 0 or empty say nothing.
 */
export const findUnknownPrice = (facts: Facts, isPrice: RegExp, isKnown: RegExp): string | undefined =>
  Object.keys(facts).find(name => isPrice.test(name) && !isKnown.test(name) && !isNothing(facts[name]))

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  Number(value) === 0 ||
  (typeof value === 'object' && Object.keys(Object(value)).length === 0)
