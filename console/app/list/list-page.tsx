import { type FetchQueryOptions, hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useEffectEvent } from 'react'
import { z } from 'zod'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { RefreshButton } from '../../ui/data/filter/filters.tsx'
import { Pagination } from '../../ui/data/pagination.tsx'
import {
  type ColumnChoice,
  type DataTableProps,
  DEFAULT_VIEW,
  type TableView,
} from '../../ui/data/table/column.ts'
import { DataTable } from '../../ui/data/table/data-table.tsx'
import { ViewButton } from '../../ui/data/table/view-button.tsx'
import { createStore, type Store, useStore } from '../../ui/store.ts'
import { useKitText } from '../../ui/text/kit-text.ts'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { useLanguage } from '../../ui/text/text.ts'
import { LoadError } from '../api/load-error.tsx'
import { useAppText } from '../app-text.ts'
import { formatNumber } from '../format/format.tsx'
import { readStoredJson, writeStoredJson } from '../preferences/local-store.ts'
import {
  type SearchParamsChange,
  type SearchParamsOf,
  useSearchParams,
  useSetSearchParams,
} from '../router/search-params.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { type CsvExport, exportCsv } from './csv.ts'
import { choosePageSize, usePageSize } from './list-search-params.ts'

interface LoadedList {
  readonly rows: readonly object[]
  /** Undefined while unknown. */
  readonly total: number | undefined
}

interface ListPageProps {
  readonly title: string
  /** Header buttons, the primary one last. */
  readonly actions?: ReactNode
  /** Shown below the header, for example a banner. */
  readonly notice?: ReactNode
  /** The filters, or the bulk actions while rows are selected. */
  readonly toolbar: ReactNode
  readonly url: PageParams
  /** The query of the current page. */
  readonly list: {
    readonly data: LoadedList | undefined
    readonly error: Error | null
    readonly isFetching: boolean
  }
  readonly onRefresh: () => void
  /** The table. Left out when the first load failed. */
  readonly children: ReactNode
}

/** A list page: header with the number of records, toolbar, load error with a retry, table and pagination. */
export function ListPage(props: ListPageProps) {
  const { title, actions, notice, toolbar, url, list, onRefresh, children } = props
  const language = useLanguage()
  const total = list.data?.total
  return (
    <>
      <PageHeader title={title} count={total === undefined ? undefined : formatNumber(total, language)}>
        {actions}
      </PageHeader>
      {notice}
      {toolbar}
      {list.error && <LoadError error={list.error} isBusy={list.isFetching} onRetry={onRefresh} />}
      {(list.data || !list.error) && children}
      <ListPagination url={url} list={list.data} />
    </>
  )
}

interface ListTableProps<Row extends object> extends Omit<DataTableProps<Row>, 'view'> {
  /** Name under which the columns and the density are stored. */
  readonly table: string
}

/** A table with the columns and the density that the user chose in `ListTools`. */
export function ListTable<Row extends object>({ table, ...props }: ListTableProps<Row>) {
  const [view] = useTableView(table)
  return <DataTable {...props} view={view} />
}

interface ListToolsProps<Row> {
  /** The name of the `ListTable`. */
  readonly table: string
  readonly columns: readonly ColumnChoice[]
  readonly isBusy: boolean
  readonly onRefresh: () => void
  readonly csv?: CsvExport<Row>
  /** Further tools of this list. */
  readonly children?: ReactNode
}

/** Tools at the end of the filter bar: refresh, CSV export, and the choice of columns and density. */
export function ListTools<Row>({ table, columns, isBusy, onRefresh, csv, children }: ListToolsProps<Row>) {
  const [view, setView] = useTableView(table)
  return (
    <>
      <RefreshButton isBusy={isBusy} onRefresh={onRefresh} />
      {csv && <IconButton label={csv.label} icon={Download} onClick={() => void exportCsv(csv)} />}
      {children}
      <ViewButton columns={columns} view={view} onChange={setView} />
    </>
  )
}

type ListSchema = z.ZodObject<{ p: z.ZodType<number>; size: z.ZodType<number | undefined> }>

export interface ListSearchParams<Schema extends z.ZodObject> {
  readonly search: SearchParamsOf<Schema>
  /** Counted from 1. */
  readonly page: number
  readonly size: number
  readonly setPage: (page: number) => void
  /** Returns to the first page and keeps the filters. The size applies to all lists. */
  readonly setSize: (size: number) => void
  /** Changes filters and returns to the first page. */
  readonly setFilter: (change: SearchParamsChange<Schema>) => void
  readonly set: ReturnType<typeof useSetSearchParams<Schema>>
}

/** Page, size and filters of a list, from the URL. `schema` includes `PageSearch`. */
export function useListSearchParams<Schema extends ListSchema>(schema: Schema): ListSearchParams<Schema> {
  const search = useSearchParams(schema)
  const set = useSetSearchParams(schema)
  const keptSize = usePageSize()
  const setPage = useCallback((page: number) => set(toChange({ p: page })), [set])
  const setSize = useCallback(
    (size: number) => {
      choosePageSize(size)
      set(toChange({ p: 1, size: undefined }))
    },
    [set],
  )
  const setFilter = useCallback(
    (change: SearchParamsChange<Schema>) => set({ ...change, ...toChange({ p: 1 }) }),
    [set],
  )
  return { search, page: search.p, size: search.size ?? keptSize, setPage, setSize, setFilter, set }
}

/** Every list schema has `p` and `size`, so a change of them is a change of that schema. */
const toChange = <Schema extends ListSchema>(change: {
  readonly p?: number
  readonly size?: number | undefined
}) => change as SearchParamsChange<Schema>

export interface PageParams {
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

interface ListPaginationProps {
  readonly url: PageParams
  readonly list: LoadedList | undefined
}

/** Pagination of a list that has rows. */
export function ListPagination({ url, list }: ListPaginationProps) {
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

const View = z.object({
  density: z.enum(['compact', 'comfortable']),
  hidden: z.array(z.string()),
  shown: z.array(z.string()),
})

const views = new Map<string, Store<TableView>>()

function viewStore(table: string): Store<TableView> {
  const known = views.get(table)
  if (known) return known
  const store = createStore<TableView>(View.safeParse(readStoredJson(`table-${table}`)).data ?? DEFAULT_VIEW)
  views.set(table, store)
  return store
}

/** Columns and density of one table, stored in this browser. `table` includes the role where columns differ by role. */
export function useTableView(table: string): readonly [TableView, (view: TableView) => void] {
  const store = viewStore(table)
  const change = (next: TableView) => {
    writeStoredJson(`table-${table}`, next)
    store.set(next)
  }
  return [useStore(store), change]
}
