import { z } from 'zod'
import { COST, endpoint } from '#contract/endpoint.ts'
import { LocalDays } from '#contract/fields.ts'
import { AllFilters, OwnFilters } from './log-filters.ts'

/** An export ends after this many rows. */
export const LOG_EXPORT_ROWS_MAX = 100_000

const layout = {
  layout: z.enum(['raw', 'plain']).default('raw').meta({
    description:
      '`raw`: the fields of a log row, with quota units and times of UTC. `plain`: for people, with amounts in dollars, times of `time_zone` and headings in the language of the caller.',
    example: 'plain',
  }),
  time_zone: LocalDays.time_zone.meta({
    description: 'Zone of the times of a `plain` file. Empty: UTC.',
    example: 'Europe/Berlin',
  }),
}

const shared = {
  method: 'GET',
  audit: 'success',
  cost: COST.export,
  description: `Newest first, at most ${LOG_EXPORT_ROWS_MAX} rows.`,
  produces: 'text/csv',
} as const

export const exportLogs = endpoint({
  ...shared,
  path: '/api/log/export',
  role: 'admin',
  needs: 'recent-session',
  summary: 'Export log rows of all users as CSV',
  query: AllFilters.extend(layout),
})

export const exportSelfLogs = endpoint({
  ...shared,
  path: '/api/log/self/export',
  role: 'user',
  organization: 'member',
  summary: 'Export your log rows as CSV',
  query: OwnFilters.extend(layout),
})
