import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, callFile } from '#console/app/api/call.ts'
import type { TimeSpan } from '#console/app/time/ranges.ts'
import { type AuditFilter, exportAuditLog, listAuditLog } from '../contract/audit-log.ts'
import type { AuditSearch } from './search-params.ts'

const EXPORT_TIMEOUT_MS = 300_000

/** The history of one record is whole, whatever the time range. */
export function toFilter(search: AuditSearch, span: TimeSpan): AuditFilter {
  const { search: text, actor, kind, action } = search
  const target = kind === '' ? '' : search.target
  const { start, end } = target === '' ? span : { start: 0, end: 0 }
  return { search: text, actor, kind, target, action, start_timestamp: start, end_timestamp: end }
}

/** One page of rows, counted from 1. */
export const auditRowsQuery = (filter: AuditFilter, p: number, size: number) =>
  queryOptions({
    queryKey: ['audit-log', filter, p, size],
    queryFn: async ({ signal }) => {
      const { items: rows, total } = await call(listAuditLog, {
        query: { ...filter, p, page_size: size },
        signal,
      })
      return { rows, total }
    },
    placeholderData: keepPreviousData,
  })

/** All matching rows as a CSV file. */
export const fetchCsv = (query: AuditFilter): Promise<Blob> =>
  callFile(exportAuditLog, { query, timeoutMs: EXPORT_TIMEOUT_MS })
