import { isOptionKey, type OptionKey, type OptionValues, systemOptions } from '#contract/options/system-options.ts'
import type { Logger } from '../core/logger.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Database } from '../db/engine/database.ts'
import { type CachedValue, createCachedValue } from '../db/engine/cached-value.ts'
import { type OptionRow, selectOptions } from '../db/system/options.ts'

/** The system options as they stand now. */
export interface SystemSettings {
  readonly values: OptionValues
  /** The texts behind the values; of secrets too, so they must not be answered as they are. */
  readonly texts: Readonly<Record<OptionKey, string>>
}

export type Settings = CachedValue<SystemSettings>

export interface SettingsSource {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
}

/** Opens the settings: defaults with the stored rows over them, read again whenever options change. */
export const openSettings = (source: SettingsSource): Promise<Settings> =>
  createCachedValue({
    db: source.db,
    subject: 'options',
    load: async () => settingsOf(await selectOptions(source.db), source),
  })

export const settingKeys = Object.keys(systemOptions).filter(isOptionKey)

/** Both records are made by going through every key of the options, so none is missing. */
function settingsOf(rows: readonly OptionRow[], source: SettingsSource): SystemSettings {
  const stored = new Map(rows.map(row => [row.key, row.value]))
  const texts = Object.fromEntries(settingKeys.map(key => [key, readableText(key, stored.get(key), source)]))
  return { texts, values: valuesOf(texts) } as SystemSettings
}

/** What is stored when its option can read it, else the default, so that a bad row never stops the gateway. */
function readableText(key: OptionKey, stored: string | undefined, { secrets, log }: SettingsSource): string {
  const { initial, isSecret, schema } = systemOptions[key]
  if (stored === undefined) return initial
  try {
    const text = isSecret && stored !== '' ? secrets.decrypt(stored) : stored
    schema.parse(text)
    return text
  } catch (error) {
    log.error('a stored option cannot be read, its default is used', { key, error })
    return initial
  }
}

const valuesOf = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(settingKeys.map(key => [key, systemOptions[key].schema.parse(texts[key])]))
