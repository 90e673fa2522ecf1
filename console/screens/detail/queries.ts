import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as logs from '#contract/logs/logs.ts'
import { listTokens } from '#contract/tokens.ts'
import { listSelfUsage, listUsage } from '#contract/billing/usage.ts'
import { call } from '../../app/api/call.ts'
import type { Period } from './period.ts'

const USAGE_FRESH_MS = 60_000
const FAILURE = 5
const ERRORS_SHOWN = 6

export interface Whose {
  readonly isAdmin: boolean
  /** For administrators: one user's; empty for everybody's. */
  readonly username: string
}

const spanOf = ({ start, end }: Period) => ({ start_timestamp: start, end_timestamp: end })

export const usageQuery = ({ isAdmin, username }: Whose, period: Period) =>
  queryOptions({
    queryKey: ['detail', 'usage', isAdmin, username, period.start, period.end],
    queryFn: ({ signal }) =>
      isAdmin
        ? call(listUsage, { query: { ...spanOf(period), username }, signal })
        : call(listSelfUsage, { query: spanOf(period), signal }),
    staleTime: USAGE_FRESH_MS,
    placeholderData: keepPreviousData,
  })

export const errorsQuery = ({ isAdmin, username }: Whose, period: Period) =>
  queryOptions({
    queryKey: ['detail', 'errors', isAdmin, username, period.start, period.end],
    queryFn: ({ signal }) => {
      const query = { ...spanOf(period), type: FAILURE, p: 1, page_size: ERRORS_SHOWN }
      return isAdmin
        ? call(logs.listLogs, { query: { ...query, username }, signal })
        : call(logs.listSelfLogs, { query, signal })
    },
    staleTime: USAGE_FRESH_MS,
    placeholderData: keepPreviousData,
  })

export const facetsQuery = ({ isAdmin, username }: Whose, period: Period) =>
  queryOptions({
    queryKey: ['detail', 'facets', isAdmin, username, period.start, period.end],
    queryFn: ({ signal }) =>
      isAdmin
        ? call(logs.getLogFacets, { query: { ...spanOf(period), username }, signal })
        : call(logs.getSelfLogFacets, { query: spanOf(period), signal }),
    staleTime: USAGE_FRESH_MS,
    placeholderData: keepPreviousData,
  })

/** Whether this user has a token. */
export const hasTokenQuery = queryOptions({
  queryKey: ['detail', 'has-token'],
  queryFn: async ({ signal }) => (await call(listTokens, { query: { p: 0, size: 1 }, signal })).length > 0,
})
