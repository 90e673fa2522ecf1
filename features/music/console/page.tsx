import { useQuery } from '@tanstack/react-query'
import { ListMusic } from 'lucide-react'
import { useCallback } from 'react'
import { ListPage, ListTable, useListPages, useListSearchParams } from '#console/app/list/list-page.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { useTimeRange } from '#console/app/time/range-filter.tsx'
import { EmptyState, NoResults } from '#console/ui/feedback/feedback.tsx'
import type { Task } from '../contract.ts'
import { useTaskCard, useTaskColumns } from './columns.tsx'
import { NO_FILTERS, TaskFilters } from './filters.tsx'
import { tasksQuery } from './queries.ts'
import { TaskSearch } from './search-params.ts'
import { useScreenText } from './text.ts'

/** Tasks are created through the API only: the shortcut for a new record does nothing. */
const noNewRow = (): void => undefined
const rowId = (task: Task): string => String(task.id)
const rowName = (task: Task): string => task.task_id || `#${task.id}`

export function TasksPage() {
  const t = useScreenText()
  const url = useListSearchParams(TaskSearch)
  const { search, size, setFilter } = url
  const isAdmin = hasRole(useUser(), 'admin')
  const range = useTimeRange(search, 'today')
  const queryOf = (p: number) => tasksQuery({ search: { ...search, p }, span: range.span, size, isAdmin })
  const list = useQuery(queryOf(url.page))
  const { rows, total } = list.data ?? {}
  const table = isAdmin ? 'tasks-admin' : 'tasks'
  const columns = useTaskColumns(isAdmin)
  const card = useTaskCard()
  const refresh = useCallback(() => {
    range.refresh()
    void list.refetch()
  }, [range.refresh, list.refetch])
  const isPlaceholder = list.isPlaceholderData
  useListPages({ url, total, isPlaceholder, queryOf, onRefresh: refresh, onNew: noNewRow })
  const { task_id, channel, platform, action, status } = search
  const isFiltered = [task_id, channel, platform, action, status].some(value => value !== '')
  const empty = isFiltered ? (
    <NoResults
      title={t('noneFoundTitle')}
      text={t('noneFoundText')}
      clear={t('clear')}
      onClear={() => setFilter(NO_FILTERS)}
    />
  ) : (
    <EmptyState icon={ListMusic} title={t('emptyTitle')} text={t('emptyText')} />
  )
  return (
    <ListPage
      title={t('title')}
      toolbar={
        <TaskFilters
          url={url}
          range={range}
          isAdmin={isAdmin}
          columns={columns}
          table={table}
          isBusy={list.isFetching}
          onRefresh={refresh}
        />
      }
      url={url}
      list={list}
      onRefresh={refresh}
    >
      <ListTable
        table={table}
        label={t('title')}
        columns={columns}
        rows={rows}
        rowId={rowId}
        rowName={rowName}
        card={card}
        isRefreshing={list.isFetching && list.isPlaceholderData}
        empty={empty}
      />
    </ListPage>
  )
}
