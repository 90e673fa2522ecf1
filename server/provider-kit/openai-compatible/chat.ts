import type { Usage } from '../../kernel/usage.ts'
import type { ChatBody, ChatReply, JsonObject } from '../chat.ts'
import type { Call, Replied, UpstreamRequest } from '../exchange.ts'
import { isObject, listOf, textOf } from '../json.ts'
import type { ChatExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { adjustBody, type BodyDifferences } from './adjust-body.ts'
import { readChoice } from './chat-choice.ts'
import { openChatStream } from './chat-stream.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'
import { readOpenaiUsage } from './usage.ts'

/** What a vendor does differently from OpenAI's chat completions. What is left out is as OpenAI does it. */
export interface OpenaiCompatibleChat extends BodyDifferences {
  /** Under the base address. */
  readonly path?: string
  /** Where the address is not base and path. */
  readonly url?: (call: Call<ChatBody>) => string
  readonly headers?: (call: Call<ChatBody>) => Record<string, string>
  /** The vendor refuses `stream_options`. */
  readonly refusesStreamOptions?: boolean
  /** The last word on the body, for what data cannot say. */
  readonly adjust?: (body: JsonObject, call: Call<ChatBody>) => JsonObject
  /** Reads usage from a whole answer or a chunk, where it does not stand in `usage` by OpenAI's names. */
  readonly readUsage?: (json: JsonObject) => Usage | undefined
}

const CHAT_PATH = '/v1/chat/completions'
const readUsage = (json: JsonObject): Usage | undefined => readOpenaiUsage(json.usage)

/** Chat for vendors that follow OpenAI. Source: platform.openai.com/docs/api-reference/chat */
export function openaiCompatibleChat(vendor: OpenaiCompatibleChat = {}): ChatExchange {
  const usageOf = vendor.readUsage ?? readUsage
  return {
    wire: 'openai',
    framing: 'sse',
    request: call => toRequest(call, vendor),
    reply: json => readReply(json, usageOf),
    stream: () => openChatStream(usageOf),
  }
}

function toRequest(call: Call<ChatBody>, vendor: OpenaiCompatibleChat): UpstreamRequest {
  const body = adjustBody(withStreamOptions(call, vendor.refusesStreamOptions ?? false), vendor)
  return {
    url: vendor.url?.(call) ?? openaiUrl(call.channel.baseUrl, vendor.path ?? CHAT_PATH),
    headers: vendor.headers?.(call) ?? bearerHeaders(call),
    body: JSON.stringify(vendor.adjust?.(body, call) ?? body),
  }
}

/** Usage is always asked for, whatever the client wants to see: it is what the answer is charged by. */
function withStreamOptions({ body, model, isStream }: Call<ChatBody>, isRefused: boolean): JsonObject {
  const { stream_options, ...rest } = body
  if (!isStream) return { ...rest, model }
  if (isRefused) return { ...rest, model, stream: true }
  return { ...rest, model, stream: true, stream_options: { ...stream_options, include_usage: true } }
}

function readReply(json: unknown, usageOf: (json: JsonObject) => Usage | undefined): Replied<ChatReply> {
  if (!isObject(json) || json.error || !Array.isArray(json.choices))
    return { kind: 'failure', failure: readHiddenFailure(json) }
  const choices = listOf(json.choices).map(readChoice)
  return {
    kind: 'reply',
    reply: { id: textOf(json.id), model: textOf(json.model), choices },
    usage: usageOf(json),
  }
}
