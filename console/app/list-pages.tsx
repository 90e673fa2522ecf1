import { useEffect } from 'react'
import { Pagination } from '../ui/pagination.tsx'
import { useListShortcuts } from './list-shortcuts.ts'

interface PagesUrl {
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  readonly setSize: (size: number) => void
}

interface ListPages {
  readonly url: PagesUrl
  /** Undefined while it is not known. */
  readonly total: number | undefined
  readonly onRefresh: () => void
  readonly onNew: () => void
}

/** The keys of a list, and its way back when the rows of the last page are gone. Says whether a page follows. */
export function useListPages({ url, total, onRefresh, onNew }: ListPages): boolean {
  const { page, size, setPage } = url
  const hasNext = total !== undefined && page * size < total
  useListShortcuts({ page, hasNext, onPage: setPage, onRefresh, onNew })
  const last = total === undefined ? page : Math.max(Math.ceil(total / size), 1)
  useEffect(() => {
    if (page > last) setPage(last)
  }, [page, last, setPage])
  return hasNext
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
