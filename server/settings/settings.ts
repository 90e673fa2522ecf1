import { keepValidEntries } from '#contract/json-text.ts'
import type { Option, Options, ValuesOf } from '#contract/options/define-option.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Logger } from '../core/logger.ts'
import { listEnabledModels } from '../db/channels/abilities.ts'
import { type CachedValue, createCachedValue } from '../db/engine/cached-value.ts'
import type { Database } from '../db/engine/database.ts'
import { type OptionRow, selectOptions } from '../db/system/options.ts'
import { compilePrices, priceBookOf } from '../pricing/price-book.ts'
import { defaultText } from './option-defaults.ts'

/** The current system options. */
export interface SystemSettings {
  /** The values of the base's options. */
  readonly values: OptionValues
  /** The stored texts, secrets included: never return them unfiltered. */
  readonly texts: Readonly<Record<string, string>>
}

export interface Settings extends CachedValue<SystemSettings> {
  /** All options: those of the base, then those of features. */
  readonly options: Options
  /** The current values of options that a feature has declared. */
  of<Declared extends Options>(declared: Declared): ValuesOf<Declared>
}

export interface SettingsSource {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  readonly options: Options
}

/** Loads the settings: stored rows over defaults, reloaded whenever an option changes in any process. */
export async function loadSettings(source: SettingsSource): Promise<Settings> {
  const cached = await createCachedValue({
    db: source.db,
    subject: 'options',
    load: async () => {
      const settings = toSettings(await selectOptions(source.db), source)
      await compileServedPrices(settings.values, source.db)
      return settings
    },
  })
  return withDeclaredValues(cached, source.options)
}

/** Adds typed access to the values of declared options. */
export function withDeclaredValues(cached: CachedValue<SystemSettings>, options: Options): Settings {
  const known = new WeakSet<Options>()
  return {
    ...cached,
    options,
    of<Declared extends Options>(declared: Declared) {
      if (!known.has(declared)) {
        for (const [name, option] of Object.entries(declared))
          if (options[name] !== option)
            throw new Error(
              `no feature declares the option ${name}: list it in the options of defineFeature()`,
            )
        known.add(declared)
      }
      return valuesOf(declared, cached.current())
    },
  }
}

/** The cast is safe: `values` holds every option's value as its schema parsed it, and `declared` is some of these options. */
const valuesOf = <Declared extends Options>(_: Declared, { values }: SystemSettings) =>
  values as unknown as ValuesOf<Declared>

/** Compiles the prices of the models that channels serve. Those of others are compiled on first use. */
export const compileServedPrices = async (values: OptionValues, db: Database): Promise<void> =>
  compilePrices(priceBookOf(values), await listEnabledModels(db))

/** The cast is safe: the values are built by iterating over every option, of which the base's are some. */
function toSettings(rows: readonly OptionRow[], source: SettingsSource): SystemSettings {
  const stored = new Map(rows.map(row => [row.key, row.value]))
  const entries = Object.entries(source.options).map(([name, option]) => ({
    name,
    ...readOption(name, option, stored.get(name), source),
  }))
  const texts = Object.fromEntries(entries.map(({ name, text }) => [name, text]))
  return {
    texts,
    values: Object.fromEntries(entries.map(({ name, value }) => [name, value])) as OptionValues,
  }
}

interface ReadOption {
  readonly text: string
  readonly value: unknown
}

/**
 * The stored text with its value. An invalid row must not keep the gateway from starting: of a list the valid entries count, of
 * all else the default. The text stays as it is, so that the settings show what is wrong with it.
 */
function readOption(
  key: string,
  option: Option<unknown>,
  stored: string | undefined,
  { secrets, log }: SettingsSource,
): ReadOption {
  const initial = defaultText(key, option)
  if (stored === undefined) return { text: initial, value: option.schema.parse(initial) }
  try {
    const text = option.isSecret && stored !== '' ? secrets.decrypt(stored) : stored
    const { success, data, error } = option.schema.safeParse(text)
    if (success) return { text, value: data }
    const kept = keepValidEntries(option.schema, text)
    if (!kept) throw error
    log.error('entries of a stored option cannot be read and do not count', { key, error })
    return { text, value: kept.value }
  } catch (error) {
    log.error('a stored option cannot be read, its default is used', { key, error })
    return { text: option.isSecret ? initial : stored, value: option.schema.parse(initial) }
  }
}
