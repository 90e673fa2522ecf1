import type { JsonObject } from '../chat.ts'
import type { Call } from '../exchange.ts'
import { objectOf } from '../json.ts'
import { type DeadKeySigns, failureReader } from '../openai-compatible/dead-key-signs.ts'
import { splitEffort } from '../openai-compatible/reasoning-models.ts'
import { bearerHeaders, openaiUrl } from '../openai-compatible/transport.ts'
import type { NativeExchange } from '../provider.ts'
import { readReply } from './reply.ts'
import { openResponsesStream } from './stream.ts'

interface ResponsesVendor {
  /** Under the base address. */
  readonly path?: string
  /** Where the address is not base and path. */
  readonly url?: (call: Call<unknown>) => string
  readonly headers?: (call: Call<unknown>) => Record<string, string>
  readonly deadKey?: DeadKeySigns
}

/** For clients of the Responses API at vendors that have it. Source: platform.openai.com/docs/api-reference/responses */
export const responsesNative = (vendor: ResponsesVendor = {}): NativeExchange => ({
  wire: 'responses',
  framing: 'sse',
  request: call => ({
    url: vendor.url?.(call) ?? openaiUrl(call.channel.baseUrl, vendor.path ?? '/v1/responses'),
    headers: vendor.headers?.(call) ?? bearerHeaders(call),
    body: JSON.stringify(toNativeBody(call)),
  }),
  reply: readReply,
  stream: openResponsesStream,
  ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
})

/** An effort at the end of the model's name is no part of it. */
function toNativeBody({ body, model: name }: Call<JsonObject>): JsonObject {
  const { model, effort } = splitEffort(name)
  return effort === undefined
    ? { ...body, model }
    : { ...body, model, reasoning: { ...objectOf(body.reasoning), effort } }
}
