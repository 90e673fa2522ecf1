import type { Task } from '#contract/tasks.ts'
import type { TaskRow } from '../../db/task-lists.ts'
import { parseJson } from '../../provider-kit/json.ts'

const toSeconds = (ms: number): number => Math.floor(ms / 1000)

export const toTask = (row: TaskRow): Task => ({
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
  fail_reason: row.fail_reason,
  submit_time: toSeconds(row.submit_time_ms),
  start_time: toSeconds(row.start_time_ms),
  finish_time: toSeconds(row.finish_time_ms),
  progress: row.progress,
  properties: { input: row.prompt },
  data: parseJson(row.detail) ?? null,
})
