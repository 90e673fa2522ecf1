import { type OptionKey, type OptionValues, systemOptions } from '#contract/options/system-options.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Logger } from '../core/logger.ts'
import { listEnabledModels } from '../db/channels/abilities.ts'
import { type CachedValue, createCachedValue } from '../db/engine/cached-value.ts'
import type { Database } from '../db/engine/database.ts'
import { type OptionRow, selectOptions } from '../db/system/options.ts'
import { compilePrices, priceBookOf } from '../pricing/price-book.ts'
import { optionDefault, optionKeys } from './option-defaults.ts'

/** The current system options. */
export interface SystemSettings {
  readonly values: OptionValues
  /** The stored texts, secrets included: never return them unfiltered. */
  readonly texts: Readonly<Record<OptionKey, string>>
}

export type Settings = CachedValue<SystemSettings>

export interface SettingsSource {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
}

/** Loads the settings: stored rows over defaults, reloaded whenever an option changes in any process. */
export const loadSettings = (source: SettingsSource): Promise<Settings> =>
  createCachedValue({
    db: source.db,
    subject: 'options',
    load: async () => {
      const settings = toSettings(await selectOptions(source.db), source)
      await compileServedPrices(settings.values, source.db)
      return settings
    },
  })

/** Compiles the prices of the models that channels serve. Those of others are compiled on first use. */
export const compileServedPrices = async (values: OptionValues, db: Database): Promise<void> =>
  compilePrices(priceBookOf(values), await listEnabledModels(db))

/** The cast is safe: both records are built by iterating over every option key. */
function toSettings(rows: readonly OptionRow[], source: SettingsSource): SystemSettings {
  const stored = new Map(rows.map(row => [row.key, row.value]))
  const texts = Object.fromEntries(optionKeys.map(key => [key, readText(key, stored.get(key), source)]))
  return { texts, values: parseValues(texts) } as SystemSettings
}

/** The stored text, or the default when it no longer parses: an invalid row must not keep the gateway from starting. */
function readText(key: OptionKey, stored: string | undefined, { secrets, log }: SettingsSource): string {
  const { isSecret, schema } = systemOptions[key]
  if (stored === undefined) return optionDefault(key)
  try {
    const text = isSecret && stored !== '' ? secrets.decrypt(stored) : stored
    schema.parse(text)
    return text
  } catch (error) {
    log.error('a stored option cannot be read, its default is used', { key, error })
    return optionDefault(key)
  }
}

const parseValues = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(optionKeys.map(key => [key, systemOptions[key].schema.parse(texts[key])]))
