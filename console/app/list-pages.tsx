import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query'
import { Pagination } from '../ui/pagination.tsx'
import { useLastPage } from './last-page.ts'
import { useListShortcuts } from './list-shortcuts.ts'
import { useNextPage } from './use-next-page.ts'

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
