import { type OptionKey, systemOptions } from '#contract/options/system-options.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import type { Database } from '#server/db/engine/database.ts'
import { selectOptions, upsertOption } from '#server/db/system/options.ts'
import { optionDefault } from '#server/settings/option-defaults.ts'
import { priceUpdateError } from './errors.ts'
import { FIGURE_OPTIONS, type ModelEntries, type ModelOptions } from './to-options.ts'

const PRICE_KEYS = [...FIGURE_OPTIONS, 'ModelPriceLists'] as const

/** The price options within a transaction that changes them. */
interface EditedOptions {
  /** As they are so far. */
  readonly options: ModelOptions
  setEntries(model: string, entries: ModelEntries): void
  /** Stores what differs. Throws `price_update.too_large`. */
  save(): Promise<readonly OptionKey[]>
}

/**
 * Reads the price options in a transaction. The version is raised first: its row makes other changes of the options by this
 * function wait.
 */
export async function editPriceOptions(tx: Database): Promise<EditedOptions> {
  await bumpVersion(tx, 'options')
  const stored = new Map((await selectOptions(tx)).map(({ key, value }) => [key, value]))
  const values = readValues(key => stored.get(key) ?? optionDefault(key))
  const changed = new Set<(typeof PRICE_KEYS)[number]>()
  return {
    options: values,
    setEntries(model, entries) {
      for (const key of PRICE_KEYS) {
        const entry = entries[key]
        if (Bun.deepEquals(values[key][model], entry)) continue
        if (entry === undefined) Reflect.deleteProperty(values[key], model)
        else Object.assign(values[key], { [model]: entry })
        changed.add(key)
      }
    },
    async save() {
      for (const key of changed) {
        const value = JSON.stringify(values[key], null, 2)
        if (!systemOptions[key].schema.safeParse(value).success)
          throw priceUpdateError('too_large', { option: key })
        await upsertOption(tx, { key, value })
      }
      return [...changed]
    },
  }
}

/** New objects, which may be changed. A stored text that no longer parses counts as its default, as everywhere. */
function readValues(textOf: (key: OptionKey) => string): ModelOptions {
  const figures = (key: (typeof FIGURE_OPTIONS)[number]) => {
    const { schema } = systemOptions[key]
    const parsed = schema.safeParse(textOf(key))
    return parsed.success ? parsed.data : schema.parse(optionDefault(key))
  }
  const lists = systemOptions.ModelPriceLists.schema.safeParse(textOf('ModelPriceLists'))
  return {
    ModelRatio: figures('ModelRatio'),
    ModelPrice: figures('ModelPrice'),
    CompletionRatio: figures('CompletionRatio'),
    CacheRatio: figures('CacheRatio'),
    CreateCacheRatio: figures('CreateCacheRatio'),
    ModelPriceLists: lists.success ? lists.data : {},
  }
}
