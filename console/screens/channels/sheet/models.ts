import { distinctNames } from '#contract/fields.ts'

export const countModels = (models: string): number => distinctNames(models).length

/** What a vendor calls a family: the part of the name before its first digit or size (`gpt`, `claude-sonnet`). */
export function modelFamily(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1)
  const words = name.split(/[-_.:]/)
  const end = words.findIndex(textKey => /\d/.test(textKey))
  return (end > 0 ? words.slice(0, end) : words.slice(0, 1)).join('-').replace(/\d.*$/, '') || name
}

export interface ModelDiff {
  /** The vendor has them, the channel does not. */
  readonly added: readonly string[]
  readonly kept: readonly string[]
  /** The channel has them, the vendor does not. */
  readonly removed: readonly string[]
}

/** What a vendor's list would change in a channel's. Names that the channel maps to others count as kept. */
export function diffModels(
  own: readonly string[],
  upstream: readonly string[],
  mapped: ReadonlySet<string>,
): ModelDiff {
  const has = new Set(own)
  const offered = new Set(upstream)
  const isKept = (model: string) => offered.has(model) || mapped.has(model)
  return {
    added: [...offered].filter(model => !has.has(model)).toSorted(),
    kept: own.filter(isKept),
    removed: own.filter(model => !isKept(model)),
  }
}

/** Typed names parted by commas or line ends: which are new, and which are there already. */
export function parseModelNames(typed: string, own: readonly string[]) {
  const has = new Set(own)
  const names = distinctNames(typed.replaceAll('，', ','))
  return { added: names.filter(name => !has.has(name)), repeated: names.filter(name => has.has(name)) }
}
