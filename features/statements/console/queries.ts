import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, callFile } from '#console/app/api/call.ts'
import { localTimeZone } from '#console/app/format/format.tsx'
import type { TimeSpan } from '#console/app/time/ranges.ts'
import { ANALYTICS_GROUPS_MAX, getAnalytics, getSelfAnalytics } from '#features/analytics/contract.ts'
import { exportFocus, exportSelfFocus } from '#features/focus-export/contract.ts'
import { getSelfStatement, getUserStatement, type Statement } from '../contract.ts'

/** Cost and usage of a period as FOCUS: of all users, or the reader's own. */
export const fetchFocus = (isOfAll: boolean, { start, end }: TimeSpan): Promise<Blob> =>
  callFile(isOfAll ? exportFocus : exportSelfFocus, {
    query: { start_timestamp: start, end_timestamp: end === 0 ? 0 : end + 1 },
  })

/** The statement of a period. `user` is empty for the reader's own. */
export const statementQuery = (user: string, { start, end }: TimeSpan) => {
  const query = {
    start_timestamp: start,
    // Spans of the console include their last second.
    end_timestamp: end === 0 ? 0 : end + 1,
    time_zone: localTimeZone(),
  }
  return queryOptions({
    queryKey: ['statement', user, query],
    queryFn: ({ signal }) =>
      user === ''
        ? call(getSelfStatement, { query, signal })
        : call(getUserStatement, { params: { id: Number(user) }, query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** The models of a statement's charges, with their figures. */
export const modelsQuery = ({ username, start_timestamp, end_timestamp }: Statement, isOfOther: boolean) => {
  const query = {
    start_timestamp,
    end_timestamp,
    time_zone: localTimeZone(),
    measure: 'revenue',
    limit: ANALYTICS_GROUPS_MAX,
  } as const
  return queryOptions({
    queryKey: ['statement', 'models', isOfOther ? username : '', query],
    queryFn: async ({ signal }) => {
      const { groups } = isOfOther
        ? await call(getAnalytics, { query: { ...query, username }, signal })
        : await call(getSelfAnalytics, { query, signal })
      return groups
    },
  })
}
