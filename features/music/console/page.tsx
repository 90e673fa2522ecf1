import { useQuery } from '@tanstack/react-query'
import { ListMusic } from 'lucide-react'
import { useCallback } from 'react'
import { useListSearchParams } from '#console/app/list/list-page.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { TaskListPage } from '#console/app/task-list/task-page.tsx'
import { useTimeRange } from '#console/app/time/range-filter.tsx'
import { Facet } from '#console/ui/data/filter/filters.tsx'
import { TASK_PLATFORMS, type Task } from '../contract.ts'
import { useTaskTable } from './columns.tsx'
import { tasksQuery } from './queries.ts'
import { TaskSearch } from './search-params.ts'
import { ACTIONS, STATUSES, statusBadge } from './task.ts'
import { useScreenText } from './text.ts'

const NO_FILTERS = { task_id: '', channel: '', platform: '', action: '', status: '' } as const
const rowName = (task: Task): string => task.task_id || `#${task.id}`

export function TasksPage() {
  const t = useScreenText()
  const url = useListSearchParams(TaskSearch)
  const { search, size, setFilter } = url
  const isAdmin = hasRole(useUser(), 'admin')
  const range = useTimeRange(search, 'today')
  const queryOf = (p: number) => tasksQuery({ search: { ...search, p }, span: range.span, size, isAdmin })
  const list = useQuery(queryOf(url.page))
  const table = useTaskTable(isAdmin)
  const searchId = useCallback((task_id: string) => setFilter({ task_id }), [setFilter])
  return (
    <TaskListPage
      {...{ t, url, range, list, queryOf, isAdmin, rowName }}
      {...table}
      icon={ListMusic}
      id={search.task_id}
      onId={searchId}
      actions={ACTIONS.map(value => ({ value, label: t(value) }))}
      statuses={STATUSES.map(value => ({ value, label: t(statusBadge(value)[0]) }))}
      filter={
        <Facet
          label={t('platform')}
          options={TASK_PLATFORMS.map(value => ({ value, label: t(value) }))}
          value={search.platform}
          onChange={platform => setFilter({ platform })}
        />
      }
      isFiltered={search.platform !== ''}
      onClear={() => setFilter(NO_FILTERS)}
      table={isAdmin ? 'tasks-admin' : 'tasks'}
    />
  )
}
