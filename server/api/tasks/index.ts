import { listSelfTasks, listTasks as listTasksCall, TASK_PLATFORMS, type TaskQuery } from '#contract/tasks.ts'
import { countTasks, listTasks, type TaskFilter } from '../../db/task-lists.ts'
import type { ApiContext } from '../context.ts'
import { handleReply } from '../handle.ts'
import { toTask } from './task-view.ts'

const MS_PER_SECOND = 1000

export const routes = [
  handleReply(listTasksCall, ({ query, ...context }) => listed(toFilter(query), query, context)),

  handleReply(listSelfTasks, async ({ query, ...context }) => {
    const filter = { ...toFilter({ ...query, channel_id: 0 }), userId: context.caller.id }
    const { data, beside } = await listed(filter, query, context)
    return { data: data.map(task => ({ ...task, channel_id: 0 })), beside }
  }),
]

const toFilter = (query: Omit<TaskQuery, 'p' | 'page_size'>): TaskFilter => ({
  platforms: TASK_PLATFORMS.filter(platform => query.platform === '' || platform === query.platform),
  channelId: query.channel_id,
  taskId: query.task_id,
  status: query.status,
  action: query.action,
  fromMs: query.start_timestamp * MS_PER_SECOND,
  untilMs: endOfSecond(query.end_timestamp),
})

/** The last second counts whole. */
const endOfSecond = (seconds: number): number => (seconds === 0 ? 0 : (seconds + 1) * MS_PER_SECOND - 1)

async function listed(
  filter: TaskFilter,
  { p, page_size }: Pick<TaskQuery, 'p' | 'page_size'>,
  { db }: Pick<ApiContext, 'db'>,
) {
  if (filter.platforms.length === 0) return { data: [], beside: { total: 0, page: p, page_size } }
  const [rows, total] = await Promise.all([
    listTasks(db, filter, { offset: p * page_size, limit: page_size }),
    countTasks(db, filter),
  ])
  return { data: rows.map(toTask), beside: { total, page: p, page_size } }
}
