import type { JsonObject } from '../../provider-kit/chat.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import type { ChatExchange, NativeExchange } from '../../provider-kit/provider.ts'
import { readFailure, readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { versionedUrl } from '../../provider-kit/versioned-url.ts'
import { rulesOf } from './model-rules.ts'
import { isMessage, readReply } from './reply.ts'
import { openAnthropicStream } from './stream.ts'
import { asksToThink, planThinking, withoutThinkingSuffix } from './thinking.ts'
import { toAnthropicBody } from './to-body.ts'
import { readAnthropicUsage } from './usage.ts'

const API_VERSION = '2023-06-01'

export const anthropicHeaders = ({ channel }: Pick<Call<unknown>, 'channel'>): Record<string, string> => ({
  'x-api-key': channel.key,
  'anthropic-version': API_VERSION,
  'content-type': 'application/json',
})

const toRequest = (call: Call<unknown>, body: JsonObject) => ({
  url: versionedUrl(call.channel.baseUrl, '/v1/messages'),
  headers: anthropicHeaders(call),
  body: JSON.stringify(body),
})

export const chat: ChatExchange = {
  wire: 'anthropic',
  framing: 'sse',
  request: call => toRequest(call, toAnthropicBody(call)),
  reply: readReply,
  stream: openAnthropicStream,
  failure: readAnthropicFailure,
}

/** For clients that speak to Claude themselves: their body goes out as it is, but for the model and its suffix. */
export const native: NativeExchange = {
  wire: 'anthropic',
  framing: 'sse',
  request: call => toRequest(call, toNativeBody(call)),
  reply: json =>
    isMessage(json)
      ? { kind: 'reply', reply: json, usage: readAnthropicUsage(json.usage) }
      : { kind: 'failure', failure: readHiddenFailure(json) },
  stream: openAnthropicStream,
  failure: readAnthropicFailure,
}

function toNativeBody({ body, model: name }: Call<JsonObject>): JsonObject {
  const model = withoutThinkingSuffix(name)
  if (!asksToThink(name) || body.thinking) return { ...body, model }
  const maxTokens = typeof body.max_tokens === 'number' ? body.max_tokens : 0
  const plan = planThinking({ hasSuffix: true, effort: undefined, maxTokens }, rulesOf(model))
  if (!plan) return { ...body, model }
  const { temperature, top_p, top_k, ...rest } = body
  return { ...rest, model, max_tokens: plan.maxTokens, thinking: plan.thinking }
}

/** An empty account comes as a 400 about the request; another channel's account may well pay for it. */
function readAnthropicFailure(status: number, body: string, headers: Headers): Failure {
  const failure = readFailure(status, body, headers)
  const isUnpaid = /credit balance is too low/i.test(failure.message)
  return isUnpaid ? { ...failure, isKeyDead: true, isRetryable: true } : failure
}
