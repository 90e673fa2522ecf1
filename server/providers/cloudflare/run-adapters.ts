import { GatewayError } from '../../core/errors.ts'
import {
  type AdapterCall,
  bearerHeaders,
  type ImagesAdapter,
  type RerankAdapter,
  type SpeechAdapter,
  stringifyBody,
  type TranscriptionAdapter,
  type UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import { documentText, type ImagesBody, imageCount } from '../../provider-kit/contract/operations.ts'
import {
  type Failure,
  type ResponseHeaders,
  readEmbeddedFailure,
  readFailure,
} from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { adjustBody } from '../../provider-kit/openai-compatible/request.ts'
import { countOfImages, invalidRequest } from '../../provider-kit/validation.ts'

/** The URL contains the model name with its slashes. Source: developers.cloudflare.com/workers-ai/models */
function runRequest(call: AdapterCall<unknown>, body: JsonObject | Uint8Array<ArrayBuffer>): UpstreamRequest {
  const headers = bearerHeaders(call)
  const url = workersUrl(call, `/run/${call.model}`)
  return body instanceof Uint8Array
    ? { url, headers: { ...headers, 'content-type': 'application/octet-stream' }, body }
    : { url, headers, body: stringifyBody(body, call) }
}

const readResult = (json: unknown): JsonObject => asObject(asObject(json).result)
const failed = (json: unknown) => ({ kind: 'failure', failure: readEmbeddedFailure(json) }) as const

/** Some models return image bytes, others JSON with base64. */
export const images: ImagesAdapter = {
  request: call => runRequest(call, toDrawing(call.body)),
  responseKind: (_, contentType) => (contentType.startsWith('image/') ? 'bytes' : 'json'),
  reply(response) {
    const b64_json =
      response instanceof Uint8Array
        ? Buffer.from(response).toString('base64')
        : asString(readResult(response).image)
    return b64_json ? { kind: 'reply', reply: { images: [{ b64_json }] } } : failed(response)
  },
  failure: readCloudflareFailure,
}

function toDrawing(body: ImagesBody): JsonObject {
  const count = imageCount(body)
  if (count > 1)
    invalidRequest('n', countOfImages(count), { zh: ' 1 张（Cloudflare 的限制）', en: '1 for Cloudflare' })
  const [width, height] = (body.size ?? '').split('x').map(Number)
  const own = adjustBody(body, { drop: ['model', 'n', 'size', 'quality', 'response_format', 'stream'] })
  return { ...own, ...(width && height && { width, height }) }
}

/** The large Whisper model takes base64 inside JSON, the others raw bytes. */
export const transcription: TranscriptionAdapter = {
  request: call =>
    runRequest(
      call,
      call.model.includes('large')
        ? { audio: Buffer.from(call.body.file.bytes).toString('base64'), language: call.body.language }
        : call.body.file.bytes,
    ),
  reply(json, { body }) {
    const { text, vtt } = readResult(json)
    if (typeof text !== 'string') return failed(json)
    const formattedText = body.response_format === 'vtt' ? asString(vtt) : undefined
    return { kind: 'reply', reply: { text, formattedText } }
  },
  failure: readCloudflareFailure,
}

export const speech: SpeechAdapter = {
  request: call => runRequest(call, { prompt: call.body.input, text: call.body.input, lang: call.body.lang }),
  responseKind: (_, contentType) => (contentType.startsWith('audio/') ? 'passthrough' : 'json'),
  reply(json) {
    const audio = Buffer.from(asString(readResult(json).audio) ?? '', 'base64')
    return audio.length > 0
      ? { kind: 'reply', reply: { contentType: 'audio/mpeg', audio: new Uint8Array(audio) } }
      : failed(json)
  },
  failure: readCloudflareFailure,
}

export const rerank: RerankAdapter = {
  request: call =>
    runRequest(call, {
      query: call.body.query,
      contexts: call.body.documents.map(document => ({ text: documentText(document) })),
      top_k: call.body.top_n ?? undefined,
    }),
  reply(json) {
    const { response } = readResult(json)
    if (!Array.isArray(response)) return failed(json)
    const results = asArray(response)
      .map(asObject)
      .map(({ id, score }) => ({ index: asCount(id), score: Number(score) || 0 }))
    return { kind: 'reply', reply: { results } }
  },
  failure: readCloudflareFailure,
}

const AI_GATEWAY = 'https://gateway.ai.cloudflare.com'

/**
 * The URL of a Workers AI path. The channel's field `other` holds the account, unless the base URL is an AI gateway,
 * which includes it. Throws a GatewayError `upstream_failed` where the account is missing.
 * Source: developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility
 */
export function workersUrl({ channel }: Pick<AdapterCall<unknown>, 'channel'>, path: string): string {
  if (channel.baseUrl.startsWith(AI_GATEWAY)) return channel.baseUrl + path
  if (channel.other === '')
    throw new GatewayError('upstream_failed', {
      zh: '渠道没有填写 Cloudflare 所需的 Account ID',
      en: 'the channel has no account ID, which Cloudflare requires',
    })
  return `${channel.baseUrl}/client/v4/accounts/${encodeURIComponent(channel.other)}/ai${path}`
}

/** The error code is one of Cloudflare's own numbers. */
export function readCloudflareFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const { code } = asObject(asArray(asObject(parseJson(body)).errors)[0])
  return typeof code === 'number' ? { ...failure, code: String(code) } : failure
}
