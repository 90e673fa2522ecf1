import type { OptionValues } from '#contract/options/system-options.ts'
import type { Drawing } from '#contract/tasks.ts'
import type { TaskRow } from '../../db/task-lists.ts'
import { drawingImageUrl, readDrawingDetail } from '../../provider-kit/drawing/drawing-detail.ts'

type PictureOptions = Pick<OptionValues, 'MjForwardUrlEnabled' | 'ServerAddress'>

export function toDrawing(row: TaskRow, options: PictureOptions): Drawing {
  const { imageUrl, promptEn, description, state, buttons, properties } = readDrawingDetail(row.detail)
  return {
    id: row.id,
    code: row.code,
    user_id: row.user_id,
    action: row.action,
    mj_id: row.task_id,
    prompt: row.prompt,
    prompt_en: promptEn,
    description,
    state,
    submit_time: row.submit_time_ms,
    start_time: row.start_time_ms,
    finish_time: row.finish_time_ms,
    image_url: drawingImageUrl(
      { taskId: row.task_id, imageUrl },
      { isForwarded: options.MjForwardUrlEnabled, serverAddress: options.ServerAddress },
    ),
    status: row.status,
    progress: row.progress,
    fail_reason: row.fail_reason,
    channel_id: row.channel_id,
    quota: row.quota,
    buttons: buttons.length === 0 ? '' : JSON.stringify(buttons),
    properties: properties === null ? '' : JSON.stringify(properties),
  }
}
