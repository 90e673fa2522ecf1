import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handleResult } from '#server/api/handle.ts'
import { type Language, readStoredText } from '#server/core/language.ts'
import { countTasks, listTasks, type TaskFilter, type TaskRow } from '#server/db/system/tasks.ts'
import { drawingImageUrl, readDrawingDetail } from '#server/provider-kit/drawing-tasks.ts'
import { type Drawing, type DrawingQuery, listDrawings, listSelfDrawings } from '../../contract.ts'

/** Routes of drawings: tasks of the platform `mj`, whose times are in milliseconds. */
export const routes = [
  handleResult(listDrawings, ({ query, ...context }) =>
    listDrawingPage(toDrawingFilter(query), query, context),
  ),

  handleResult(listSelfDrawings, async ({ query, ...context }) => {
    const filter = { ...toDrawingFilter({ ...query, channel_id: 0 }), userId: context.caller.id }
    const { data, meta } = await listDrawingPage(filter, query, context)
    return { data: data.map(drawing => ({ ...drawing, channel_id: 0 })), meta }
  }),
]

const toDrawingFilter = (query: Omit<DrawingQuery, 'p' | 'page_size'>): TaskFilter => ({
  platforms: ['mj'],
  channelId: query.channel_id,
  taskId: query.mj_id,
  status: query.status,
  action: query.action,
  fromMs: query.start_timestamp,
  untilMs: query.end_timestamp,
})

async function listDrawingPage(
  filter: TaskFilter,
  { p, page_size }: Pick<DrawingQuery, 'p' | 'page_size'>,
  { reader, settings, language }: Pick<ApiContext, 'reader' | 'settings' | 'language'>,
) {
  const [rows, total] = await Promise.all([
    listTasks(reader, filter, { offset: p * page_size, limit: page_size }),
    countTasks(reader, filter),
  ])
  const { values } = settings.current()
  return { data: rows.map(row => toDrawing(row, values, language)), meta: { total, page: p, page_size } }
}

type ImageOptions = Pick<OptionValues, 'MjForwardUrlEnabled' | 'ServerAddress'>

function toDrawing(row: TaskRow, options: ImageOptions, language: Language): Drawing {
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
    fail_reason: readStoredText(row.fail_reason, language),
    channel_id: row.channel_id,
    quota: row.quota,
    buttons: buttons.length === 0 ? '' : JSON.stringify(buttons),
    properties: properties === null ? '' : JSON.stringify(properties),
  }
}
