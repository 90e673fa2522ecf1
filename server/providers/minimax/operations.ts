import { sameInBoth } from '../../core/language.ts'
import {
  bearerHeaders,
  type EmbeddingsAdapter,
  type ImagesAdapter,
  type SpeechAdapter,
} from '../../provider-kit/contract/operation-adapter.ts'
import {
  audioContentType,
  embeddingTexts,
  imageCount,
  type SpeechBody,
} from '../../provider-kit/contract/operations.ts'
import type { ListVoices } from '../../provider-kit/contract/provider.ts'
import { usageFromTotals } from '../../provider-kit/extra-usage.ts'
import {
  type Failure,
  maskSecrets,
  type ResponseHeaders,
  readEmbeddedFailure,
  readFailure,
} from '../../provider-kit/failures.ts'
import { toAspectRatio } from '../../provider-kit/gemini-generate/imagen.ts'
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../provider-kit/json.ts'
import { openaiUrl } from '../../provider-kit/openai-compatible/request.ts'
import { voicesFailed } from '../../provider-kit/openai-compatible/voices.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'

/**
 * Texts are embedded as documents (`db`) unless the client sends `query`. Source:
 * platform.minimaxi.com/document/Embeddings
 */
export const embeddings: EmbeddingsAdapter = {
  request: call => ({
    url: openaiUrl(call.channel.baseUrl, '/v1/embeddings'),
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      texts: embeddingTexts(call.body),
      type: call.body.type === 'query' ? 'query' : 'db',
    }),
  }),
  reply(json) {
    const failure = isObject(json) ? readBaseFailure(json) : undefined
    if (failure || !isObject(json) || !Array.isArray(json.vectors))
      return { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
    return {
      kind: 'reply',
      reply: { vectors: json.vectors.map(vector => asArray(vector).map(Number)) },
      usage: usageFromTotals({ prompt: asCount(json.total_tokens), completion: 0 }),
    }
  },
  failure: readAnyFailure,
}

const readTexts = (list: unknown): readonly string[] => asArray(list).filter(item => typeof item === 'string')

/** Source: platform.minimaxi.com/document/image_generation */
export const images: ImagesAdapter = {
  request: call => ({
    url: openaiUrl(call.channel.baseUrl, '/v1/image_generation'),
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      prompt: call.body.prompt,
      n: imageCount(call.body),
      aspect_ratio: toAspectRatio(call.body.size),
      response_format: call.body.response_format === 'b64_json' ? 'base64' : 'url',
    }),
  }),
  reply(json) {
    const failure = readBaseFailure(asObject(json))
    const { image_urls, image_base64 } = asObject(asObject(json).data)
    const generated = [
      ...readTexts(image_urls).map(url => ({ url })),
      ...readTexts(image_base64).map(b64_json => ({ b64_json })),
    ]
    return failure || generated.length === 0
      ? { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
      : { kind: 'reply', reply: { images: generated } }
  },
  failure: readAnyFailure,
}

const VOICE_DEFAULT = 'male-qn-qingse'
const FORMATS: readonly string[] = ['mp3', 'pcm', 'flac', 'wav']
const SAMPLE_RATE = 32_000
const BIT_RATE = 128_000

const readFormat = ({ response_format }: SpeechBody): string => {
  const format = response_format ?? 'mp3'
  return FORMATS.includes(format)
    ? format
    : invalidRequest('response_format', sameInBoth(`"${format}"`), sameInBoth(FORMATS.join(', ')))
}

/** Audio arrives as hexadecimal text and is billed per character. Source: platform.minimaxi.com/document/T2A_V2 */
export const speech: SpeechAdapter = {
  request: call => ({
    url: openaiUrl(call.channel.baseUrl, '/v1/t2a_v2'),
    headers: bearerHeaders(call),
    body: JSON.stringify(toBody(call.model, call.body)),
  }),
  reply(json, { body }) {
    const failure = readBaseFailure(asObject(json))
    const audio = Buffer.from(asString(asObject(asObject(json).data).audio) ?? '', 'hex')
    if (failure || audio.length === 0)
      return { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
    const characters = asCount(asObject(asObject(json).extra_info).usage_characters)
    return {
      kind: 'reply',
      reply: { contentType: audioContentType(readFormat(body)), audio: new Uint8Array(audio) },
      usage: usageFromTotals({ prompt: characters, completion: 0 }),
    }
  },
  failure: readAnyFailure,
}

const toBody = (model: string, body: SpeechBody): JsonObject => ({
  model,
  text: body.input,
  stream: false,
  voice_setting: {
    voice_id: asString(body.voice) ?? VOICE_DEFAULT,
    speed: body.speed ?? 1,
    vol: 1,
    pitch: 0,
  },
  audio_setting: { sample_rate: SAMPLE_RATE, bitrate: BIT_RATE, format: readFormat(body), channel: 1 },
})

/** The system voices. Source: platform.minimax.io/docs/api-reference/voice-management-get */
export const voices: ListVoices = async ({ channel, model }, io) => {
  if (!model.startsWith('speech-')) return []
  const { status, json } = await io.send({
    url: openaiUrl(channel.baseUrl, '/v1/get_voice'),
    headers: bearerHeaders({ channel }),
    body: JSON.stringify({ voice_type: 'system' }),
  })
  const { system_voice } = asObject(json)
  if (!Array.isArray(system_voice)) throw voicesFailed(readBaseFailure(asObject(json))?.status ?? status)
  return system_voice.map(asObject).flatMap(({ voice_id, voice_name }) => {
    const id = asString(voice_id)
    return id === undefined ? [] : [{ id, name: asString(voice_name) ?? id }]
  })
}

/** Statuses of MiniMax's own codes. Source: platform.minimaxi.com/document/error-code */
const STATUS_OF: Readonly<Record<number, number>> = {
  1000: 500,
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1013: 500,
  1026: 400,
  1027: 400,
  1033: 500,
  1039: 429,
  2013: 400,
  2049: 401,
  2056: 429,
  2061: 403,
}
const STATUS_UNKNOWN = 502
const REVOKED_KEY_STATUSES: ReadonlySet<number> = new Set([401, 402])

/** Errors are inside a 200, as a non-zero code in `base_resp`. */
export function readBaseFailure(json: JsonObject): Failure | undefined {
  const { status_code, status_msg } = asObject(json.base_resp)
  const code = asCount(status_code)
  if (code === 0) return undefined
  const status = STATUS_OF[code] ?? STATUS_UNKNOWN
  return {
    status,
    code: String(code),
    type: 'upstream_error',
    message: maskSecrets(asString(status_msg) || `MiniMax returned the code ${code}`),
    isKeyRevoked: REVOKED_KEY_STATUSES.has(status),
  }
}

/** As `readBaseFailure`, for a response text; else the common error shapes. */
export function readAnyFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  return readBaseFailure(asObject(parseJson(body))) ?? readFailure(status, body, headers)
}
