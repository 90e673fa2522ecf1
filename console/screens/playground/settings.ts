import { z } from 'zod'
import { readStoredJson, writeStoredJson } from '../../app/preferences/local-store.ts'

export const TEMPERATURE_MIN = 0.1
export const TEMPERATURE_MAX = 1
export const TEMPERATURE_STEP = 0.1
const TEMPERATURE_DEFAULT = 0.7

/** 0 leaves temperature and length to the provider. */
export const Settings = z.object({
  /** Empty: the user's own. */
  group: z.string().catch(''),
  model: z.string().catch('gpt-4o-mini'),
  temperature: z.number().min(0).max(TEMPERATURE_MAX).catch(0),
  maxTokens: z.number().int().min(0).catch(0),
  system: z.string().catch(''),
  /** JSON text: a list of tools, as OpenAI writes it. Empty for none. */
  tools: z.string().catch(''),
})
export type Settings = z.infer<typeof Settings>

/** What this browser used last. */
export const storedSettings = (): Settings => Settings.parse(readStoredJson('playground') ?? {})

export const storeSettings = (settings: Settings): void => writeStoredJson('playground', settings)

export const chosenTemperature = (isChosen: boolean): number => (isChosen ? TEMPERATURE_DEFAULT : 0)
