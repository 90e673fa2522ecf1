import { useQuery } from '@tanstack/react-query'
import { ListMusic } from 'lucide-react'
import { useCallback } from 'react'
import type { Task } from '#contract/tasks.ts'
import { LoadError } from '../../app/api/load-error.tsx'
import { formatNumber } from '../../app/format/format.tsx'
import { ListPagination, useListPages } from '../../app/list/list-pages.tsx'
import { useListSearchParams } from '../../app/list/list-search-params.ts'
import { useTableView } from '../../app/list/table-view.ts'
import { hasRole, useUser } from '../../app/session/session.ts'
import { useTimeRange } from '../../app/time/range-filter.tsx'
import { DataTable } from '../../ui/data/table/data-table.tsx'
import { EmptyState, NoResults } from '../../ui/feedback/feedback.tsx'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { useLanguage } from '../../ui/text/text.ts'
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
  const language = useLanguage()
  const url = useListSearchParams(TaskSearch)
  const { search, size, setFilter } = url
  const isAdmin = hasRole(useUser(), 'admin')
  const range = useTimeRange(search, 'today')
  const queryOf = (p: number) => tasksQuery({ search: { ...search, p }, span: range.span, size, isAdmin })
  const list = useQuery(queryOf(url.page))
  const { rows, total } = list.data ?? {}
  const [view, setView] = useTableView(isAdmin ? 'tasks-admin' : 'tasks')
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
    <>
      <PageHeader
        title={t('title')}
        count={total === undefined ? undefined : formatNumber(total, language)}
      />
      <TaskFilters
        url={url}
        range={range}
        isAdmin={isAdmin}
        columns={columns}
        view={view}
        onView={setView}
        isBusy={list.isFetching}
        onRefresh={refresh}
      />
      {list.error && <LoadError error={list.error} isBusy={list.isFetching} onRetry={refresh} />}
      {(rows || !list.error) && (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={rows}
          rowId={rowId}
          rowName={rowName}
          card={card}
          view={view}
          isRefreshing={list.isFetching && list.isPlaceholderData}
          empty={empty}
        />
      )}
      <ListPagination url={url} list={list.data} />
    </>
  )
}
