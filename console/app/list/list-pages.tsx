import { type FetchQueryOptions, hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent } from 'react'
import { Pagination } from '../../ui/data/pagination.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { useAppText } from '../app-text.ts'
import { useShortcut } from '../shell/shortcuts.ts'

interface PagesUrl {
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  readonly setSize: (size: number) => void
}

interface ListPages<Data, Key extends QueryKey> {
  readonly url: PagesUrl
  /** Undefined while it is not known. */
  readonly total: number | undefined
  /** What stands is the page before, until the wanted one has come. */
  readonly isPlaceholder: boolean
  /** The query of a page; counts from 1. */
  readonly queryOf: (page: number) => FetchQueryOptions<Data, Error, Data, Key>
  readonly onRefresh: () => void
  readonly onNew: () => void
}

/** The keys of a list, its next page ahead of the reader, and its way back when the rows of the last page are gone. */
export function useListPages<Data, Key extends QueryKey>(list: ListPages<Data, Key>): void {
  const { url, total, isPlaceholder, queryOf, onRefresh, onNew } = list
  const { page, size, setPage } = url
  const hasNext = total !== undefined && page * size < total
  useListShortcuts({ page, hasNext, onPage: setPage, onRefresh, onNew })
  useNextPage(hasNext && !isPlaceholder ? queryOf(page + 1) : undefined)
  useLastPage({ page, size, setPage, total })
}

interface ListPagerProps {
  readonly url: PagesUrl
  readonly list: { readonly rows: readonly object[]; readonly total: number | undefined } | undefined
}

/** The pages of a list that has rows. */
export function ListPager({ url, list }: ListPagerProps) {
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
  /** Undefined while it is not known. */
  readonly total: number | undefined
}

/** Goes to the last page when the one asked for has no rows any more. */
export function useLastPage({ page, size, setPage, total }: Pages): void {
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

/** The keys of every list: `n` new, `r` refresh, `[` and `]` page. */
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

/** Fetches the page that follows, once the one before it stands. `next` is absent where none follows. */
export function useNextPage<Data, Key extends QueryKey>(
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
