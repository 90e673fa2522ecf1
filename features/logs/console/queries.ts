import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, callFile } from '#console/app/api/call.ts'
import { formatDateTime, localTimeZone } from '#console/app/format/format.tsx'
import type { FoundRecord } from '#console/app/router/define-screen.ts'
import { currentUser, hasRole } from '#console/app/session/session.ts'
import { getUser } from '#contract/entities/user.ts'
import { listLogErrors, listSelfLogErrors } from '../contract/log-errors.ts'
import * as exporting from '../contract/log-export.ts'
import type { LogFilters as AllFilters } from '../contract/log-filters.ts'
import * as endpoints from '../contract/logs.ts'

export type LogFilters = Pick<AllFilters, 'start_timestamp' | 'end_timestamp'> & Partial<AllFilters>

export interface LogView {
  /** Administrators see the entries of all users. */
  readonly isAdmin: boolean
  readonly filters: LogFilters
  /** The polling interval of a live log; false otherwise. */
  readonly pollMs: number | false
}

const CLOSED_RANGE_STALE_MS = 5 * 60_000
const EXPORT_TIMEOUT_MS = 10 * 60_000

/** A range that ends now is always stale; a range in the past hardly changes. */
const viewOptions = ({ filters, pollMs }: LogView) => ({
  placeholderData: keepPreviousData,
  staleTime: filters.end_timestamp === 0 ? 0 : CLOSED_RANGE_STALE_MS,
  refetchInterval: pollMs,
})

/** One page of entries; `page` counts from 1. */
export const rowsQuery = (view: LogView, page: number, size: number) =>
  queryOptions({
    queryKey: ['log', 'rows', view.isAdmin, view.filters, page, size],
    queryFn: ({ signal }) => {
      const query = { ...view.filters, p: page, page_size: size }
      return view.isAdmin
        ? call(endpoints.listLogs, { query, signal })
        : call(endpoints.listSelfLogs, { query, signal })
    },
    ...viewOptions(view),
  })

export const statQuery = (view: LogView) =>
  queryOptions({
    queryKey: ['log', 'stat', view.isAdmin, view.filters],
    queryFn: ({ signal }) =>
      view.isAdmin
        ? call(endpoints.getLogStat, { query: view.filters, signal })
        : call(endpoints.getSelfLogStat, { query: view.filters, signal }),
    ...viewOptions(view),
  })

export const histogramQuery = (view: LogView, split: 'outcome' | 'model') =>
  queryOptions({
    queryKey: ['log', 'histogram', view.isAdmin, view.filters, split],
    queryFn: ({ signal }) => {
      const query = { ...view.filters, split, time_zone: localTimeZone() }
      return view.isAdmin
        ? call(endpoints.getLogHistogram, { query, signal })
        : call(endpoints.getSelfLogHistogram, { query, signal })
    },
    ...viewOptions(view),
  })

/** The values of each filter with their counts. A live log does not poll them. */
export const facetsQuery = (view: LogView) =>
  queryOptions({
    queryKey: ['log', 'facets', view.isAdmin, view.filters],
    queryFn: ({ signal }) =>
      view.isAdmin
        ? call(endpoints.getLogFacets, { query: view.filters, signal })
        : call(endpoints.getSelfLogFacets, { query: view.filters, signal }),
    ...viewOptions({ ...view, pollMs: false }),
  })

/** The failed requests by status and code. */
export const errorsQuery = (view: LogView) =>
  queryOptions({
    queryKey: ['log', 'errors', view.isAdmin, view.filters],
    queryFn: ({ signal }) =>
      view.isAdmin
        ? call(listLogErrors, { query: view.filters, signal })
        : call(listSelfLogErrors, { query: view.filters, signal }),
    ...viewOptions(view),
  })

export const rowQuery = (isAdmin: boolean, id: number) =>
  queryOptions({
    queryKey: ['log', 'row', isAdmin, id],
    queryFn: ({ signal }) =>
      isAdmin
        ? call(endpoints.getLog, { params: { id }, signal })
        : call(endpoints.getSelfLog, { params: { id }, signal }),
    staleTime: CLOSED_RANGE_STALE_MS,
  })

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['log', 'user', id],
    queryFn: ({ signal }) => call(getUser, { params: { id }, signal }),
  })

const fileLayout = () => ({ layout: 'plain', time_zone: localTimeZone() }) as const

/** The matching entries as a CSV file for people. */
export const fetchCsv = ({ isAdmin, filters }: LogView): Promise<Blob> =>
  isAdmin
    ? callFile(exporting.exportLogs, { query: { ...filters, ...fileLayout() }, timeoutMs: EXPORT_TIMEOUT_MS })
    : callFile(exporting.exportSelfLogs, {
        query: { ...filters, ...fileLayout() },
        timeoutMs: EXPORT_TIMEOUT_MS,
      })

const REQUEST_ID = /^[\w-]{16,}$/

/** The entry of a request id that was pasted into the global search. */
export async function findLogs(typed: string, signal: AbortSignal): Promise<readonly FoundRecord[]> {
  if (!REQUEST_ID.test(typed)) return []
  const query = { request_id: typed, p: 1 }
  const { items } = hasRole(currentUser(), 'admin')
    ? await call(endpoints.listLogs, { query, signal })
    : await call(endpoints.listSelfLogs, { query, signal })
  return items.map(({ id, created_at, model_name }) => ({
    name: `${formatDateTime(created_at)} ${model_name}`,
    detail: `#${id}`,
    href: `/log?row=${id}`,
  }))
}
