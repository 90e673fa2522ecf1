import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { listTokens } from '#contract/entities/token.ts'
import {
  type AnalyticsDimension,
  type AnalyticsMeasure,
  FAILED_LOG_TYPES,
  LOG_TYPE,
} from '#contract/enums.ts'
import { getAnalytics } from '#features/analytics/contract.ts'
import * as logs from '#features/logs/contract/logs.ts'
import { listSelfUsage, listUsage } from '../contract.ts'

const USAGE_STALE_MS = 60_000
const ERRORS_SHOWN = 6
const TOP_SHOWN = 5
/** The types of log rows that are no failures. */
export const NO_FAILURES: readonly number[] = Object.values(LOG_TYPE).filter(
  type => !FAILED_LOG_TYPES.includes(type),
)

/** Unix seconds, inclusive. */
export interface Period {
  readonly start: number
  readonly end: number
  /** The requested period exceeded the limit of ordinary users and was shortened. */
  readonly isCut: boolean
}

/** Whose usage is requested. Ordinary users get their own. */
export interface UsageScope {
  readonly isAdmin: boolean
  /** The user whose usage an administrator requests; empty for all users. */
  readonly username: string
}

const toTimestamps = ({ start, end }: Period) => ({ start_timestamp: start, end_timestamp: end })

export const usageQuery = ({ isAdmin, username }: UsageScope, period: Period) =>
  queryOptions({
    queryKey: ['detail', 'usage', isAdmin, username, period.start, period.end],
    queryFn: ({ signal }) =>
      isAdmin
        ? call(listUsage, { query: { ...toTimestamps(period), username }, signal })
        : call(listSelfUsage, { query: toTimestamps(period), signal }),
    staleTime: USAGE_STALE_MS,
    placeholderData: keepPreviousData,
  })

/** The most recent failed and rejected requests. */
export const errorsQuery = ({ isAdmin, username }: UsageScope, period: Period) =>
  queryOptions({
    queryKey: ['detail', 'errors', isAdmin, username, period.start, period.end],
    queryFn: ({ signal }) => {
      const query = {
        ...toTimestamps(period),
        not_type: NO_FAILURES.join(','),
        p: 1,
        page_size: ERRORS_SHOWN,
      }
      return isAdmin
        ? call(logs.listLogs, { query: { ...query, username }, signal })
        : call(logs.listSelfLogs, { query, signal })
    },
    staleTime: USAGE_STALE_MS,
    placeholderData: keepPreviousData,
  })

/** The tokens that were used in the period, with their number of requests. */
export const facetsQuery = ({ isAdmin, username }: UsageScope, period: Period) =>
  queryOptions({
    queryKey: ['detail', 'facets', isAdmin, username, period.start, period.end],
    queryFn: ({ signal }) =>
      isAdmin
        ? call(logs.getLogFacets, { query: { ...toTimestamps(period), username }, signal })
        : call(logs.getSelfLogFacets, { query: toTimestamps(period), signal }),
    staleTime: USAGE_STALE_MS,
    placeholderData: keepPreviousData,
  })

/** Whether the user has a token. */
export const hasTokenQuery = queryOptions({
  queryKey: ['detail', 'has-token'],
  queryFn: async ({ signal }) => (await call(listTokens, { query: { p: 0, size: 1 }, signal })).length > 0,
})

/** The largest groups of all users' requests, and the totals of the period and of the one before. */
export const reportQuery = (
  { by, measure = 'revenue' }: { readonly by: AnalyticsDimension; readonly measure?: AnalyticsMeasure },
  { username }: UsageScope,
  { start, end }: Period,
) => {
  const query = {
    start_timestamp: start,
    end_timestamp: end + 1,
    username,
    by,
    measure,
    compare: true,
    limit: TOP_SHOWN,
  }
  return queryOptions({
    queryKey: ['detail', 'report', query],
    queryFn: ({ signal }) => call(getAnalytics, { query, signal }),
    staleTime: USAGE_STALE_MS,
    placeholderData: keepPreviousData,
  })
}
