import { z } from 'zod'
import { readUserData, writeUserData } from '#console/app/session/user-storage.ts'

export const TEMPERATURE_MIN = 0.1
export const TEMPERATURE_MAX = 1
export const TEMPERATURE_STEP = 0.1
const TEMPERATURE_INITIAL = 0.7

/** Until the user chooses another one, or the group serves only others. */
export const INITIAL_MODEL = 'gpt-4o-mini'

/** The settings in the format in which they are stored. 0 leaves the temperature or the length to the provider. */
export const Settings = z.object({
  /** Empty for the user's own group. */
  group: z.string().catch(''),
  model: z.string().catch(INITIAL_MODEL),
  temperature: z.number().min(0).max(TEMPERATURE_MAX).catch(0),
  maxTokens: z.number().int().min(0).catch(0),
  system: z.string().catch(''),
  /** A JSON list of tools in OpenAI's format. Empty for none. */
  tools: z.string().catch(''),
})
export type Settings = z.infer<typeof Settings>

/** Settings under a name, to apply them again. */
const Preset = z.object({ name: z.string(), settings: Settings })
export type Preset = z.infer<typeof Preset>

export const PRESETS_MAX = 30

const Stored = z.object({
  settings: z.object({}).loose().pipe(Settings).catch(Settings.parse({})),
  presets: z.array(Preset).catch([]),
})

const readStored = (userId: number): z.infer<typeof Stored> =>
  Stored.parse(readUserData('playground', userId) ?? {})

/** The last settings of this user in this browser. */
export const storedSettings = (userId: number): Settings => readStored(userId).settings

export function storeSettings(userId: number, settings: Settings): void {
  writeUserData('playground', userId, { ...readStored(userId), settings })
}

/** The presets of this user in this browser, by name. */
export const storedPresets = (userId: number): readonly Preset[] => readStored(userId).presets

/** Saves a preset in place of one with the same name, and returns all. At the maximum, no new name is added. */
export function savePreset(userId: number, preset: Preset): readonly Preset[] {
  const others = storedPresets(userId).filter(({ name }) => name !== preset.name)
  const presets = [...others, preset].toSorted((a, b) => a.name.localeCompare(b.name))
  return presets.length > PRESETS_MAX ? storedPresets(userId) : storePresets(userId, presets)
}

export const deletePreset = (userId: number, name: string): readonly Preset[] =>
  storePresets(
    userId,
    storedPresets(userId).filter(preset => preset.name !== name),
  )

function storePresets(userId: number, presets: readonly Preset[]): readonly Preset[] {
  writeUserData('playground', userId, { ...readStored(userId), presets })
  return presets
}

/** The temperature after its switch is turned on or off. */
export const switchedTemperature = (isOn: boolean): number => (isOn ? TEMPERATURE_INITIAL : 0)
