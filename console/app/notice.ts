import { queryOptions } from '@tanstack/react-query'
import { getNotice } from '#contract/status.ts'
import { createStore, useStore } from '../ui/create-store.ts'
import { call } from './call.ts'
import { readStored, writeStored } from './local-store.ts'

const NOTICE_FRESH_MS = 10 * 60_000

export const noticeQuery = queryOptions({
  queryKey: ['notice'],
  queryFn: ({ signal }) => call(getNotice, { signal }),
  staleTime: NOTICE_FRESH_MS,
})

const read = createStore(readStored('notice') ?? '')

/** Whether this text was not shown before. */
export const useIsNewNotice = (notice: string): boolean => useStore(read) !== notice && notice !== ''

export function markNoticeRead(notice: string): void {
  writeStored('notice', notice)
  read.set(notice)
}
