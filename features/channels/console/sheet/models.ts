import { distinctNames } from '#contract/fields.ts'

/** The family of a model: the words of its name before the first digit (`gpt`, `claude-sonnet`). */
export function modelFamily(model: string): string {
  const name = model.slice(model.lastIndexOf('/') + 1)
  const words = name.split(/[-_.:]/)
  const end = words.findIndex(textKey => /\d/.test(textKey))
  return (end > 0 ? words.slice(0, end) : words.slice(0, 1)).join('-').replace(/\d.*$/, '') || name
}

interface ModelDiff {
  /** Offered by the provider, not in the channel. */
  readonly added: readonly string[]
  readonly kept: readonly string[]
  /** In the channel, no longer offered by the provider. */
  readonly removed: readonly string[]
}

/** Compares the models of a channel with those of its provider. Names that the channel maps to others count as kept. */
export function diffModels(
  own: readonly string[],
  upstream: readonly string[],
  mapped: ReadonlySet<string>,
): ModelDiff {
  const ownNames = new Set(own)
  const offered = new Set(upstream)
  const isKept = (model: string) => offered.has(model) || mapped.has(model)
  return {
    added: [...offered].filter(model => !ownNames.has(model)).toSorted(),
    kept: own.filter(isKept),
    removed: own.filter(model => !isKept(model)),
  }
}

/** Splits typed names at commas and line breaks into new names and names that the channel already has. */
export function parseModelNames(typed: string, own: readonly string[]) {
  const ownNames = new Set(own)
  const names = distinctNames(typed.replaceAll('，', ','))
  return {
    added: names.filter(name => !ownNames.has(name)),
    repeated: names.filter(name => ownNames.has(name)),
  }
}
