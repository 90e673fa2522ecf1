import { useQuery } from '@tanstack/react-query'
import { ListMusic } from 'lucide-react'
import { useCallback } from 'react'
import type { Task } from '#contract/tasks.ts'
import { ListPager, useListPages } from '../../app/list-pages.tsx'
import { useListUrl } from '../../app/list-url.ts'
import { LoadError } from '../../app/load-error.tsx'
import { formatNumber } from '../../app/money.ts'
import { useSearchedRange } from '../../app/searched-range.ts'
import { mayAct, useUser } from '../../app/session.ts'
import { useTableView } from '../../app/table-state.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { NoneFound } from '../../ui/none-found.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useLanguage, useText } from '../../ui/text.ts'
import { tasksQuery } from './queries.ts'
import { TaskSearch } from './search.ts'
import { useTaskCard, useTaskColumns } from './task-columns.tsx'
import { NO_FILTERS, TaskFilters } from './task-filters.tsx'
import { text } from './text.ts'

const nothing = (): void => undefined
const idOf = (task: Task): string => String(task.id)
const nameOf = (task: Task): string => task.task_id || `#${task.id}`

export function TaskScreen() {
  const t = useText(text)
  const language = useLanguage()
  const url = useListUrl(TaskSearch)
  const { search, size, setFilter } = url
  const isAdmin = mayAct(useUser(), 'admin')
  const range = useSearchedRange(search, 'today')
  const queryOf = (p: number) => tasksQuery({ search: { ...search, p }, span: range.span, size, isAdmin })
  const list = useQuery(queryOf(url.page))
  const { rows, total } = list.data ?? {}
  const [view, setView] = useTableView(isAdmin ? 'tasks-admin' : 'tasks')
  const columns = useTaskColumns(isAdmin)
  const card = useTaskCard()
  const refresh = useCallback(() => {
    range.renew()
    void list.refetch()
  }, [range.renew, list.refetch])
  const isPlaceholder = list.isPlaceholderData
  useListPages({ url, total, isPlaceholder, queryOf, onRefresh: refresh, onNew: nothing })
  const { task_id, channel, platform, action, status } = search
  const isFiltered = [task_id, channel, platform, action, status].some(value => value !== '')
  const empty = isFiltered ? (
    <NoneFound
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
          rowId={idOf}
          rowName={nameOf}
          card={card}
          view={view}
          isRefreshing={list.isFetching && list.isPlaceholderData}
          empty={empty}
        />
      )}
      <ListPager url={url} list={list.data} />
    </>
  )
}
