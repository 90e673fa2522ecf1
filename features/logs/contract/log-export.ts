import { COST, endpoint } from '#contract/endpoint.ts'
import { AllFilters, OwnFilters } from './log-filters.ts'

/** An export ends after this many rows. */
export const LOG_EXPORT_ROWS_MAX = 100_000

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
  query: AllFilters,
})

export const exportSelfLogs = endpoint({
  ...shared,
  path: '/api/log/self/export',
  role: 'user',
  summary: 'Export your log rows as CSV',
  query: OwnFilters,
})
