import { z } from 'zod'
import { COST, endpoint } from '#contract/endpoint.ts'
import { QueryNumber } from '#contract/fields.ts'

/** An export covers at most 400 days. */
export const FOCUS_DAYS_MAX = 400

const Period = z.object({
  start_timestamp: QueryNumber.meta({
    description:
      'Start in Unix seconds; its whole day (UTC) counts. 0: the first day of the month of the end.',
    example: 1_759_276_800,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix seconds, exclusive; its whole day (UTC) counts. 0: now.',
    example: 1_761_955_200,
  }),
})
export type FocusPeriod = z.infer<typeof Period>

const shared = {
  method: 'GET',
  audit: 'success',
  cost: COST.export,
  description: `Cost and usage as FOCUS 1.2 (FinOps Open Cost and Usage Specification) has it: a row for each day (UTC), user, token and model, and each set of tags. The sum of \`x_QuotaUnits\` is what the ledger charged. At most ${FOCUS_DAYS_MAX} days.`,
  query: Period,
  produces: 'text/csv',
} as const

export const exportFocus = endpoint({
  ...shared,
  path: '/api/focus/export',
  role: 'admin',
  needs: 'recent-session',
  summary: 'Export cost and usage of all users as FOCUS',
})

export const exportSelfFocus = endpoint({
  ...shared,
  path: '/api/focus/self/export',
  role: 'user',
  organization: 'billing',
  summary: 'Export your cost and usage as FOCUS',
})
