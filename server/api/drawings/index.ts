import { type DrawingQuery, listDrawings, listSelfDrawings } from '#contract/tasks.ts'
import { countTasks, listTasks, type TaskFilter } from '../../db/task-lists.ts'
import type { ApiContext } from '../context.ts'
import { handleReply } from '../handle.ts'
import { toDrawing } from './drawing-view.ts'

export const routes = [
  handleReply(listDrawings, ({ query, ...context }) => listed(toFilter(query), query, context)),

  handleReply(listSelfDrawings, async ({ query, ...context }) => {
    const filter = { ...toFilter({ ...query, channel_id: 0 }), userId: context.caller.id }
    const { data, beside } = await listed(filter, query, context)
    return { data: data.map(drawing => ({ ...drawing, channel_id: 0 })), beside }
  }),
]

const toFilter = (query: Omit<DrawingQuery, 'p' | 'page_size'>): TaskFilter => ({
  platforms: ['mj'],
  channelId: query.channel_id,
  taskId: query.mj_id,
  status: query.status,
  action: query.action,
  fromMs: query.start_timestamp,
  untilMs: query.end_timestamp,
})

async function listed(
  filter: TaskFilter,
  { p, page_size }: Pick<DrawingQuery, 'p' | 'page_size'>,
  { db, settings }: Pick<ApiContext, 'db' | 'settings'>,
) {
  const [rows, total] = await Promise.all([
    listTasks(db, filter, { offset: p * page_size, limit: page_size }),
    countTasks(db, filter),
  ])
  const { values } = settings.current()
  return { data: rows.map(row => toDrawing(row, values)), beside: { total, page: p, page_size } }
}
