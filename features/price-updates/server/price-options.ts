import type { z } from 'zod'
import { keepValidEntries } from '#contract/json-text.ts'
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
  const { values, rest } = readValues(key => stored.get(key) ?? optionDefault(key))
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
        if (!systemOptions[key].schema.safeParse(JSON.stringify(values[key])).success)
          throw priceUpdateError('too_large', { option: key })
        await upsertOption(tx, { key, value: JSON.stringify({ ...rest[key], ...values[key] }, null, 2) })
      }
      return [...changed]
    },
  }
}

/**
 * New objects, which may be changed. As everywhere, the valid entries of a stored list count, else its default; `rest` has the
 * others, which stay stored until somebody corrects them.
 */
function readValues(textOf: (key: OptionKey) => string) {
  const rest: Partial<Record<OptionKey, object>> = {}
  const read = <Value>(key: OptionKey, schema: z.ZodType<Value, string>): Value => {
    const { success, data } = schema.safeParse(textOf(key))
    if (success) return data
    const kept = keepValidEntries(schema, textOf(key))
    if (kept) rest[key] = kept.rest
    return kept?.value ?? schema.parse(optionDefault(key))
  }
  const values: ModelOptions = {
    ModelRatio: read('ModelRatio', systemOptions.ModelRatio.schema),
    ModelPrice: read('ModelPrice', systemOptions.ModelPrice.schema),
    CompletionRatio: read('CompletionRatio', systemOptions.CompletionRatio.schema),
    CacheRatio: read('CacheRatio', systemOptions.CacheRatio.schema),
    CreateCacheRatio: read('CreateCacheRatio', systemOptions.CreateCacheRatio.schema),
    ModelPriceLists: read('ModelPriceLists', systemOptions.ModelPriceLists.schema),
  }
  return { values, rest }
}
