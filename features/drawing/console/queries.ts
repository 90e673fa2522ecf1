import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callWithMeta } from '#console/app/api/call.ts'
import type { TimeSpan } from '#console/app/time/ranges.ts'
import { type Drawing, listDrawings, listSelfDrawings } from '../contract.ts'
import { isRunning } from './drawing.ts'
import type { DrawingSearch } from './search-params.ts'

const RUNNING_POLL_MS = 5000
const MS = 1000

interface DrawingListPage {
  readonly rows: readonly Drawing[]
  readonly total: number
}

interface DrawingListQuery {
  readonly search: DrawingSearch
  readonly span: TimeSpan
  readonly size: number
  /** Administrators see the drawings of all users. */
  readonly isAdmin: boolean
}

/** One page of drawings, polled while any of them is running. The endpoint takes milliseconds. */
export const drawingsQuery = ({ search, span, size, isAdmin }: DrawingListQuery) => {
  const { p, mj_id, action, status, channel } = search
  const query = {
    p: p - 1,
    page_size: size,
    mj_id,
    action,
    status,
    start_timestamp: span.start * MS,
    end_timestamp: span.end * MS,
  }
  return queryOptions({
    queryKey: ['drawings', isAdmin, query, channel],
    queryFn: async ({ signal }): Promise<DrawingListPage> => {
      const response = isAdmin
        ? await callWithMeta(listDrawings, { query: { ...query, channel_id: Number(channel) }, signal })
        : await callWithMeta(listSelfDrawings, { query, signal })
      return { rows: response.data, total: response.meta.total }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.rows.some(isRunning) ? RUNNING_POLL_MS : false),
  })
}
