import type { JsonObject } from '../../provider-kit/chat.ts'
import type { Call, Replied, Unfinished } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import {
  countOfPictures,
  type ImageEditsBody,
  type ImagesBody,
  type ImagesReply,
} from '../../provider-kit/images.ts'
import { isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import type { ImageEditsExchange, ImagesExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { sentFileUrl } from '../../provider-kit/sent-file-url.ts'
import { readAliFailure } from './failure.ts'

const ASK_AFTER_MS = 3_000
const AT_WORK: ReadonlySet<string | undefined> = new Set(['PENDING', 'RUNNING', 'SUSPENDED'])
/** They answer at once, by the address of models that see and draw. */
const ANSWERS_AT_ONCE = /^qwen-image|^wan2\.[6-9]/
const OF_ONE_PICTURE = /^wanx/
const QUICK_WORK = 'multimodal-generation/generation'
const OWN_PARAMETERS = ['style', 'seed', 'prompt_extend', 'watermark'] as const
/** Codes that blame the request. Source: help.aliyun.com/zh/model-studio/error-code */
const BAD_REQUEST = /^(InvalidParameter|DataInspectionFailed|BadRequest)/

/** Pictures are work that Ali takes and that is asked for until it is done. Source: help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference */
export const images: ImagesExchange = {
  request: call =>
    ANSWERS_AT_ONCE.test(call.model)
      ? asked(call, QUICK_WORK, toMessages(call.body))
      : atWork(asked(call, 'text2image/image-synthesis', toPrompt(call.body))),
  unfinished,
  reply: readPictures,
  failure: readAliFailure,
}

/** The same for pictures made of others. Source: help.aliyun.com/zh/model-studio/wanx-image-edit-api-reference */
export const imageEdits: ImageEditsExchange = {
  request: call =>
    ANSWERS_AT_ONCE.test(call.model)
      ? asked(call, QUICK_WORK, toSeenMessages(call.body))
      : atWork(asked(call, 'image2image/image-synthesis', toTask(call))),
  unfinished,
  reply: readPictures,
  failure: readAliFailure,
}

const asked = (call: Call<ImagesBody | ImageEditsBody>, path: string, input: JsonObject) => ({
  url: `${call.channel.baseUrl}/api/v1/services/aigc/${path}`,
  headers: bearerHeaders(call),
  body: JSON.stringify({ model: call.model, input, parameters: toParameters(call.body) }),
})

const atWork = (request: ReturnType<typeof asked>) => ({
  ...request,
  headers: { ...request.headers, 'x-dashscope-async': 'enable' },
})

const toPrompt = ({ prompt, negative_prompt }: ImagesBody): JsonObject => ({ prompt, negative_prompt })

const toMessages = ({ prompt }: ImagesBody): JsonObject => ({
  messages: [{ role: 'user', content: [{ text: prompt }] }],
})

function toSeenMessages({ prompt, image, mask }: ImageEditsBody): JsonObject {
  if (mask) refuse('mask', 'a file', 'none for this model')
  const seen = image.map(picture => ({ image: sentFileUrl(picture) }))
  return { messages: [{ role: 'user', content: [...seen, { text: prompt }] }] }
}

/** Wanx changes one picture, with or without a mask; later models take several. */
function toTask({ model, body: { prompt, image, mask } }: Call<ImageEditsBody>): JsonObject {
  const [first, ...more] = image.map(sentFileUrl)
  if (!OF_ONE_PICTURE.test(model)) {
    if (mask) refuse('mask', 'a file', 'none for this model')
    return { prompt, images: [first, ...more] }
  }
  if (more.length > 0) refuse('image', `${image.length} pictures`, '1 for this model')
  return {
    function: mask ? 'description_edit_with_mask' : 'description_edit',
    prompt,
    base_image_url: first,
    ...(mask && { mask_image_url: sentFileUrl(mask) }),
  }
}

function toParameters(body: ImagesBody | ImageEditsBody): JsonObject {
  const own = OWN_PARAMETERS.flatMap(name => (body[name] === undefined ? [] : [[name, body[name]]]))
  return {
    size: body.size?.replace('x', '*'),
    n: countOfPictures(body),
    ...Object.fromEntries(own),
  }
}

function unfinished(json: unknown, call: Call<ImagesBody | ImageEditsBody>): Unfinished | undefined {
  const { task_id, task_status } = objectOf(objectOf(json).output)
  const id = textOf(task_id)
  if (!id || !AT_WORK.has(textOf(task_status))) return undefined
  const url = `${call.channel.baseUrl}/api/v1/tasks/${encodeURIComponent(id)}`
  return { request: { method: 'GET', url, headers: bearerHeaders(call) }, afterMs: ASK_AFTER_MS }
}

/** Of several pictures some may have failed: the others count. */
function readPictures(json: unknown): Replied<ImagesReply> {
  const output = objectOf(objectOf(json).output)
  const drawn = listOf(output.results).map(objectOf)
  const shown = listOf(output.choices).flatMap(choice =>
    listOf(objectOf(objectOf(choice).message).content).map(objectOf),
  )
  const pictures = [
    ...drawn.flatMap(({ url, actual_prompt }) => toPicture(url, actual_prompt)),
    ...shown.flatMap(({ image }) => toPicture(image, undefined)),
  ]
  if (pictures.length > 0) return { kind: 'reply', reply: { pictures } }
  return { kind: 'failure', failure: failureOf(json, output) }
}

const toPicture = (url: unknown, prompt: unknown) =>
  typeof url === 'string' ? [{ url, ...(typeof prompt === 'string' && { revised_prompt: prompt }) }] : []

function failureOf(json: unknown, output: JsonObject): Failure {
  const failed = isObject(output) && textOf(output.code) ? output : objectOf(json)
  const code = textOf(failed.code)
  if (!code) return readHiddenFailure(json)
  return {
    status: BAD_REQUEST.test(code) ? 400 : 500,
    code,
    message: textOf(failed.message) || `Ali answered with the code ${code}`,
  }
}
