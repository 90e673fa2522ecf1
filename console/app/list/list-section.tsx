import { type ReactNode, useState } from 'react'
import type { DataTableProps } from '../../ui/data/table/column.ts'
import { DataTable } from '../../ui/data/table/data-table.tsx'
import { LoadError } from '../api/load-error.tsx'
import { ListPagination } from './list-page.tsx'
import { choosePageSize, usePageSize } from './list-search-params.ts'

interface Pages {
  /** Counted from 1. */
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  readonly setSize: (size: number) => void
}

/** Page and size of a list that is one section of a page, and not in its address. */
export function usePages(): Pages {
  const [page, setPage] = useState(1)
  const setSize = (size: number) => {
    choosePageSize(size)
    setPage(1)
  }
  return { page, size: usePageSize(), setPage, setSize }
}

interface ListSectionProps<Row extends object> extends Omit<DataTableProps<Row>, 'rows' | 'isRefreshing'> {
  readonly heading: ReactNode
  readonly pages: Pages
  readonly query: {
    readonly data: { readonly items: readonly Row[]; readonly total: number } | undefined
    readonly error: Error | null
    readonly isFetching: boolean
    readonly isPlaceholderData: boolean
    refetch(): Promise<unknown>
  }
}

/** A list with a heading, below other parts of its page: load error with a retry, table and pagination. */
export function ListSection<Row extends object>(props: ListSectionProps<Row>) {
  const { heading, pages, query, ...table } = props
  const { data, error, isFetching, isPlaceholderData, refetch } = query
  const hasMore = data && data.total > data.items.length
  return (
    <section aria-label={table.label} className="grid grid-cols-1 gap-3">
      {heading}
      {error && <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {(data || !error) && (
        <DataTable {...table} rows={data?.items} skeletonRows={3} isRefreshing={isPlaceholderData} />
      )}
      {hasMore && <ListPagination url={pages} list={{ rows: data.items, total: data.total }} />}
    </section>
  )
}
