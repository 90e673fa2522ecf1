import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listSelfTasks, listTasks, type Task } from '#contract/tasks.ts'
import { callWhole } from '../../app/api/call.ts'
import type { Span } from '../../app/time/ranges.ts'
import type { TaskSearch } from './search-params.ts'
import { isRunning } from './task.ts'

const RUNNING_EVERY_MS = 5000

export interface TaskListPage {
  readonly rows: readonly Task[]
  readonly total: number
}

interface TaskListQuery {
  readonly search: TaskSearch
  readonly span: Span
  readonly size: number
  /** Administrators see everybody's. */
  readonly isAdmin: boolean
}

/** One page of tasks; asked again while one of them runs. */
export const tasksQuery = ({ search, span, size, isAdmin }: TaskListQuery) => {
  const { p, task_id, platform, action, status, channel } = search
  const query = {
    p: p - 1,
    page_size: size,
    task_id,
    platform,
    action,
    status,
    start_timestamp: span.start,
    end_timestamp: span.end,
  }
  return queryOptions({
    queryKey: ['tasks', isAdmin, query, channel],
    queryFn: async ({ signal }): Promise<TaskListPage> => {
      const found = isAdmin
        ? await callWhole(listTasks, { query: { ...query, channel_id: Number(channel) }, signal })
        : await callWhole(listSelfTasks, { query, signal })
      return { rows: found.data, total: found.beside.total }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.rows.some(isRunning) ? RUNNING_EVERY_MS : false),
  })
}
