import type { JsonObject } from '../chat.ts'
import type { Call, UpstreamRequest } from '../exchange.ts'
import type { ChatExchange, NativeExchange } from '../provider.ts'
import { readGeminiFailure } from './failure.ts'
import { readReply } from './reply.ts'
import { openGeminiStream } from './stream.ts'
import { toGeminiBody } from './to-body.ts'

/** Addresses a finished body of `generateContent` and says who asks. The model stands in the address. */
export type ToGeminiRequest = (call: Call<unknown>, body: JsonObject) => UpstreamRequest

/** Chat with Gemini, wherever it is hosted. Source: ai.google.dev/api/generate-content */
export const geminiChat = (toRequest: ToGeminiRequest): ChatExchange => ({
  wire: 'gemini',
  framing: 'sse',
  embedsPictures: true,
  request: call => toRequest(call, toGeminiBody(call)),
  reply: readReply,
  stream: openGeminiStream,
  failure: readGeminiFailure,
})

/** For clients that speak to Gemini themselves: the model stands in the address, so their body goes out as it is. */
export const geminiNative = (toRequest: ToGeminiRequest): NativeExchange => ({
  ...geminiChat(toRequest),
  request: call => toRequest(call, call.body),
})
