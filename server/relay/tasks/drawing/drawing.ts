import { nowMs } from '../../../core/clock.ts'
import type { TaskRow } from '../../../db/system/tasks.ts'
import type { JsonObject } from '../../../provider-kit/contract/chat.ts'
import { drawingImageUrl, readDrawingDetail } from '../../../provider-kit/drawing-tasks.ts'
import type { TaskSettings } from '../../types.ts'
import type { TaskPlatform } from '../platform.ts'
import type { TaskRefusal } from '../task-refusal.ts'
import { readDrawing } from './read-drawing.ts'

const CODE = { badRequest: 4, unknown: 5, saturated: 30 } as const
const STATUS = { badRequest: 400, saturated: 429 } as const

/** Clients of Midjourney proxies. */
export const drawing: TaskPlatform = {
  name: 'mj',
  isOpen: settings => settings.isDrawingOpen,
  isRetried: false,
  read: readDrawing,
  wordOfFailure: ({ status }) => (status === STATUS.saturated ? 'upstream_saturated' : 'do_request_failed'),
  writeRefusal,
  wrap: tasks => tasks,
  writeTask,
  unknownTask: 'task_no_found',
  originRefusals: {
    unknown: 'task_not_found',
    unfinished: 'task_status_not_success',
    noChannel: 'get_channel_info_failed',
    disabled: 'get_channel_info_failed',
  },
}

/** Every refusal is a bad request, but for an upstream that has no room. */
function writeRefusal({ word, message, status, isOfUpstream }: TaskRefusal): Response {
  const isSaturated = status === STATUS.saturated
  const code = isSaturated ? CODE.saturated : isOfUpstream ? CODE.unknown : CODE.badRequest
  const description = message === '' ? word : `${word} ${message}`
  return Response.json(
    { description, type: 'upstream_error', code },
    { status: isSaturated ? STATUS.saturated : STATUS.badRequest },
  )
}

function writeTask(row: TaskRow, settings: TaskSettings): JsonObject {
  const { promptEn, description, state, imageUrl, buttons, properties } = readDrawingDetail(row.detail)
  return {
    id: row.task_id,
    action: row.action,
    customId: '',
    botType: '',
    prompt: row.prompt,
    promptEn,
    description,
    state,
    submitTime: row.submit_time_ms,
    startTime: row.start_time_ms,
    finishTime: row.finish_time_ms,
    imageUrl: freshAddress(row, imageUrl, settings),
    status: row.status,
    progress: row.progress,
    failReason: row.fail_reason,
    buttons: buttons.length === 0 ? null : buttons,
    maskBase64: '',
    properties,
  }
}

/** While a picture grows its address changes, so that nobody keeps showing an early one. */
function freshAddress(row: TaskRow, imageUrl: string, settings: TaskSettings): string {
  const { arePicturesForwarded: isForwarded, serverAddress } = settings
  const address = drawingImageUrl({ taskId: row.task_id, imageUrl }, { isForwarded, serverAddress })
  return row.outcome === 'open' && address !== imageUrl ? `${address}?rand=${nowMs()}` : address
}
