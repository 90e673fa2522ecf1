import type { FetchQueryOptions, QueryKey, UseQueryResult } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useCallback } from 'react'
import { Facet, FilterBar, SearchBox } from '../../ui/data/filter/filters.tsx'
import type { Column, RowCard } from '../../ui/data/table/column.ts'
import { EmptyState, NoResults } from '../../ui/feedback/feedback.tsx'
import { ListPage, ListTable, ListTools, type PageParams, useListPages } from '../list/list-page.tsx'
import { RangeFilter, type TimeRange } from '../time/range-filter.tsx'
import type { RangeChange } from '../time/ranges.ts'
import type { TaskRow } from './task-columns.tsx'
import type { TaskTranslate } from './text.ts'

interface TaskPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

interface TaskFilters {
  readonly channel?: string
  readonly action?: string
  readonly status?: string
}

type Options = ReadonlyArray<{ readonly value: string; readonly label: string }>

interface TaskListPageProps<Row extends TaskRow, Key extends QueryKey> {
  readonly t: TaskTranslate
  readonly icon: LucideIcon
  readonly url: PageParams & {
    readonly search: Required<TaskFilters>
    readonly setFilter: (change: Partial<RangeChange> & TaskFilters) => void
  }
  readonly range: TimeRange
  readonly list: UseQueryResult<TaskPage<Row>>
  /** The query of a page, counted from 1. */
  readonly queryOf: (page: number) => FetchQueryOptions<TaskPage<Row>, Error, TaskPage<Row>, Key>
  /** The task id that is searched for. */
  readonly id: string
  readonly onId: (id: string) => void
  readonly actions: Options
  readonly statuses: Options
  /** A filter before the others, and whether it is in use. */
  readonly filter?: ReactNode
  readonly isFiltered?: boolean
  readonly onClear: () => void
  readonly isAdmin: boolean
  /** Name under which columns and density are stored. */
  readonly table: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly card: RowCard<Row>
  readonly rowName: (row: Row) => string
  readonly notice?: ReactNode
  readonly tools?: ReactNode
  /** Shown in place of the table. */
  readonly children?: ReactNode
}

/** Tasks are created through the API only: the shortcut for a new record does nothing. */
const noNewRow = (): void => undefined
const rowId = ({ id }: TaskRow): string => String(id)

/** The tasks of a provider in a range of time, with filters. Administrators see those of all users. */
export function TaskListPage<Row extends TaskRow, Key extends QueryKey>(props: TaskListPageProps<Row, Key>) {
  const { t, icon, url, range, list, queryOf, id, isFiltered = false, onClear, table, columns } = props
  const refresh = useCallback(() => {
    range.refresh()
    void list.refetch()
  }, [range.refresh, list.refetch])
  const { data, isPlaceholderData: isPlaceholder } = list
  useListPages({ url, total: data?.total, isPlaceholder, queryOf, onRefresh: refresh, onNew: noNewRow })
  const { channel, action, status } = url.search
  const active = [channel, action, status].filter(value => value !== '').length + Number(isFiltered)
  const toolbar = (
    <FilterBar
      search={
        <>
          <RangeFilter {...range} onChange={url.setFilter} />
          <SearchBox isMain isMono label={t('searchId')} value={id} onSearch={props.onId} />
        </>
      }
      active={active}
      onClear={onClear}
      tools={
        <ListTools table={table} columns={columns} isBusy={list.isFetching} onRefresh={refresh}>
          {props.tools}
        </ListTools>
      }
    >
      {props.filter}
      <TaskFacets {...props} />
    </FilterBar>
  )
  const empty =
    active > 0 || id !== '' ? (
      <NoResults title={t('noneFoundTitle')} text={t('noneFoundText')} clear={t('clear')} onClear={onClear} />
    ) : (
      <EmptyState icon={icon} title={t('emptyTitle')} text={t('emptyText')} />
    )
  return (
    <ListPage
      title={t('title')}
      notice={props.notice}
      toolbar={toolbar}
      url={url}
      list={list}
      onRefresh={refresh}
    >
      {props.children ?? (
        <ListTable
          table={table}
          label={t('title')}
          columns={columns}
          rows={data?.rows}
          rowId={rowId}
          rowName={props.rowName}
          card={props.card}
          isRefreshing={list.isFetching && isPlaceholder}
          empty={empty}
        />
      )}
    </ListPage>
  )
}

type TaskFacetsProps = Pick<TaskListPageProps<never, never>, 't' | 'url' | 'actions' | 'statuses' | 'isAdmin'>

function TaskFacets({ t, url: { search, setFilter }, actions, statuses, isAdmin }: TaskFacetsProps) {
  const facets = [
    { name: 'action', options: actions, onChange: (action: string) => setFilter({ action }) },
    { name: 'status', options: statuses, onChange: (status: string) => setFilter({ status }) },
    { name: 'channel', options: [], onChange: (channel: string) => setFilter({ channel }) },
  ] as const
  return facets
    .filter(({ name }) => isAdmin || name !== 'channel')
    .map(({ name, ...facet }) => (
      <Facet key={name} isFree={name === 'channel'} label={t(name)} value={search[name]} {...facet} />
    ))
}
