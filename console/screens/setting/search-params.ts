import { z } from 'zod'

export const TABS = ['personal', 'operation', 'system', 'other'] as const
export type SettingTab = (typeof TABS)[number]

/** `section` is a section of the tab, or the option whose field is looked for. */
export const SettingSearch = z.object({
  tab: z.enum(TABS).catch('personal').default('personal'),
  section: z.string().catch('').default(''),
})
