import { LOG_TYPE, REDEMPTION_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { parseJson } from '#server/provider-kit/json.ts'
import type { ImportedLog, ImportedRedemption, ImportedTask, Reading } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { dateSeconds, flag, integer, jsonObject, text, units } from '../../read-values.ts'

/** Codes, finished tasks and logs of one-api and its descendants. */

export function readRedemption(row: SourceRow): Reading<ImportedRedemption> {
  const key = text(row, 'key')
  if (key === '') return { skip: 'the code is empty' }
  const notes: string[] = []
  const quota = units(row, 'quota', notes)
  if (quota < 0) return { skip: `the code is worth ${quota} units` }
  const usedBy = integer(row, 'used_user_id')
  return {
    record: {
      originalId: integer(row, 'id'),
      owner: row.user_id ?? null,
      key,
      status: readCodeStatus(row, notes),
      name: text(row, 'name'),
      quota,
      created_time: integer(row, 'created_time'),
      redeemed_time: integer(row, 'redeemed_time'),
      usedBy: usedBy > 0 ? usedBy : undefined,
      deleted_at: dateSeconds(row, 'deleted_at'),
    },
    notes,
  }
}

/** Codes do not expire here: one that would is not redeemed before the operator has decided. */
function readCodeStatus(row: SourceRow, notes: string[]): number {
  const status = integer(row, 'status')
  const expiry = integer(row, 'expired_time')
  if (status === REDEMPTION_STATUS.unused && expiry > 0) {
    const verb = expiry < nowSeconds() ? 'expired' : 'expires'
    notes.push(`the code ${verb} at ${expiry}, and codes do not expire here: it came disabled`)
    return REDEMPTION_STATUS.disabled
  }
  const known: readonly number[] = Object.values(REDEMPTION_STATUS)
  if (known.includes(status)) return status
  notes.push(`the status ${status} came as disabled`)
  return REDEMPTION_STATUS.disabled
}

const OUTCOMES: Readonly<Record<string, ImportedTask['outcome']>> = {
  SUCCESS: 'succeeded',
  FAILURE: 'failed',
}
const MS_PER_SECOND = 1000

export function readDrawing(row: SourceRow): Reading<ImportedTask> {
  const outcome = OUTCOMES[text(row, 'status')]
  if (!outcome) return { skip: `the drawing is not finished (${text(row, 'status') || 'no status'})` }
  const notes: string[] = []
  const detail = {
    promptEn: text(row, 'prompt_en'),
    description: text(row, 'description'),
    state: text(row, 'state'),
    imageUrl: text(row, 'image_url'),
    buttons: parseJson(text(row, 'buttons')) ?? [],
    properties: parseJson(text(row, 'properties')) ?? null,
  }
  return {
    record: {
      ...readCommon(row, outcome, notes),
      platform: 'mj',
      task_id: text(row, 'mj_id'),
      code: integer(row, 'code'),
      prompt: text(row, 'prompt'),
      detail: JSON.stringify(detail),
      submit_time_ms: integer(row, 'submit_time'),
      start_time_ms: integer(row, 'start_time'),
      finish_time_ms: integer(row, 'finish_time'),
    },
    notes,
  }
}

export function readTask(row: SourceRow): Reading<ImportedTask> {
  const platform = text(row, 'platform')
  if (platform !== 'suno') return { skip: `this gateway has no tasks of the platform ${platform}` }
  const outcome = OUTCOMES[text(row, 'status')]
  if (!outcome) return { skip: `the task is not finished (${text(row, 'status') || 'no status'})` }
  const notes: string[] = []
  const { upstream_task_id: upstreamId } = jsonObject(text(row, 'private_data'))
  return {
    record: {
      ...readCommon(row, outcome, notes),
      platform,
      task_id: typeof upstreamId === 'string' && upstreamId !== '' ? upstreamId : text(row, 'task_id'),
      code: 0,
      prompt: '',
      detail: text(row, 'data'),
      submit_time_ms: integer(row, 'submit_time') * MS_PER_SECOND,
      start_time_ms: integer(row, 'start_time') * MS_PER_SECOND,
      finish_time_ms: integer(row, 'finish_time') * MS_PER_SECOND,
    },
    notes,
  }
}

const readCommon = (row: SourceRow, outcome: ImportedTask['outcome'], notes: string[]) => ({
  originalId: undefined,
  owner: row.user_id ?? null,
  channel: row.channel_id ?? null,
  action: text(row, 'action'),
  outcome,
  status: text(row, 'status'),
  progress: text(row, 'progress'),
  fail_reason: text(row, 'fail_reason'),
  quota: units(row, 'quota', notes),
})

const OLDEST_TEST = 5
const REFUND = 6
const SIGN_IN = 7
const KNOWN_TYPES: Readonly<Record<number, number>> = {
  1: LOG_TYPE.topUp,
  2: LOG_TYPE.consumption,
  3: LOG_TYPE.management,
  4: LOG_TYPE.system,
  5: LOG_TYPE.failure,
  [REFUND]: LOG_TYPE.system,
  [SIGN_IN]: LOG_TYPE.system,
}

/** A clock that was not set yet wrote times before 1970, which no hour of the statistics has. */
function logTime(row: SourceRow, notes: string[]): number {
  const time = integer(row, 'created_at')
  if (time < 0) notes.push(`created_at is ${time}, before 1970, and came as 0`)
  return Math.max(time, 0)
}

export function readLog(row: SourceRow, isOldest: boolean): Reading<ImportedLog> {
  const there = integer(row, 'type')
  const type = isOldest && there === OLDEST_TEST ? LOG_TYPE.system : KNOWN_TYPES[there]
  if (type === undefined) return { skip: `this gateway has no log rows of the type ${there}` }
  const notes: string[] = []
  const { error_code: code, status_code: status } = jsonObject(
    type === LOG_TYPE.failure ? text(row, 'other') : '',
  )
  return {
    record: {
      number: integer(row, 'id'),
      owner: row.user_id ?? null,
      channel: row.channel_id ?? null,
      token: row.token_id ?? null,
      created_at: logTime(row, notes),
      type,
      username: text(row, 'username'),
      token_name: text(row, 'token_name'),
      model_name: text(row, 'model_name'),
      group: text(row, 'group'),
      quota: units(row, 'quota', notes),
      prompt_tokens: units(row, 'prompt_tokens', notes),
      completion_tokens: units(row, 'completion_tokens', notes),
      use_time: isOldest
        ? Math.round(integer(row, 'elapsed_time') / MS_PER_SECOND)
        : integer(row, 'use_time'),
      is_stream: flag(row, 'is_stream'),
      content: text(row, 'content'),
      error: status === undefined ? '' : `${status} ${code ?? ''}`.trim(),
    },
    notes,
  }
}
