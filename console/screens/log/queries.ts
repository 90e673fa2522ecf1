import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { LogFilters as AllFilters } from '#contract/logs/log-filters.ts'
import * as calls from '#contract/logs/logs.ts'
import { getUser } from '#contract/accounts/users.ts'
import { call, callFile } from '../../app/api/call.ts'
import { utcOffsetMinutes } from '../../app/time/time.tsx'

export type LogFilters = Pick<AllFilters, 'start_timestamp' | 'end_timestamp'> & Partial<AllFilters>

export interface LogView {
  /** Administrators see everybody's rows. */
  readonly isAdmin: boolean
  readonly filters: LogFilters
  /** Milliseconds between two looks while the tail is followed; false otherwise. */
  readonly pollMs: number | false
}

const CLOSED_RANGE_STALE_MS = 5 * 60_000
const EXPORT_TIMEOUT_MS = 10 * 60_000

/** A range that ends now is never fresh; one that is over hardly changes. */
const viewOptions = ({ filters, pollMs }: LogView) => ({
  placeholderData: keepPreviousData,
  staleTime: filters.end_timestamp === 0 ? 0 : CLOSED_RANGE_STALE_MS,
  refetchInterval: pollMs,
})

export const rowsQuery = (view: LogView, page: number, size: number) =>
  queryOptions({
    queryKey: ['log', 'rows', view.isAdmin, view.filters, page, size],
    queryFn: ({ signal }) => {
      const query = { ...view.filters, p: page, page_size: size }
      return view.isAdmin
        ? call(calls.listLogs, { query, signal })
        : call(calls.listSelfLogs, { query, signal })
    },
    ...viewOptions(view),
  })

export const statQuery = (view: LogView) =>
  queryOptions({
    queryKey: ['log', 'stat', view.isAdmin, view.filters],
    queryFn: ({ signal }) =>
      view.isAdmin
        ? call(calls.getLogStat, { query: view.filters, signal })
        : call(calls.getSelfLogStat, { query: view.filters, signal }),
    ...viewOptions(view),
  })

export const histogramQuery = (view: LogView, split: 'outcome' | 'model') =>
  queryOptions({
    queryKey: ['log', 'histogram', view.isAdmin, view.filters, split],
    queryFn: ({ signal }) => {
      const query = { ...view.filters, split, utc_offset_minutes: utcOffsetMinutes() }
      return view.isAdmin
        ? call(calls.getLogHistogram, { query, signal })
        : call(calls.getSelfLogHistogram, { query, signal })
    },
    ...viewOptions(view),
  })

export const facetsQuery = (view: LogView) =>
  queryOptions({
    queryKey: ['log', 'facets', view.isAdmin, view.filters],
    queryFn: ({ signal }) =>
      view.isAdmin
        ? call(calls.getLogFacets, { query: view.filters, signal })
        : call(calls.getSelfLogFacets, { query: view.filters, signal }),
    ...viewOptions({ ...view, pollMs: false }),
  })

export const rowQuery = (isAdmin: boolean, id: number) =>
  queryOptions({
    queryKey: ['log', 'row', isAdmin, id],
    queryFn: ({ signal }) =>
      isAdmin
        ? call(calls.getLog, { params: { id }, signal })
        : call(calls.getSelfLog, { params: { id }, signal }),
    staleTime: CLOSED_RANGE_STALE_MS,
  })

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['log', 'user', id],
    queryFn: ({ signal }) => call(getUser, { params: { id }, signal }),
  })

/** The rows that match as a CSV file. */
export const fetchCsv = ({ isAdmin, filters }: LogView): Promise<Blob> =>
  isAdmin
    ? callFile(calls.exportLogs, { query: filters, timeoutMs: EXPORT_TIMEOUT_MS })
    : callFile(calls.exportSelfLogs, { query: filters, timeoutMs: EXPORT_TIMEOUT_MS })
