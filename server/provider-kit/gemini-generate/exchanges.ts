import type { JsonObject } from '../chat.ts'
import type { Call, UpstreamRequest } from '../exchange.ts'
import { countOf, objectOf } from '../json.ts'
import type { ChatExchange, NativeExchange } from '../provider.ts'
import { readGeminiFailure } from './failure.ts'
import { readReply } from './reply.ts'
import { openGeminiStream } from './stream.ts'
import { toThinkingConfig } from './thinking.ts'
import { toGeminiBody } from './to-body.ts'

/** Addresses a finished body of `generateContent` and says who asks. The model stands in the address. */
export type ToGeminiRequest = (call: Call<unknown>, body: JsonObject) => UpstreamRequest

/** Chat with Gemini, wherever it is hosted. Source: ai.google.dev/api/generate-content */
export const geminiChat = (toRequest: ToGeminiRequest): ChatExchange => ({
  wire: 'gemini',
  framing: 'sse',
  embedsPictures: true,
  request: call => toRequest(call, toGeminiBody(call)),
  reply: (json, call) => readReply(json, call),
  stream: call => openGeminiStream(call),
  failure: readGeminiFailure,
})

/**
 * For clients that speak to Gemini themselves: the model stands in the address, so their body goes out as it is, and
 * they hear themselves why a prompt was blocked or what the model did wrong.
 */
export const geminiNative = (toRequest: ToGeminiRequest): NativeExchange => ({
  ...geminiChat(toRequest),
  request: call => toRequest(call, toNativeBody(call)),
  reply: (json, call) => readReply(json, call, 'told'),
  stream: call => openGeminiStream(call, 'told'),
})

/** The suffix of the name says how to think, unless the client does. */
function toNativeBody({ body, model }: Call<JsonObject>): JsonObject {
  const asked = objectOf(body.generationConfig ?? body.generation_config)
  const max_tokens = countOf(asked.maxOutputTokens ?? asked.max_output_tokens) || null
  const thinkingConfig = toThinkingConfig(model, { model, messages: [], max_tokens })
  if (!thinkingConfig || asked.thinkingConfig || asked.thinking_config) return body
  const { generation_config, ...rest } = body
  return { ...rest, generationConfig: { ...asked, thinkingConfig } }
}
