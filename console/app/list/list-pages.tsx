import { type FetchQueryOptions, hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent } from 'react'
import { Pagination } from '../../ui/data/pagination.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { useAppText } from '../app-text.ts'
import { useShortcut } from '../shell/shortcuts.ts'

interface PageParams {
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  readonly setSize: (size: number) => void
}

interface ListPages<Data, Key extends QueryKey> {
  readonly url: PageParams
  /** Undefined while unknown. */
  readonly total: number | undefined
  /** The previous page is still shown while the requested one loads. */
  readonly isPlaceholder: boolean
  /** The query of a page, counted from 1. */
  readonly queryOf: (page: number) => FetchQueryOptions<Data, Error, Data, Key>
  readonly onRefresh: () => void
  readonly onNew: () => void
}

/** Paging of a list: shortcuts, prefetching the next page, and moving back when the last page became empty. */
export function useListPages<Data, Key extends QueryKey>(list: ListPages<Data, Key>): void {
  const { url, total, isPlaceholder, queryOf, onRefresh, onNew } = list
  const { page, size, setPage } = url
  const hasNext = total !== undefined && page * size < total
  useListShortcuts({ page, hasNext, onPage: setPage, onRefresh, onNew })
  usePrefetchedPage(hasNext && !isPlaceholder ? queryOf(page + 1) : undefined)
  useClampedPage({ page, size, setPage, total })
}

interface ListPagerProps {
  readonly url: PageParams
  readonly list: { readonly rows: readonly object[]; readonly total: number | undefined } | undefined
}

/** Pagination of a list that has rows. */
export function ListPagination({ url, list }: ListPagerProps) {
  const { page, size, setPage, setSize } = url
  if (!list || list.rows.length === 0) return null
  return (
    <Pagination
      page={page}
      size={size}
      total={list.total}
      shown={list.rows.length}
      onPage={setPage}
      onSize={setSize}
    />
  )
}

interface Pages {
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  /** Undefined while unknown. */
  readonly total: number | undefined
}

/** Moves to the last page when the requested page is beyond it. */
export function useClampedPage({ page, size, setPage, total }: Pages): void {
  const last = total === undefined ? page : Math.max(Math.ceil(total / size), 1)
  useEffect(() => {
    if (page > last) setPage(last)
  }, [page, last, setPage])
}

interface ListKeys {
  readonly page: number
  readonly hasNext: boolean
  readonly onPage: (page: number) => void
  readonly onRefresh: () => void
  readonly onNew: () => void
}

/** Shortcuts of every list: `n` new, `r` refresh, `[` and `]` previous and next page. */
function useListShortcuts({ page, hasNext, onPage, onRefresh, onNew }: ListKeys): void {
  const t = useAppText()
  const k = useKitText()
  const previous = useCallback(() => page > 1 && onPage(page - 1), [page, onPage])
  const next = useCallback(() => hasNext && onPage(page + 1), [page, hasNext, onPage])
  useShortcut('n', t('newRecord'), onNew)
  useShortcut('r', t('refreshPage'), onRefresh)
  useShortcut('[', k('previousPage'), previous)
  useShortcut(']', k('nextPage'), next)
}

/** Prefetches the next page once the current one has loaded. `next` is undefined on the last page. */
export function usePrefetchedPage<Data, Key extends QueryKey>(
  next: FetchQueryOptions<Data, Error, Data, Key> | undefined,
): void {
  const client = useQueryClient()
  const fetch = useEffectEvent(() => {
    if (next) void client.prefetchQuery(next)
  })
  const key = next && hashKey(next.queryKey)
  useEffect(() => {
    if (key !== undefined) fetch()
  }, [key])
}
