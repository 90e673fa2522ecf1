import type { BothLanguages } from '../../core/language.ts'
import {
  type AdapterCall,
  type AdapterResult,
  bearerHeaders,
  type ImageEditsAdapter,
  type ImagesAdapter,
  type NextPoll,
  stringifyBody,
} from '../../provider-kit/contract/operation-adapter.ts'
import {
  formFileToDataUrl,
  type ImageEditsBody,
  type ImagesBody,
  type ImagesReply,
  imageCount,
} from '../../provider-kit/contract/operations.ts'
import {
  type Failure,
  type ResponseHeaders,
  readEmbeddedFailure,
  readFailure,
} from '../../provider-kit/failures.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { A_FILE, countOfImages, invalidRequest } from '../../provider-kit/validation.ts'

const ASK_AFTER_MS = 3_000
const AT_WORK: ReadonlySet<string | undefined> = new Set(['PENDING', 'RUNNING', 'SUSPENDED'])
/** These models respond synchronously, at the endpoint of the multimodal models. */
const SYNCHRONOUS_MODELS = /^qwen-image|^wan2\.[6-9]/
const SINGLE_IMAGE_MODELS = /^wanx/
const QUICK_WORK = 'multimodal-generation/generation'
const OWN_PARAMETERS = ['style', 'seed', 'prompt_extend', 'watermark'] as const
/** Codes that blame the request. Source: help.aliyun.com/zh/model-studio/error-code */
const BAD_REQUEST = /^(InvalidParameter|DataInspectionFailed|BadRequest)/

/**
 * Image generation as an asynchronous task, polled until it is done. Source:
 * help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference
 */
export const images: ImagesAdapter = {
  request: call =>
    SYNCHRONOUS_MODELS.test(call.model)
      ? toImageRequest(call, QUICK_WORK, toMessages(call.body))
      : asAsyncTask(toImageRequest(call, 'text2image/image-synthesis', toPrompt(call.body))),
  nextPoll,
  reply: readImages,
  failure: readAliFailure,
}

/** Image editing as an asynchronous task. Source: help.aliyun.com/zh/model-studio/wanx-image-edit-api-reference */
export const imageEdits: ImageEditsAdapter = {
  request: call =>
    SYNCHRONOUS_MODELS.test(call.model)
      ? toImageRequest(call, QUICK_WORK, toImageMessages(call.body))
      : asAsyncTask(toImageRequest(call, 'image2image/image-synthesis', toTask(call))),
  nextPoll,
  reply: readImages,
  failure: readAliFailure,
}

const toImageRequest = (call: AdapterCall<ImagesBody | ImageEditsBody>, path: string, input: JsonObject) => ({
  url: `${call.channel.baseUrl}/api/v1/services/aigc/${path}`,
  headers: bearerHeaders(call),
  body: stringifyBody({ model: call.model, input, parameters: toParameters(call.body) }, call),
})

const asAsyncTask = (request: ReturnType<typeof toImageRequest>) => ({
  ...request,
  headers: { ...request.headers, 'x-dashscope-async': 'enable' },
})

const toPrompt = ({ prompt, negative_prompt }: ImagesBody): JsonObject => ({ prompt, negative_prompt })

const toMessages = ({ prompt }: ImagesBody): JsonObject => ({
  messages: [{ role: 'user', content: [{ text: prompt }] }],
})

function toImageMessages({ prompt, image, mask }: ImageEditsBody): JsonObject {
  if (mask) invalidRequest('mask', A_FILE, NO_MASK)
  const imageParts = image.map(file => ({ image: formFileToDataUrl(file) }))
  return { messages: [{ role: 'user', content: [...imageParts, { text: prompt }] }] }
}

const NO_MASK: BothLanguages = { zh: '不带蒙版（该模型不支持）', en: 'none for this model' }

/** Wanx edits a single image, with or without a mask; later models take several. */
function toTask({ model, body: { prompt, image, mask } }: AdapterCall<ImageEditsBody>): JsonObject {
  const [first, ...more] = image.map(formFileToDataUrl)
  if (!SINGLE_IMAGE_MODELS.test(model)) {
    if (mask) invalidRequest('mask', A_FILE, NO_MASK)
    return { prompt, images: [first, ...more] }
  }
  if (more.length > 0)
    invalidRequest('image', countOfImages(image.length), {
      zh: ' 1 张（该模型的限制）',
      en: '1 for this model',
    })
  return {
    function: mask ? 'description_edit_with_mask' : 'description_edit',
    prompt,
    base_image_url: first,
    ...(mask && { mask_image_url: formFileToDataUrl(mask) }),
  }
}

function toParameters(body: ImagesBody | ImageEditsBody): JsonObject {
  const own = OWN_PARAMETERS.flatMap(name => (body[name] === undefined ? [] : [[name, body[name]]]))
  return {
    size: body.size?.replace('x', '*'),
    n: imageCount(body),
    ...Object.fromEntries(own),
  }
}

function nextPoll(json: unknown, call: AdapterCall<ImagesBody | ImageEditsBody>): NextPoll | undefined {
  const { task_id, task_status } = asObject(asObject(json).output)
  const id = asString(task_id)
  if (!id || !AT_WORK.has(asString(task_status))) return undefined
  const url = `${call.channel.baseUrl}/api/v1/tasks/${encodeURIComponent(id)}`
  return { request: { method: 'GET', url, headers: bearerHeaders(call) }, afterMs: ASK_AFTER_MS }
}

/** Some images of a task may have failed. The others still count. */
function readImages(json: unknown): AdapterResult<ImagesReply> {
  const output = asObject(asObject(json).output)
  const results = asArray(output.results).map(asObject)
  const contentParts = asArray(output.choices).flatMap(choice =>
    asArray(asObject(asObject(choice).message).content).map(asObject),
  )
  const generated = [
    ...results.flatMap(({ url, actual_prompt }) => toImage(url, actual_prompt)),
    ...contentParts.flatMap(({ image }) => toImage(image, undefined)),
  ]
  if (generated.length > 0) return { kind: 'reply', reply: { images: generated } }
  return { kind: 'failure', failure: readTaskFailure(json, output) }
}

const toImage = (url: unknown, prompt: unknown) =>
  typeof url === 'string' ? [{ url, ...(typeof prompt === 'string' && { revised_prompt: prompt }) }] : []

function readTaskFailure(json: unknown, output: JsonObject): Failure {
  const failed = isObject(output) && asString(output.code) ? output : asObject(json)
  const code = asString(failed.code)
  if (!code) return readEmbeddedFailure(json)
  return {
    status: BAD_REQUEST.test(code) ? 400 : 500,
    code,
    message: asString(failed.message) || `Ali returned the code ${code}`,
  }
}

const SUSPENDED_ACCOUNT_CODES: ReadonlySet<string> = new Set([
  'Arrearage',
  'InvalidApiKey',
  'AccessDenied.Unpurchased',
])

/** Ali's own errors have their code at the top level. An unpaid account is reported as a 400. */
export function readAliFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const own = asString(asObject(parseJson(body)).code)
  const isAccountSuspended = SUSPENDED_ACCOUNT_CODES.has(own ?? failure.code)
  return {
    ...failure,
    code: own ?? failure.code,
    isKeyRevoked: isAccountSuspended || failure.isKeyRevoked,
    isRetryable: isAccountSuspended ? true : failure.isRetryable,
  }
}
