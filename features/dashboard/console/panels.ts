import { z } from 'zod'
import { filledSlots } from '#console/app/filled-slots.ts'
import { DashboardSearch, OVERVIEW } from './search-params.ts'

/** The panels that features add, in display order. */
export const panels = filledSlots('dashboardPanels').toSorted((a, b) => a.order - b.order)

const Tab = z
  .enum([OVERVIEW, ...panels.map(({ tab }) => tab)])
  .catch(OVERVIEW)
  .default(OVERVIEW)

/** The search params of the overview and of every panel. */
export const ScreenSearch: z.ZodObject = panels
  .reduce<z.ZodObject>((search, panel) => search.extend(panel.search.shape), DashboardSearch)
  .extend({ tab: Tab })
