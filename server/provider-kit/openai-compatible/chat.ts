import type { Usage } from '../../core/usage.ts'
import type { ChatBody, ChatReply, JsonObject } from '../chat.ts'
import type { Call, Replied, UpstreamRequest } from '../exchange.ts'
import type { Failure } from '../failure.ts'
import { isObject, listOf, objectOf, textOf } from '../json.ts'
import type { ChatExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { adjustBody, type BodyDifferences } from './adjust-body.ts'
import { readChoice } from './chat-choice.ts'
import { type AnswerReading, openChatStream } from './chat-stream.ts'
import { type DeadKeySigns, failureReader } from './dead-key-signs.ts'
import { readBrokenOff } from './read-broken-off.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'
import { readOpenaiUsage } from './usage.ts'
import { type Extension, withoutExtensions } from './without-extensions.ts'

/** What a vendor does differently from OpenAI's chat completions. What is left out is as OpenAI does it. */
export interface OpenaiCompatibleChat extends BodyDifferences {
  /** Under the base address. */
  readonly path?: string
  /** Where the address is not base and path. */
  readonly url?: (call: Call<ChatBody>) => string
  readonly headers?: (call: Call<ChatBody>) => Record<string, string>
  /** The vendor refuses `stream_options`. */
  readonly refusesStreamOptions?: boolean
  /** The vendor knows `system` only, not the newer `developer`. */
  readonly refusesDeveloperRole?: boolean
  /** The extensions of the canonical form that the vendor knows; the others are left out of bodies from other dialects. */
  readonly keeps?: readonly Extension[]
  /** The last word on the body, for what data cannot say. */
  readonly adjust?: (body: JsonObject, call: Call<ChatBody>) => JsonObject
  /** Reads usage from a whole answer or a chunk, where it does not stand in `usage` by OpenAI's names. */
  readonly readUsage?: (json: JsonObject) => Usage | undefined
  /** Finds a failure in a good answer or a chunk, where it does not stand in `error`. */
  readonly readFailure?: (json: JsonObject) => Failure | undefined
  /** Answers are not quite OpenAI's, so that they are rewritten for its clients too instead of passed on. */
  readonly isRewritten?: boolean
  readonly deadKey?: DeadKeySigns
}

const CHAT_PATH = '/v1/chat/completions'
const readUsage = (json: JsonObject): Usage | undefined => readOpenaiUsage(json.usage)
const readError = (json: JsonObject): Failure | undefined =>
  json.error ? readHiddenFailure(json) : readBrokenOff(json)

/** Chat for vendors that follow OpenAI. Source: platform.openai.com/docs/api-reference/chat */
export function openaiCompatibleChat(vendor: OpenaiCompatibleChat = {}): ChatExchange {
  const reading: AnswerReading = {
    usageOf: vendor.readUsage ?? readUsage,
    failureIn: json => vendor.readFailure?.(json) ?? readError(json),
  }
  return {
    ...(!vendor.isRewritten && { wire: 'openai' }),
    framing: 'sse',
    request: call => toRequest(call, vendor),
    reply: json => readReply(json, reading),
    stream: () => openChatStream(reading),
    ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
  }
}

function toRequest(call: Call<ChatBody>, vendor: OpenaiCompatibleChat): UpstreamRequest {
  const asked = call.isTranslated ? { ...call, body: withoutExtensions(call.body, vendor.keeps ?? []) } : call
  const body = withStreamOptions(asked, vendor.refusesStreamOptions ?? false)
  const known = vendor.refusesDeveloperRole ? withoutDeveloperRole(body) : body
  const adjusted = adjustBody(known, vendor)
  return {
    url: vendor.url?.(call) ?? openaiUrl(call.channel.baseUrl, vendor.path ?? CHAT_PATH),
    headers: vendor.headers?.(call) ?? bearerHeaders(call),
    body: JSON.stringify(vendor.adjust?.(adjusted, call) ?? adjusted),
  }
}

/** Usage is always asked for, whatever the client wants to see: it is what the answer is charged by. */
function withStreamOptions({ body, model, isStream }: Call<ChatBody>, isRefused: boolean): JsonObject {
  if (!isStream && body.stream_options === undefined) return body.model === model ? body : { ...body, model }
  const { stream_options, ...rest } = body
  if (!isStream) return { ...rest, model }
  if (isRefused) return { ...rest, model, stream: true }
  return { ...rest, model, stream: true, stream_options: { ...stream_options, include_usage: true } }
}

const withoutDeveloperRole = (body: JsonObject): JsonObject => ({
  ...body,
  messages: listOf(body.messages).map(message =>
    objectOf(message).role === 'developer' ? { ...objectOf(message), role: 'system' } : message,
  ),
})

function readReply(json: unknown, { usageOf, failureIn }: AnswerReading): Replied<ChatReply> {
  const failure = isObject(json) ? failureIn(json) : undefined
  if (failure || !isObject(json) || !Array.isArray(json.choices))
    return { kind: 'failure', failure: failure ?? readHiddenFailure(json) }
  const choices = listOf(json.choices).map(readChoice)
  return {
    kind: 'reply',
    reply: { id: textOf(json.id), model: textOf(json.model), choices },
    usage: usageOf(json),
  }
}
