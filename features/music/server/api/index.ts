import type { ApiContext } from '#server/api/context.ts'
import { handleResult } from '#server/api/handle.ts'
import { type Language, readStoredText } from '#server/core/language.ts'
import { countTasks, listTasks, type TaskFilter, type TaskRow } from '#server/db/system/tasks.ts'
import { parseJson } from '#server/provider-kit/json.ts'
import {
  listSelfTasks,
  listTasks as listTasksCall,
  TASK_PLATFORMS,
  type Task,
  type TaskQuery,
} from '../../contract.ts'

const MS_PER_SECOND = 1000

export const routes = [
  handleResult(listTasksCall, ({ query, ...context }) => listTaskPage(toTaskFilter(query), query, context)),

  handleResult(listSelfTasks, async ({ query, ...context }) => {
    const filter = { ...toTaskFilter({ ...query, channel_id: 0 }), userId: context.caller.id }
    const { data, meta } = await listTaskPage(filter, query, context)
    return { data: data.map(task => ({ ...task, channel_id: 0 })), meta }
  }),
]

const toTaskFilter = (query: Omit<TaskQuery, 'p' | 'page_size'>): TaskFilter => ({
  platforms: TASK_PLATFORMS.filter(platform => query.platform === '' || platform === query.platform),
  channelId: query.channel_id,
  taskId: query.task_id,
  status: query.status,
  action: query.action,
  fromMs: query.start_timestamp * MS_PER_SECOND,
  untilMs: endOfSecond(query.end_timestamp),
})

/** The end is inclusive, so the last second counts up to its last millisecond. */
const endOfSecond = (seconds: number): number => (seconds === 0 ? 0 : (seconds + 1) * MS_PER_SECOND - 1)

async function listTaskPage(
  filter: TaskFilter,
  { p, page_size }: Pick<TaskQuery, 'p' | 'page_size'>,
  { reader, language }: Pick<ApiContext, 'reader' | 'language'>,
) {
  if (filter.platforms.length === 0) return { data: [], meta: { total: 0, page: p, page_size } }
  const [rows, total] = await Promise.all([
    listTasks(reader, filter, { offset: p * page_size, limit: page_size }),
    countTasks(reader, filter),
  ])
  return { data: rows.map(row => toTask(row, language)), meta: { total, page: p, page_size } }
}

const toSeconds = (ms: number): number => Math.floor(ms / 1000)

const toTask = (row: TaskRow, language: Language): Task => ({
  id: row.id,
  created_at: toSeconds(row.created_at_ms),
  updated_at: toSeconds(row.updated_at_ms),
  task_id: row.task_id,
  platform: row.platform,
  user_id: row.user_id,
  channel_id: row.channel_id,
  quota: row.quota,
  action: row.action,
  status: row.status,
  fail_reason: readStoredText(row.fail_reason, language),
  submit_time: toSeconds(row.submit_time_ms),
  start_time: toSeconds(row.start_time_ms),
  finish_time: toSeconds(row.finish_time_ms),
  progress: row.progress,
  properties: { input: row.prompt },
  data: parseJson(row.detail) ?? null,
})
