import type { Usage } from '../../core/usage.ts'
import {
  getFunctionCalls,
  getToolFunction,
  isSystemMessage,
  joinTextParts,
  parseDataUrl,
  readMaxOutputTokens,
  toContentParts,
  toImageUrl,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatChunk, ChatMessage, ContentPart } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  ChatAdapter,
  StreamPiece,
  StreamReader,
  UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import { invalidKeyFormat } from '../../provider-kit/failures.ts'
import { readJsonEvents } from '../../provider-kit/framing/json-events.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { COMPATIBLE_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import { withRules } from '../../provider-kit/rules/chat-rules.ts'
import { A_URL, DATA_URL_FOR_PROVIDER, invalidRequest, partOfType } from '../../provider-kit/validation.ts'
import { resolveSparkVersion, type SparkVersion, toSignedUrl } from './endpoint.ts'
import { httpChat, readSparkError, readSparkFailure, usesHttp } from './http.ts'

/**
 * Chat over a WebSocket per request, or over HTTP where the channel is configured so. The WebSocket API always
 * streams.
 */
export const chat: ChatAdapter = withRules(
  {
    ...httpChat,
    request: call => (usesHttp(call.channel) ? httpChat.request(call) : toSocketRequest(call)),
    stream: call =>
      (usesHttp(call.channel) ? httpChat.stream?.(call) : undefined) ?? createFrameStreamReader(call),
    failure: readSparkFailure,
  },
  COMPATIBLE_RULES,
)

function toSocketRequest({ channel, model, body, nowSeconds }: AdapterCall<ChatBody>): UpstreamRequest {
  const [appId, apiSecret, apiKey] = channel.key.split('|').map(part => part.trim())
  if (!appId || !apiSecret || !apiKey) throw invalidKeyFormat('APPID|APISecret|APIKey')
  const version = resolveSparkVersion(model, channel.other)
  return {
    url: toSignedUrl(hostFor(channel.baseUrl, version) + version.path, { apiKey, apiSecret, nowSeconds }),
    headers: {},
    body: JSON.stringify(toFrame(body, version, appId)),
  }
}

const OFFICIAL = 'wss://spark-api.xf-yun.com'
const OFFICIAL_FOR_IMAGES = 'wss://spark-api.cn-huabei-1.xf-yun.com'

const hostFor = (baseUrl: string, { acceptsImages }: SparkVersion): string =>
  acceptsImages && baseUrl === OFFICIAL ? OFFICIAL_FOR_IMAGES : baseUrl

type XunfeiPieces = readonly StreamPiece<ChatChunk>[]
const NO_PIECES: XunfeiPieces = []
const LAST = 2

/** Reads WebSocket frames. Usage is in the last frame; a call arrives complete and without an id. */
function createFrameStreamReader({
  requestId,
}: Pick<AdapterCall<unknown>, 'requestId'>): StreamReader<ChatChunk> {
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false
  let calls = 0

  const readText = ({ content, reasoning_content, function_call }: JsonObject): readonly ChatChunk[] => {
    const pieces: ChatChunk[] = []
    const reasoning = asString(reasoning_content)
    const text = asString(content)
    if (reasoning) pieces.push({ type: 'reasoning-delta', text: reasoning })
    if (text) pieces.push({ type: 'text-delta', text })
    if (isObject(function_call)) {
      const { name, arguments: args } = function_call
      const id = `call_${requestId}_${calls}`
      const call = { id, name: asString(name) ?? '', arguments: asString(args) ?? '{}' }
      pieces.push({ type: 'tool-call-start', index: calls, ...call })
      calls += 1
    }
    return pieces
  }

  const readFrame = (json: JsonObject): XunfeiPieces => {
    const header = asObject(json.header)
    const failure = readSparkError(header)
    if (failure) return [{ type: 'failure', failure }]
    const payload = asObject(json.payload)
    const choices = asObject(payload.choices)
    usage = readOpenaiUsage(asObject(payload.usage).text) ?? usage
    const start: XunfeiPieces = isStarted ? NO_PIECES : [{ type: 'start', id: asString(header.sid) }]
    isStarted = true
    const pieces = asArray(choices.text).map(asObject).flatMap(readText)
    isComplete ||= choices.status === LAST
    const finish: XunfeiPieces = isComplete
      ? [{ type: 'finish', reason: calls > 0 ? 'tool_calls' : 'stop' }]
      : NO_PIECES
    return [...start, ...pieces, ...finish]
  }

  return {
    read: readJsonEvents(readFrame),
    end: () => ({ chunks: NO_PIECES, usage, isComplete }),
  }
}

const USER_CHARS_MAX = 32
const TEMPERATURE_LEAST = 0.01
const TOP_K_MAX = 6

/** Builds the request frame. Fields without a counterpart are dropped. Source: xfyun.cn/doc/spark/Web.html */
function toFrame(body: ChatBody, version: SparkVersion, appId: string): JsonObject {
  const tools = body.tool_choice === 'none' ? [] : (body.tools ?? [])
  return {
    header: {
      app_id: appId,
      uid: typeof body.user === 'string' ? body.user.slice(0, USER_CHARS_MAX) : undefined,
    },
    parameter: {
      chat: {
        domain: version.domain,
        temperature: between(body.temperature, TEMPERATURE_LEAST, 1),
        top_k: between(body.top_k, 1, TOP_K_MAX),
        max_tokens: between(readMaxOutputTokens(body), 1, version.outputTokensMax),
      },
    },
    payload: {
      message: { text: body.messages.flatMap(message => toTurns(message, version)) },
      functions: tools.length > 0 ? { text: tools.map(getToolFunction) } : undefined,
    },
  }
}

const between = (value: unknown, least: number, most: number): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, least), most) : undefined

const ACKNOWLEDGED: JsonObject = { role: 'assistant', content: 'Okay' }

function toTurns(message: ChatMessage, version: SparkVersion): readonly JsonObject[] {
  if (isSystemMessage(message)) {
    const content = toPlainText(message.content)
    return version.knowsSystem ? [{ role: 'system', content }] : [{ role: 'user', content }, ACKNOWLEDGED]
  }
  const images = toContentParts(message.content).filter(({ type }) => type !== 'text')
  const text = { role: message.role === 'assistant' ? 'assistant' : 'user', content: toText(message) }
  return [...images.map(image => toImage(image, version)), text]
}

/** The API has no turns for calls and results, so they are written as text. */
function toText(message: ChatMessage): string {
  const calls = getFunctionCalls(message).map(call => `${call.function.name}(${call.function.arguments})`)
  return [joinTextParts(message.content), ...calls].filter(text => text !== '').join('\n')
}

function toImage(part: ContentPart, { acceptsImages }: SparkVersion): JsonObject {
  if (part.type !== 'image_url' || !acceptsImages)
    return invalidRequest('messages', partOfType(part.type), {
      zh: '文本（该模型仅支持文本）',
      en: 'text for this model',
    })
  const media = parseDataUrl(toImageUrl(part.image_url))
  return media
    ? { role: 'user', content: media.data, content_type: 'image' }
    : invalidRequest('image_url', A_URL, DATA_URL_FOR_PROVIDER)
}
