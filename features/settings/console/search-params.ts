import { z } from 'zod'

export const TABS = ['personal', 'operation', 'system', 'other'] as const
export type SettingTab = (typeof TABS)[number]

/** `section` is a section of the tab, or the key of an option to scroll to. */
export const SettingSearch = z.object({
  tab: z.enum(TABS).catch('personal').default('personal'),
  section: z.string().catch('').default(''),
})
