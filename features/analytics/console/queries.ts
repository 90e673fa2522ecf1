import { queryOptions } from '@tanstack/react-query'
import { call, callFile } from '#console/app/api/call.ts'
import { listTagKeys } from '#features/tags/contract.ts'
import {
  type AnalyticsReport,
  exportAnalytics,
  exportSelfAnalytics,
  getAnalytics,
  getSelfAnalytics,
  type OwnAnalyticsReport,
} from '../contract.ts'

export type Report = AnalyticsReport | OwnAnalyticsReport

/** The query of both roles; the console offers users only what they may ask for. */
export interface ReportQuery {
  readonly isAdmin: boolean
  readonly query: Readonly<Record<string, string | number>>
}

const STALE_MS = 30_000

const isOfSameKind = (key: readonly unknown[] | undefined, query: ReportQuery['query']): boolean => {
  const former = key?.at(-1)
  return ['by', 'second', 'measure', 'tag_key'].every(
    name => typeof former === 'object' && former !== null && Reflect.get(former, name) === query[name],
  )
}

export const reportQuery = ({ isAdmin, query }: ReportQuery) =>
  queryOptions<Report>({
    queryKey: ['detail', 'analytics', isAdmin, query],
    queryFn: ({ signal }) =>
      isAdmin ? call(getAnalytics, { query, signal }) : call(getSelfAnalytics, { query, signal }),
    staleTime: STALE_MS,
    // Rows of other dimensions would be read under the wrong headings.
    placeholderData: (previous, former) => (isOfSameKind(former?.queryKey, query) ? previous : undefined),
  })

/** The keys of tags that are in use, for dimensions. */
export const tagKeysQuery = queryOptions({
  queryKey: ['detail', 'tag-keys'],
  queryFn: ({ signal }) => call(listTagKeys, { signal }),
  staleTime: STALE_MS,
})

export const fetchCsv = ({ isAdmin, query }: ReportQuery): Promise<Blob> =>
  isAdmin ? callFile(exportAnalytics, { query }) : callFile(exportSelfAnalytics, { query })
