import { withStorageTimeout } from '../../core/async.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import { inLanguage, type Language, readStoredText, textsOf } from '../../core/language.ts'
import { listOwnTasks, type TaskRow } from '../../db/system/tasks.ts'
import { asArray } from '../../provider-kit/json.ts'
import { AttemptsFailed, toClientError } from '../routing/attempts.ts'
import type { RelayCall } from '../types.ts'
import { readTaskBody } from './parse-task-request.ts'
import { type TaskDeps, TaskError, type TaskPlatform } from './platform.ts'

const inCallersLanguage = (row: TaskRow, language: Language): TaskRow => ({
  ...row,
  fail_reason: readStoredText(row.fail_reason, language),
})

/** The caller's own task that the path names. */
export async function respondWithTask(
  call: RelayCall,
  deps: TaskDeps,
  platform: TaskPlatform,
): Promise<Response> {
  const row = await getOwnTask(call, deps, platform)
  const options = deps.settings.current()
  return Response.json(
    platform.wrap(platform.writeTask(inCallersLanguage(row, call.arrival.language), options)),
  )
}

/** Throws TaskError when the task does not exist or belongs to another user. */
export async function getOwnTask(
  { params: { id = '' }, caller: { userId } }: RelayCall,
  { db }: TaskDeps,
  platform: TaskPlatform,
): Promise<TaskRow> {
  const [row] = await withStorageTimeout(listOwnTasks(db, { userId, platform: platform.name }, [id]))
  if (!row) throw new TaskError(platform.unknownTaskCode)
  return row
}

const IDS_MAX = 500

/** The named tasks that are the caller's own, newest first. Others are left out. */
export async function respondWithTasks(
  call: RelayCall,
  deps: TaskDeps,
  platform: TaskPlatform,
): Promise<Response> {
  const json = await readTaskBody(call, deps, 'small')
  const {
    arrival: { language },
    caller: { userId },
  } = call
  const ids = asArray(json.ids).map(String)
  if (ids.length > IDS_MAX)
    throw new TaskError('invalid_request', {
      zh: `ID 数量为 ${ids.length}，最多 ${IDS_MAX} 个`,
      en: `found ${ids.length} IDs, needed at most ${IDS_MAX}`,
    })
  const rows =
    ids.length === 0
      ? []
      : await withStorageTimeout(listOwnTasks(deps.db, { userId, platform: platform.name }, ids))
  const options = deps.settings.current()
  return Response.json(
    platform.wrap(
      newestOfEachId(rows).map(row => platform.writeTask(inCallersLanguage(row, language), options)),
    ),
  )
}

/** A window and the task that was started in it share an id. */
const newestOfEachId = (rows: readonly TaskRow[]): readonly TaskRow[] =>
  rows.filter((row, index) => rows.findIndex(other => other.task_id === row.task_id) === index)

/** Writes an error in the platform's format. Undefined when the platform has no code for it. */
export function writeTaskError(
  error: unknown,
  platform: TaskPlatform,
  language: Language,
): Response | undefined {
  const taskError = toTaskError(error, platform)
  return taskError && platform.writeError(inLanguage(taskError, language))
}

/** Our own errors that have a code in the platforms' formats. */
const TASK_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  insufficient_user_quota: 'quota_not_enough',
  insufficient_token_quota: 'quota_not_enough',
  sensitive_words_detected: 'sensitive_words_detected',
}

function toTaskError(error: unknown, platform: TaskPlatform): TaskError | undefined {
  if (error instanceof TaskError) return error
  if (error instanceof AttemptsFailed) {
    const clientError = toClientError(error)
    const code = platform.upstreamErrorCode(error.failure)
    const options = { cause: error, status: clientError.status, isFromUpstream: true }
    return new TaskError(code, textsOf(clientError), options)
  }
  if (!(error instanceof GatewayError)) return undefined
  const code = TASK_CODES[error.code]
  return code === undefined
    ? undefined
    : new TaskError(code, textsOf(error), { cause: error, status: error.status })
}
