import type { AnswerHeaders } from '../answer-headers.ts'
import type { JsonObject } from '../chat.ts'
import type { Call, UpstreamRequest } from '../exchange.ts'
import type { Failure } from '../failure.ts'
import type { ChatExchange, NativeExchange } from '../provider.ts'
import { readFailure } from '../read-failure.ts'
import { rulesOf } from './model-rules.ts'
import { readReply } from './reply.ts'
import { openAnthropicStream } from './stream.ts'
import { asksToThink, planThinking, withoutThinkingSuffix } from './thinking.ts'
import { toAnthropicBody } from './to-body.ts'

/** Addresses a finished body of the Messages API and says who asks. */
export type ToAnthropicRequest = (call: Call<unknown>, body: JsonObject) => UpstreamRequest

/** Chat with Claude, wherever it is hosted. Source: docs.claude.com/en/api/messages */
export const anthropicChat = (toRequest: ToAnthropicRequest): ChatExchange => ({
  wire: 'anthropic',
  framing: 'sse',
  request: call => toRequest(call, toAnthropicBody(call)),
  reply: readReply,
  stream: openAnthropicStream,
  failure: readAnthropicFailure,
})

/** For clients that speak to Claude themselves: their body goes out as it is, but for the model and its suffix. */
export const anthropicNative = (toRequest: ToAnthropicRequest): NativeExchange => ({
  ...anthropicChat(toRequest),
  request: call => toRequest(call, toNativeBody(call)),
})

/** The client's own body, with the model's name as the vendor knows it. */
export function toNativeBody({ body, model: name }: Call<JsonObject>): JsonObject {
  const model = withoutThinkingSuffix(name)
  if (!asksToThink(name) || body.thinking) return { ...body, model }
  const maxTokens = typeof body.max_tokens === 'number' ? body.max_tokens : 0
  const plan = planThinking({ hasSuffix: true, effort: undefined, maxTokens }, rulesOf(model))
  if (!plan) return { ...body, model }
  const { temperature, top_p, top_k, ...rest } = body
  return { ...rest, model, max_tokens: plan.maxTokens, thinking: plan.thinking }
}

/** An empty account comes as a 400 about the request; another channel's account may well pay for it. */
function readAnthropicFailure(status: number, body: string, headers: AnswerHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const isUnpaid = /credit balance is too low/i.test(failure.message)
  return isUnpaid ? { ...failure, isKeyDead: true, isRetryable: true } : failure
}
