import { ownMessage } from '../core/language.ts'
import type { AdapterCall, OperationAdapter, UpstreamRequest } from './contract/operation-adapter.ts'
import {
  type TaskAdapter,
  type TaskBody,
  type TaskState,
  type TaskSubmitResult,
  toTaskTimeMs,
} from './contract/task.ts'
import { type Failure, maskSecrets, type ResponseHeaders, readFailure } from './failures.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from './json.ts'

const CODE = { submitted: 1, noAccount: 3, exists: 21, queued: 22 } as const
const ACCEPTED: readonly number[] = [CODE.submitted, CODE.exists, CODE.queued]
/** Clients of these actions read code 21 as a prompt to open a dialog; the next submission carries its input. */
const DIALOG_ACTIONS: readonly string[] = ['mj_inpaint', 'mj_custom_zoom']
const FAILED: readonly string[] = ['FAILURE', 'CANCEL']

const MS_PER_UNIT = 1

const unreadableResponse: Failure = {
  status: 502,
  code: 'upstream_bad_answer',
  ...ownMessage({ zh: '上游返回的不是任务结果', en: 'the upstream returned something other than a result' }),
  isRetryable: false,
}

/** The protocol of Midjourney proxies. Source: github.com/novicezk/midjourney-proxy, docs/api.md */
export const drawingTasks = (): TaskAdapter => ({
  platform: 'mj',
  submit: {
    request: call => postRequest(call, call.body.path, call.body.json),
    reply: (json, call) => {
      const result = readSubmitResult(json, call)
      return result ? { kind: 'reply', reply: result } : { kind: 'failure', failure: unreadableResponse }
    },
    failure: readDrawingFailure,
  },
  poll,
  imageSeed: {
    request: ({ channel, body }) => ({
      method: 'GET',
      url: `${channel.baseUrl}/mj/task/${encodeURIComponent(body)}/image-seed`,
      headers: toHeaders(channel.key),
    }),
    reply: json =>
      isObject(json) ? { kind: 'reply', reply: json } : { kind: 'failure', failure: unreadableResponse },
    failure: readDrawingFailure,
  },
  readNotification: toState,
})

const poll: OperationAdapter<readonly string[], readonly TaskState[]> = {
  request: call => postRequest(call, '/mj/task/list-by-condition', { ids: call.body }),
  reply: json =>
    Array.isArray(json)
      ? { kind: 'reply', reply: json.flatMap(task => toState(task) ?? []) }
      : { kind: 'failure', failure: unreadableResponse },
  failure: readDrawingFailure,
}

const postRequest = ({ channel }: AdapterCall<unknown>, path: string, json: JsonObject): UpstreamRequest => ({
  url: channel.baseUrl + path,
  headers: toHeaders(channel.key),
  body: JSON.stringify(json),
})

const toHeaders = (key: string) => ({ 'mj-api-secret': key, 'content-type': 'application/json' })

/** The proxies describe errors in a field of their own. */
function readDrawingFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const described = asString(asObject(parseJson(body)).description)?.trim()
  const failure = readFailure(status, body, headers)
  return described ? { ...failure, message: maskSecrets(described) } : failure
}

function readSubmitResult(json: unknown, { model }: AdapterCall<TaskBody>): TaskSubmitResult | undefined {
  if (!isObject(json) || !Number.isSafeInteger(json.code)) return undefined
  const code = Number(json.code)
  return {
    isAccepted: ACCEPTED.includes(code),
    code,
    description: asString(json.description) ?? '',
    state: toInitialState(code, json),
    isRepeat: code === CODE.exists,
    hasNoAccount: code === CODE.noAccount,
    json: { ...json, code: toClientCode(code, model) },
  }
}

/** Clients treat any code but 1 as a rejection. */
const toClientCode = (code: number, model: string): number =>
  ACCEPTED.includes(code) && !DIALOG_ACTIONS.includes(model) ? CODE.submitted : code

/** An upload is finished when the response arrives. A task that already exists may be finished too. */
function toInitialState(code: number, json: JsonObject): TaskState {
  const { result } = json
  const properties = asObject(json.properties)
  const description = asString(json.description) ?? ''
  if (!ACCEPTED.includes(code))
    return toTaskState('', { status: 'FAILURE', failReason: description, description })
  if (Array.isArray(result))
    return toTaskState('', { status: 'SUCCESS', imageUrl: asString(result[0]), description })
  const { status, imageUrl } = code === CODE.exists ? properties : {}
  return toTaskState(typeof result === 'number' ? String(result) : (asString(result) ?? ''), {
    status,
    imageUrl,
    description,
    properties: json.properties,
  })
}

/** Undefined for JSON that is not a task. */
function toState(json: unknown): TaskState | undefined {
  const id = asObject(json).id
  const taskId = typeof id === 'number' ? String(id) : asString(id)
  return taskId ? toTaskState(taskId, asObject(json)) : undefined
}

function toTaskState(taskId: string, task: JsonObject): TaskState {
  const status = (asString(task.status) ?? '').toUpperCase()
  const failReason = asString(task.failReason) ?? ''
  const outcome = toOutcome(status, failReason)
  return {
    taskId,
    outcome,
    status: outcome === 'failed' ? 'FAILURE' : status,
    progress: outcome === 'open' ? (asString(task.progress) ?? '0%') : '100%',
    failReason,
    submitTimeMs: toTaskTimeMs(task.submitTime, MS_PER_UNIT),
    startTimeMs: toTaskTimeMs(task.startTime, MS_PER_UNIT),
    finishTimeMs: toTaskTimeMs(task.finishTime, MS_PER_UNIT),
    detail: toDrawingDetail(task),
  }
}

function toOutcome(status: string, failReason: string): TaskState['outcome'] {
  if (status === 'SUCCESS') return 'succeeded'
  return FAILED.includes(status) || failReason !== '' ? 'failed' : 'open'
}

/** The fields of a drawing beyond those of every task. */
interface DrawingDetail {
  readonly promptEn: string
  readonly description: string
  /** The client's own reference for the drawing. */
  readonly state: string
  /** Where the provider stores the image. Empty while there is none. */
  readonly imageUrl: string
  readonly buttons: readonly unknown[]
  /** Null where the provider reports none. */
  readonly properties: unknown
}

/** Reads a provider's task object, or a stored one. */
function toDrawingDetail(json: unknown): DrawingDetail {
  const task = asObject(json)
  return {
    promptEn: asString(task.promptEn) ?? '',
    description: asString(task.description) ?? '',
    state: asString(task.state) ?? '',
    imageUrl: asString(task.imageUrl) ?? '',
    buttons: asArray(task.buttons),
    properties: isObject(task.properties) ? task.properties : null,
  }
}

/** Parses a stored drawing. Fields of invalid JSON are empty. */
export const readDrawingDetail = (text: string): DrawingDetail => toDrawingDetail(parseJson(text))

/** The URL of the image that clients see: through this gateway, or the provider's own URL. */
export function drawingImageUrl(
  { taskId, imageUrl }: { readonly taskId: string; readonly imageUrl: string },
  { isForwarded, serverAddress }: { readonly isForwarded: boolean; readonly serverAddress: string },
): string {
  if (!isForwarded || imageUrl === '' || taskId === '') return imageUrl
  return `${serverAddress}/mj/image/${encodeURIComponent(taskId)}`
}
