import { withStorageTimeout } from '../../core/async.ts'
import { elapsedMs } from '../../core/clock.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import { newRequestId } from '../../core/ids.ts'
import { inLanguage, type Language, readStoredText, textsOf } from '../../core/language.ts'
import { listOwnTasks, type TaskRow } from '../../db/system/tasks.ts'
import { asArray, type JsonObject } from '../../provider-kit/json.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import { errorResponse } from '../response/error-response.ts'
import { AttemptsFailed, toClientError } from '../routing/attempts.ts'
import type { Caller, RequestArrival } from '../types.ts'
import { callProvider } from './call-provider.ts'
import { receiveNotification } from './notifications.ts'
import { readTaskBody, type TaskCall } from './parse-task-request.ts'
import { type TaskDeps, TaskError, type TaskPlatform } from './platform.ts'
import { withSubmittingKey } from './task-bill.ts'
import { findTaskChannel } from './task-channel.ts'
import type { TaskRoute } from './task-routes.ts'
import { TASK_OUTCOME, toObservedLookup } from './task-telemetry.ts'

/** Serves an image or receives a provider's notification. Neither needs an API key. */
export async function respondToPublicTask(
  route: TaskRoute,
  connection: ClientConnection,
  language: Language,
  deps: TaskDeps,
): Promise<Response> {
  try {
    return typeof route.work === 'function'
      ? await route.work(route.id, language, deps)
      : await receiveNotification(route, connection, deps)
  } catch (error) {
    return taskErrorResponse(error, route.platform, { requestId: connection.requestId, language }, deps)
  }
}

/** Responds to a query for the caller's own tasks. Throws TaskError or GatewayError. */
export async function respondToTaskLookup(
  route: TaskRoute,
  { arrival, caller, connection }: TaskCall,
  deps: TaskDeps,
): Promise<Response> {
  const response = await lookUp(route, { arrival, caller, connection }, deps)
  deps.observer.requestCompleted({
    request: toObservedLookup({ arrival, caller, platform: route.platform }),
    trace: { attempts: [] },
    outcome: TASK_OUTCOME,
    endedMs: elapsedMs(),
  })
  return response
}

async function lookUp(route: TaskRoute, call: TaskCall, deps: TaskDeps): Promise<Response> {
  if (route.work === 'fetch') return fetchTask(route, call, deps)
  return route.work === 'list'
    ? listTasks(route, await readTaskBody(call, deps), call, deps)
    : fetchImageSeed(route, call.caller, deps)
}

const inCallersLanguage = (row: TaskRow, language: Language): TaskRow => ({
  ...row,
  fail_reason: readStoredText(row.fail_reason, language),
})

async function fetchTask(
  route: TaskRoute,
  { arrival: { language }, caller }: TaskCall,
  deps: TaskDeps,
): Promise<Response> {
  const row = await getOwnTask(route, caller, deps)
  const { tasks } = deps.settings.current()
  return Response.json(route.platform.wrap(route.platform.writeTask(inCallersLanguage(row, language), tasks)))
}

/** Throws TaskError when the task does not exist or belongs to another user. */
async function getOwnTask(
  { id, platform }: TaskRoute,
  { userId }: Caller,
  { db }: TaskDeps,
): Promise<TaskRow> {
  const [row] = await withStorageTimeout(listOwnTasks(db, { userId, platform: platform.name }, [id]))
  if (!row) throw new TaskError(platform.unknownTaskCode)
  return row
}

const IDS_MAX = 500

/** The named tasks that are the caller's own, newest first. Others are left out. */
async function listTasks(
  { platform }: TaskRoute,
  json: JsonObject,
  { arrival: { language }, caller: { userId } }: TaskCall,
  deps: TaskDeps,
): Promise<Response> {
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
  const { tasks } = deps.settings.current()
  return Response.json(
    platform.wrap(
      newestOfEachId(rows).map(row => platform.writeTask(inCallersLanguage(row, language), tasks)),
    ),
  )
}

/** A window and the task that was started in it share an id. */
const newestOfEachId = (rows: readonly TaskRow[]): readonly TaskRow[] =>
  rows.filter((row, index) => rows.findIndex(other => other.task_id === row.task_id) === index)

const SEED_TIMEOUT_MS = 30_000

/** Responds with the provider's own response. It is free. */
async function fetchImageSeed(route: TaskRoute, caller: Caller, deps: TaskDeps): Promise<Response> {
  const row = await getOwnTask(route, caller, deps)
  const channel = await findTaskChannel(row.channel_id, deps)
  if (!channel) throw new TaskError(route.platform.originErrorCodes.noChannel)
  const adapter = channel.provider.task?.imageSeed
  if (!adapter)
    throw new GatewayError('api_not_implemented', {
      zh: '该任务的供应商不支持查询图片种子',
      en: 'the provider of this task does not support image seeds',
    })
  const result = await callProvider(
    {
      adapter,
      channel: withSubmittingKey(row, channel, deps),
      body: row.task_id,
      model: '',
      requestId: newRequestId(),
      timeoutMs: SEED_TIMEOUT_MS,
      signal: new AbortController().signal,
    },
    deps,
  )
  if (result.kind === 'failure') throw new AttemptsFailed(result.failure, { candidates: [], attempts: [] })
  return Response.json(result.reply)
}

/** Writes an error in the platform's format if it has a code for it, otherwise in OpenAI's. */
export function taskErrorResponse(
  error: unknown,
  platform: TaskPlatform,
  request: Pick<RequestArrival, 'requestId' | 'language'>,
  deps: TaskDeps,
): Response {
  const taskError = toTaskError(error, platform)
  return taskError
    ? platform.writeError(inLanguage(taskError, request.language))
    : errorResponse(error, deps.dialects.get('openai'), request, deps)
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
