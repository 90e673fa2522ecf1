import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, callFile } from '#console/app/api/call.ts'
import { localTimeZone } from '#console/app/format/format.tsx'
import type { TimeSpan } from '#console/app/time/ranges.ts'
import { ANALYTICS_GROUPS_MAX, getAnalytics, getSelfAnalytics } from '#features/analytics/contract.ts'
import { exportFocus, exportSelfFocus } from '#features/focus-export/contract.ts'
import { listTagKeys } from '#features/tags/contract.ts'
import {
  BILL_LINK_DAYS,
  type Bill,
  type BillLink,
  createSelfBillLink,
  createUserBillLink,
  getSelfBill,
  getSelfStatement,
  getUserBill,
  getUserStatement,
} from '../contract.ts'
import type { BILL_GROUPS } from './search-params.ts'

/** Cost and usage of a period as FOCUS: of all users, or the reader's own. */
export const fetchFocus = (isOfAll: boolean, { start, end }: TimeSpan): Promise<Blob> =>
  callFile(isOfAll ? exportFocus : exportSelfFocus, {
    query: { start_timestamp: start, end_timestamp: end === 0 ? 0 : end + 1 },
  })

const periodOf = ({ start, end }: TimeSpan) => ({
  start_timestamp: start,
  // Spans of the console include their last second.
  end_timestamp: end === 0 ? 0 : end + 1,
  time_zone: localTimeZone(),
})

/** The statement of a period. `user` is empty for the reader's own. */
export const statementQuery = (user: string, span: TimeSpan) => {
  const query = periodOf(span)
  return queryOptions({
    queryKey: ['statement', user, query],
    queryFn: ({ signal }) =>
      user === ''
        ? call(getSelfStatement, { query, signal })
        : call(getUserStatement, { params: { id: Number(user) }, query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** The bill of a period by model. `user` is empty for the reader's own. */
export const billQuery = (user: string, span: TimeSpan) => {
  const query = periodOf(span)
  return queryOptions({
    queryKey: ['statement', 'bill', user, query],
    queryFn: ({ signal }) =>
      user === ''
        ? call(getSelfBill, { query, signal })
        : call(getUserBill, { params: { id: Number(user) }, query, signal }),
    placeholderData: keepPreviousData,
  })
}

export interface BillGrouping {
  readonly by: (typeof BILL_GROUPS)[number]
  /** Of a tag; empty otherwise. */
  readonly key: string
}

/** What was used in the period of a bill by any group, and by the plan that paid. `user` is empty for the reader's own. */
export const groupsQuery = (
  user: string,
  { username, start_timestamp, end_timestamp }: Pick<Bill, 'username' | 'start_timestamp' | 'end_timestamp'>,
  { by, key }: BillGrouping,
) => {
  const query = {
    ...{ start_timestamp, end_timestamp, time_zone: localTimeZone(), by, tag_key: key },
    ...({ second: 'plan', measure: 'revenue', limit: ANALYTICS_GROUPS_MAX } as const),
  }
  return queryOptions({
    queryKey: ['statement', 'groups', user, query],
    queryFn: async ({ signal }) => {
      const { groups } =
        user === ''
          ? await call(getSelfAnalytics, { query, signal })
          : await call(getAnalytics, { query: { ...query, username }, signal })
      return groups
    },
  })
}

/** The keys of tags that are in use. */
export const tagKeysQuery = queryOptions({
  queryKey: ['statement', 'tag-keys'],
  queryFn: ({ signal }) => call(listTagKeys, { signal }),
})

/** A link to the bill of a month such as `2026-11`, for anybody. */
export const createLink = (user: string, month: string): Promise<BillLink> => {
  const body = { month, days: BILL_LINK_DAYS }
  return user === ''
    ? call(createSelfBillLink, { body })
    : call(createUserBillLink, { params: { id: Number(user) }, body })
}
