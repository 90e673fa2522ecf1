import { sameInBoth } from '#server/core/language.ts'
import type { TaskRow } from '#server/db/system/tasks.ts'
import { TASK_REJECTED } from '#server/provider-kit/contract/task.ts'
import type { Failure } from '#server/provider-kit/failures.ts'
import { asString, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import {
  type TaskDraft,
  TaskError,
  type TaskOrigin,
  type TaskPlatform,
  type UnparsedTask,
} from '#server/relay/tasks/platform.ts'

const DEFAULT_VERSION = 'chirp-v3-0'
const MS_PER_SECOND = 1000
const STATUS_TOO_MANY_REQUESTS = 429

/** The API of Suno bridges. */
export const music: TaskPlatform = {
  name: 'suno',
  isEnabled: options => options.TaskEnabled,
  isRetried: true,
  parse: parseMusic,
  upstreamErrorCode,
  writeError: ({ taskCode: code, message, status }) =>
    Response.json({ code, message: message || code, data: null }, { status }),
  wrap: data => ({ code: 'success', message: '', data }),
  writeTask,
  unknownTaskCode: 'task_not_exist',
  originErrorCodes: {
    unknown: 'task_not_exist',
    unfinished: 'task_not_exist',
    noChannel: 'channel_not_found',
    disabled: 'task_channel_disable',
  },
}

function upstreamErrorCode({ status, code, type }: Failure): string {
  if (status === STATUS_TOO_MANY_REQUESTS) return String(STATUS_TOO_MANY_REQUESTS)
  return type === TASK_REJECTED ? code : 'fail_to_fetch_task'
}

function parseMusic({ kind, json }: UnparsedTask): TaskDraft {
  const action = kind.toUpperCase()
  if (action !== 'MUSIC' && action !== 'LYRICS')
    throw new TaskError('invalid_request', sameInBoth(`invalid_action: ${kind}`))
  if (action === 'LYRICS' && !asString(json.prompt))
    throw new TaskError('invalid_request', sameInBoth('prompt_empty'))
  return {
    action,
    model: `suno_${action.toLowerCase()}`,
    prompt: asString(json.gpt_description_prompt) || asString(json.prompt) || asString(json.title) || '',
    path: `/suno/submit/${action}`,
    clientBody: action === 'MUSIC' ? { ...json, mv: asString(json.mv) || DEFAULT_VERSION } : json,
    origin: findOrigin(json),
  }
}

/** A song that continues another needs the provider account that made it. */
function findOrigin({ continue_clip_id: clip, task_id: taskId }: JsonObject): TaskOrigin | undefined {
  if (!asString(clip)) return undefined
  const id = asString(taskId)
  if (!id)
    throw new TaskError('invalid_request', {
      zh: '续写片段需要 task_id',
      en: 'task_id is needed to continue a clip',
    })
  return { taskId: id, mustBeFinished: false }
}

const toSeconds = (ms: number): number => Math.floor(ms / MS_PER_SECOND)

function writeTask(row: TaskRow): JsonObject {
  return {
    task_id: row.task_id,
    action: row.action,
    status: row.status,
    fail_reason: row.fail_reason,
    submit_time: toSeconds(row.submit_time_ms),
    start_time: toSeconds(row.start_time_ms),
    finish_time: toSeconds(row.finish_time_ms),
    progress: row.progress,
    data: parseJson(row.detail) ?? null,
  }
}
