import { catalogueModels, familyOfDated, findModel } from '#server/pricing/catalogue.ts'

/** Providers keep serving older chat models for a while; nobody starts with them. */
const CHAT_YEARS = 2

interface OfferedBy {
  /** The provider's name in the catalogue. */
  readonly catalogue?: string
  /** Models that the catalogue may not know. */
  readonly models: readonly string[]
}

/**
 * The models that a new channel of a provider begins with, newest first: its own list, or, where the catalogue knows the
 * provider, the catalogue's models. Retired ones, chat models of some years ago, and dated versions of an offered model are
 * left out. The catalogue has no day of release for some of its newest models: they follow, unless the own list has them.
 */
export function offeredModels({ catalogue, models }: OfferedBy, today: Date): readonly string[] {
  const day = today.toISOString().slice(0, 10)
  const earliest = `${today.getUTCFullYear() - CHAT_YEARS}${day.slice(4)}`
  const isServed = (name: string): boolean => {
    const facts = findModel(name)
    return !isPast(facts?.retires, day) && !isPast(facts?.deprecated, day)
  }
  if (catalogue === undefined) return models.filter(isServed)
  const own = new Set(models)
  const known = [...catalogueModels].filter(([, facts]) => facts.vendor === catalogue)
  const names = new Set(known.map(([name]) => name))
  const isVersion = (name: string): boolean => names.has(familyOfDated(name) ?? '')
  return known
    .filter(([name]) => isServed(name) && !isVersion(name))
    .filter(([name, { kind, released, abilities }]) => {
      if (released === undefined)
        return !own.has(name) && (kind !== 'chat' || abilities.includes('reasoning'))
      return kind !== 'chat' || released >= earliest
    })
    .sort(([, a], [, b]) => (b.released ?? '').localeCompare(a.released ?? ''))
    .map(([name]) => name)
}

const isPast = (date: string | undefined, day: string): boolean => date !== undefined && date <= day
