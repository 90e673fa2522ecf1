import type { Options } from '#contract/options/define-option.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { loadSettings, type Settings, type SettingsSource, withDeclaredValues } from '../settings/settings.ts'

/** By name, with the values of features too: the types of those are their own. */
export type TestValues = Partial<OptionValues> & Readonly<Record<string, unknown>>

const TEST_OPTIONS: TestValues = {
  ModelOutputLimit: { lab: 1_000 },
  DisconnectReadSeconds: 0,
  UserUsableGroups: { default: 'default' },
  FailedRequestRateLimit: 0,
  AutomaticDisableKeywords: [],
  ServerAddress: 'https://gate.example',
  CheckSensitiveEnabled: false,
  MarginAlarmRequests: 0,
  ResponseStoreEnabled: true,
  ResponseStoreMegabytes: 1,
}

/** The default options with some values of the test. */
export async function openTestSettings(
  source: Omit<SettingsSource, 'options'>,
  options: Options,
  values: TestValues = {},
): Promise<Settings> {
  const unknown = Object.keys(values).filter(name => !Object.hasOwn(options, name))
  if (unknown.length > 0) throw new Error(`there are no options ${unknown.join(', ')}`)
  const loaded = await loadSettings({ ...source, options })
  const current = loaded.current()
  const settings = { ...current, values: { ...current.values, ...TEST_OPTIONS, ...values } }
  return withDeclaredValues({ ...loaded, current: () => settings }, options)
}
