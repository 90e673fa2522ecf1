import { GatewayError } from '../../core/errors.ts'
import type { Usage } from '../../core/usage.ts'
import type { ChatBody, ChatChunk, JsonObject } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  ChatAdapter,
  StreamPiece,
  StreamReader,
  UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import { invalidJsonFailure } from '../../provider-kit/failures.ts'
import { asArray, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { resolveSparkVersion, type SparkVersion, toSignedUrl } from './endpoint.ts'
import { readSparkError, readSparkFailure } from './failure.ts'
import { httpChat, usesHttp } from './http.ts'
import { toFrame } from './to-frame.ts'

/**
 * Chat over a WebSocket per request, or over HTTP where the channel is configured so. The WebSocket API always
 * streams.
 */
export const chat: ChatAdapter = {
  ...httpChat,
  request: call => (usesHttp(call.channel) ? httpChat.request(call) : toSocketRequest(call)),
  stream: call =>
    (usesHttp(call.channel) ? httpChat.stream?.(call) : undefined) ?? createFrameStreamReader(call),
  failure: readSparkFailure,
}

function toSocketRequest({ channel, model, body, nowSeconds }: AdapterCall<ChatBody>): UpstreamRequest {
  const [appId, apiSecret, apiKey] = channel.key.split('|').map(part => part.trim())
  if (!appId || !apiSecret || !apiKey)
    throw new GatewayError('upstream_failed', "the channel's key must have the form APPID|APISecret|APIKey")
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
const NOTHING: XunfeiPieces = []
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
    const start: XunfeiPieces = isStarted ? NOTHING : [{ type: 'start', id: asString(header.sid) }]
    isStarted = true
    const pieces = asArray(choices.text).map(asObject).flatMap(readText)
    isComplete ||= choices.status === LAST
    const finish: XunfeiPieces = isComplete
      ? [{ type: 'finish', reason: calls > 0 ? 'tool_calls' : 'stop' }]
      : NOTHING
    return [...start, ...pieces, ...finish]
  }

  return {
    read({ data }) {
      if (data === '') return NOTHING
      const json = parseJson(data)
      return isObject(json) ? readFrame(json) : [{ type: 'failure', failure: invalidJsonFailure() }]
    },
    end: () => ({ chunks: NOTHING, usage, isComplete }),
  }
}
