import { withStorageTimeout } from '#server/core/async.ts'
import { nowMs } from '#server/core/clock.ts'
import { type BothLanguages, sameInBoth } from '#server/core/language.ts'
import { MIB } from '#server/core/limits.ts'
import type { TaskRow } from '#server/db/system/tasks.ts'
import { drawingImageUrl, readDrawingDetail } from '#server/provider-kit/drawing-tasks.ts'
import { asString, type JsonObject } from '#server/provider-kit/json.ts'
import type { PublicCall } from '#server/relay/operation.ts'
import {
  type TaskDeps,
  type TaskDraft,
  TaskError,
  type TaskOptions,
  type TaskOrigin,
  type TaskParseOptions,
  type TaskPlatform,
  type UnparsedTask,
  type WrittenTaskError,
} from '#server/relay/tasks/platform.ts'
import { findTaskByProviderId } from './queries.ts'

const RESPONSE_CODE = { badRequest: 4, unknown: 5, saturated: 30 } as const
const STATUS = { badRequest: 400, saturated: 429 } as const

/** The API of Midjourney proxies. */
export const drawing: TaskPlatform = {
  name: 'mj',
  isEnabled: options => options.DrawingEnabled,
  isRetried: false,
  parse: parseDrawing,
  upstreamErrorCode: ({ status }) =>
    status === STATUS.saturated ? 'upstream_saturated' : 'do_request_failed',
  writeError,
  wrap: tasks => tasks,
  writeTask,
  unknownTaskCode: 'task_no_found',
  originErrorCodes: {
    unknown: 'task_not_found',
    unfinished: 'task_status_not_success',
    noChannel: 'get_channel_info_failed',
    disabled: 'get_channel_info_failed',
  },
}

/** Every error has the status 400, except when the upstream is saturated. */
function writeError({ taskCode, message, status, isFromUpstream }: WrittenTaskError): Response {
  const isSaturated = status === STATUS.saturated
  const failureCode = isFromUpstream ? RESPONSE_CODE.unknown : RESPONSE_CODE.badRequest
  return Response.json(
    {
      description: message === '' ? taskCode : `${taskCode} ${message}`,
      type: 'upstream_error',
      code: isSaturated ? RESPONSE_CODE.saturated : failureCode,
    },
    { status: isSaturated ? STATUS.saturated : STATUS.badRequest },
  )
}

function writeTask(row: TaskRow, options: TaskOptions): JsonObject {
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
    imageUrl: clientImageUrl(row, imageUrl, options),
    status: row.status,
    progress: row.progress,
    failReason: row.fail_reason,
    buttons: buttons.length === 0 ? null : buttons,
    maskBase64: '',
    properties,
  }
}

/** Changes with every response while the image is in progress, so that clients do not cache an early version. */
function clientImageUrl(row: TaskRow, imageUrl: string, options: TaskOptions): string {
  const { MjForwardUrlEnabled: isForwarded, ServerAddress: serverAddress } = options
  const url = drawingImageUrl({ taskId: row.task_id, imageUrl }, { isForwarded, serverAddress })
  return row.outcome === 'open' && url !== imageUrl ? `${url}?rand=${nowMs()}` : url
}

type ParsedDrawing = Pick<TaskDraft, 'action' | 'prompt' | 'origin'>
type DrawingParser = (json: JsonObject, settings: TaskParseOptions) => ParsedDrawing

const newDrawing = (action: string, prompt = ''): ParsedDrawing => ({ action, prompt, origin: undefined })

const followUp = (action: string, origin: TaskOrigin): ParsedDrawing => ({ action, prompt: '', origin })

/** The parser of each path, by its last segment. */
const PARSERS: Readonly<Record<string, DrawingParser>> = {
  imagine: json => newDrawing('IMAGINE', requireText(json.prompt, 'prompt_is_required')),
  shorten: json => newDrawing('SHORTEN', requireText(json.prompt, 'prompt_is_required')),
  describe: json => newDrawing('DESCRIBE', asString(json.link) ?? ''),
  blend: () => newDrawing('BLEND'),
  'upload-discord-images': () => newDrawing('UPLOAD'),
  swap: parseSwap,
  modal: json => ({ ...followUp('MODAL', parseOrigin(json, false)), prompt: asString(json.prompt) ?? '' }),
  change: parseChange,
  'simple-change': parseSimpleChange,
  action: (json, { isPriced }) => {
    const customId = requireText(json.customId, 'custom_id_is_required')
    return followUp(buttonAction(customId, isPriced), parseOrigin(json))
  },
}

export const DRAWING_ACTIONS: readonly string[] = Object.keys(PARSERS)

/** Throws TaskError when the request is invalid. */
function parseDrawing({ kind, json }: UnparsedTask, settings: TaskParseOptions): TaskDraft {
  const parse = PARSERS[kind]
  if (!parse) throw new TaskError('unknown_relay_action', sameInBoth(kind))
  const body = toProviderBody(json, settings)
  const draft = parse(body, settings)
  return { ...draft, model: drawingModel(draft.action), path: providerPath(kind), clientBody: body }
}

const providerPath = (kind: string): string =>
  kind === 'swap' ? '/mj/insight-face/swap' : `/mj/submit/${kind}`

const drawingModel = (action: string): string =>
  action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`

const MODE_FLAGS = /\s*--(fast|relax|turbo)\b/gi

/** Applies the options to the client's body: account filter, callback URL and mode flags. */
function toProviderBody(
  { accountFilter, notifyHook, ...json }: JsonObject,
  options: TaskParseOptions,
): JsonObject {
  const callbackUrl = options.MjNotifyEnabled ? asString(notifyHook) || options.notificationUrl : ''
  const prompt = asString(json.prompt)
  return {
    ...json,
    ...(options.MjAccountFilterEnabled && accountFilter !== undefined && { accountFilter }),
    ...(callbackUrl !== '' && { notifyHook: callbackUrl }),
    ...(options.MjModeClearEnabled &&
      prompt !== undefined && { prompt: prompt.replace(MODE_FLAGS, '').trim() }),
  }
}

const parseOrigin = (json: JsonObject, mustBeFinished = true): TaskOrigin => ({
  taskId: requireText(json.taskId, 'task_id_is_required'),
  mustBeFinished,
})

function parseSwap(json: JsonObject): ParsedDrawing {
  if (!asString(json.sourceBase64) || !asString(json.targetBase64))
    throw new TaskError('sour_base64_and_target_base64_is_required')
  return newDrawing('SWAP_FACE', 'InsightFace')
}

const CHANGE_ACTIONS: readonly string[] = ['UPSCALE', 'VARIATION', 'REROLL']

function parseChange(json: JsonObject): ParsedDrawing {
  const origin = parseOrigin(json)
  const action = requireText(json.action, 'action_is_required').toUpperCase()
  if (!CHANGE_ACTIONS.includes(action)) throw new TaskError(`unknown_action:${action}`)
  if (action !== 'REROLL' && !Number.isInteger(json.index)) throw new TaskError('index_is_required')
  return followUp(action, origin)
}

/** The id of a drawing and the change: `1751300000123456 U2`. */
const SIMPLE_CHANGE = /^(?<taskId>\S+)\s+((?<letter>[uv])[1-4]|(?<reroll>r))$/i

function parseSimpleChange(json: JsonObject): ParsedDrawing {
  const content = requireText(json.content, 'content_is_required')
  const { taskId, letter, reroll } = SIMPLE_CHANGE.exec(content.trim())?.groups ?? {}
  if (!taskId) throw new TaskError('content_parse_failed', sameInBoth(content))
  const action = reroll ? 'REROLL' : letter?.toLowerCase() === 'u' ? 'UPSCALE' : 'VARIATION'
  return followUp(action, { taskId, mustBeFinished: true })
}

/** Throws TaskError with the code when the value is missing or empty. */
function requireText(value: unknown, code: string): string {
  const text = typeof value === 'number' ? String(value) : asString(value)?.trim()
  if (!text) throw new TaskError(code)
  return text
}

/** The actions of buttons, by a part of their id; the first match decides. Source: the buttons of finished drawings. */
const BUTTON_ACTIONS: readonly (readonly [matches: (key: string) => boolean, action: string])[] = [
  [key => key.includes('upsample'), 'UPSCALE'],
  [key => key === 'variation', 'VARIATION'],
  [key => key === 'low_variation', 'LOW_VARIATION'],
  [key => key === 'high_variation', 'HIGH_VARIATION'],
  [key => key.includes('pan'), 'PAN'],
  [key => key.includes('reroll'), 'REROLL'],
  [key => key === 'Outpaint', 'ZOOM'],
  [key => key === 'CustomZoom', 'CUSTOM_ZOOM'],
  [key => key === 'Inpaint', 'INPAINT'],
]

const INDEXED_ACTIONS: readonly string[] = ['UPSCALE', 'VARIATION']

/**
 * The action of a button, by an id such as `MJ::JOB::upsample::2::hash`. An unknown button is an action of its own name
 * if that has a price. Throws TaskError.
 */
function buttonAction(customId: string, isPriced: (model: string) => boolean): string {
  const [, second = '', third = '', fourth = ''] = customId.split('::')
  const key = second === 'JOB' ? third : second
  const known = BUTTON_ACTIONS.find(([matches]) => matches(key))?.[1]
  if (known && INDEXED_ACTIONS.includes(known) && !/^\d+$/.test(fourth))
    throw new TaskError('index_parse_failed', {
      zh: `${customId} 中没有图片序号`,
      en: `${customId} has no image index`,
    })
  const own = key.toUpperCase()
  if (!known && !(/^\w+$/.test(own) && isPriced(`mj_${own.toLowerCase()}`)))
    throw new TaskError(`unknown_action:${customId}`)
  return known ?? own
}

const IMAGE_BYTES_MAX = 32 * MIB
const TIMEOUT_MS = 30_000
const STATUS_BAD_REQUEST = 400
const STATUS_NOT_FOUND = 404
const STATUS_GONE = 410
const STATUS_BAD_GATEWAY = 502

/** A finished image does not change, but one in progress does. */
const CACHE_CONTROL = 'public, max-age=86400'
const NOT_CACHED = 'no-store'

/**
 * Serves the image of a drawing under our own address. Needs no key, since image URLs are shared: the task id is the
 * secret. The provider's URL is fetched like any user-supplied one, and the content must be an image.
 */
export async function proxyImage(
  { params: { id: taskId = '' }, language }: PublicCall,
  deps: TaskDeps,
): Promise<Response> {
  const imageFailed = (status: number, text: BothLanguages): Response =>
    Response.json({ error: 'http_get_image_failed', message: text[language] }, { status })
  const row = deps.settings.current().MjForwardUrlEnabled
    ? await withStorageTimeout(findTaskByProviderId(deps.db, 'mj', taskId))
    : undefined
  const { imageUrl } = readDrawingDetail(row?.detail ?? '')
  if (!row || imageUrl === '') return toError(STATUS_BAD_REQUEST, 'midjourney_task_not_found')
  const fetched = await deps.safeFetch({ url: imageUrl, bytesMax: IMAGE_BYTES_MAX, timeoutMs: TIMEOUT_MS })
  if (fetched.kind === 'failure') {
    deps.log.warn('an image could not be fetched', { request_id: row.request_id, reason: fetched.reason.en })
    return imageFailed(STATUS_BAD_GATEWAY, {
      zh: `无法获取图片：${fetched.reason.zh}`,
      en: `the image could not be fetched: ${fetched.reason.en}`,
    })
  }
  const { status, bytes } = fetched
  if (status === STATUS_NOT_FOUND || status === STATUS_GONE)
    return imageFailed(STATUS_NOT_FOUND, {
      zh: '上游已不再保存该图片',
      en: 'the provider no longer has the image',
    })
  if (status < 200 || status > 299)
    return imageFailed(STATUS_BAD_GATEWAY, {
      zh: `无法获取图片：图片服务器返回 ${status}`,
      en: `the image could not be fetched: its server returned ${status}`,
    })
  const type = detectImageType(bytes)
  if (type === undefined)
    return imageFailed(STATUS_BAD_GATEWAY, {
      zh: '上游返回的内容不是图片',
      en: 'what the provider returned is not an image',
    })
  return new Response(bytes, {
    headers: {
      'content-type': type,
      'cache-control': row.outcome === 'open' ? NOT_CACHED : CACHE_CONTROL,
      'x-content-type-options': 'nosniff',
    },
  })
}

const toError = (status: number, error: string): Response => Response.json({ error }, { status })

/** The first bytes of image formats in hexadecimal; a dot matches any digit. Source: the formats' own specifications. */
const IMAGE_SIGNATURES: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^.{8}66747970(61766966|61766973)/, 'image/avif'],
]

const SIGNATURE_BYTES_MAX = 16

/** Detects the format from the bytes, since servers report it unreliably. Undefined for formats that browsers should not show. */
function detectImageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES_MAX)).toString('hex')
  return IMAGE_SIGNATURES.find(([pattern]) => pattern.test(start))?.[1]
}
