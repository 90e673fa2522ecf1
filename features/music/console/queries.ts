import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callWithMeta } from '#console/app/api/call.ts'
import type { TimeSpan } from '#console/app/time/ranges.ts'
import { listSelfTasks, listTasks, type Task } from '../contract.ts'
import type { TaskSearch } from './search-params.ts'
import { isRunning } from './task.ts'

const RUNNING_POLL_MS = 5000

interface TaskListPage {
  readonly rows: readonly Task[]
  readonly total: number
}

interface TaskListQuery {
  readonly search: TaskSearch
  readonly span: TimeSpan
  readonly size: number
  /** Administrators see the tasks of all users. */
  readonly isAdmin: boolean
}

/** One page of tasks, polled while any of them is running. */
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
      const response = isAdmin
        ? await callWithMeta(listTasks, { query: { ...query, channel_id: Number(channel) }, signal })
        : await callWithMeta(listSelfTasks, { query, signal })
      return { rows: response.data, total: response.meta.total }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.rows.some(isRunning) ? RUNNING_POLL_MS : false),
  })
}
