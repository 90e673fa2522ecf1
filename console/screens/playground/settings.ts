import { z } from 'zod'
import { readStoredJson, writeStoredJson } from '../../app/preferences/local-store.ts'

export const TEMPERATURE_MIN = 0.1
export const TEMPERATURE_MAX = 1
export const TEMPERATURE_STEP = 0.1
const TEMPERATURE_INITIAL = 0.7

/** The settings in the format in which they are stored. 0 leaves the temperature or the length to the provider. */
export const Settings = z.object({
  /** Empty for the user's own group. */
  group: z.string().catch(''),
  model: z.string().catch('gpt-4o-mini'),
  temperature: z.number().min(0).max(TEMPERATURE_MAX).catch(0),
  maxTokens: z.number().int().min(0).catch(0),
  system: z.string().catch(''),
  /** A JSON list of tools in OpenAI's format. Empty for none. */
  tools: z.string().catch(''),
})
export type Settings = z.infer<typeof Settings>

/** The last settings of this browser. */
export const storedSettings = (): Settings => Settings.parse(readStoredJson('playground') ?? {})

export const storeSettings = (settings: Settings): void => writeStoredJson('playground', settings)

/** The temperature after its switch is turned on or off. */
export const switchedTemperature = (isOn: boolean): number => (isOn ? TEMPERATURE_INITIAL : 0)
