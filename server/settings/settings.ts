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
  const entries = Object.entries(source.options).map(([name, option]) => {
    const text = readText(name, option, stored.get(name), source)
    return { name, text, value: option.schema.parse(text) }
  })
  const texts = Object.fromEntries(entries.map(({ name, text }) => [name, text]))
  return {
    texts,
    values: Object.fromEntries(entries.map(({ name, value }) => [name, value])) as OptionValues,
  }
}

/** The stored text, or the default when it no longer parses: an invalid row must not keep the gateway from starting. */
function readText(
  key: string,
  option: Option<unknown>,
  stored: string | undefined,
  { secrets, log }: SettingsSource,
): string {
  if (stored === undefined) return defaultText(key, option)
  try {
    const text = option.isSecret && stored !== '' ? secrets.decrypt(stored) : stored
    option.schema.parse(text)
    return text
  } catch (error) {
    log.error('a stored option cannot be read, its default is used', { key, error })
    return defaultText(key, option)
  }
}
