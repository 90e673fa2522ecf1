import type { Usage } from '../../core/usage.ts'
import type { AnswerHeaders } from '../../provider-kit/answer-headers.ts'
import type { ChatReply, FinishReason, JsonObject } from '../../provider-kit/chat.ts'
import type { Replied } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { countOf, isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import type { ChatExchange } from '../../provider-kit/provider.ts'
import { readFailure, readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { openCohereStream } from './stream.ts'
import { toCohereBody } from './to-body.ts'

export const chat: ChatExchange = {
  framing: 'sse',
  request: call => ({
    url: `${call.channel.baseUrl}/v2/chat`,
    headers: bearerHeaders(call),
    body: JSON.stringify(toCohereBody(call)),
  }),
  reply: readReply,
  stream: () => openCohereStream({ readFinish, readUsage }),
  failure: readCohereFailure,
}

/** 498 is Cohere's own status for a token that is invalid or blocked. */
export function readCohereFailure(status: number, body: string, headers: AnswerHeaders): Failure {
  const failure = readFailure(status, body, headers)
  return status === 498 ? { ...failure, isKeyDead: true } : failure
}

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
}

const readFinish = (reason: unknown): FinishReason => FINISH_OF[textOf(reason) ?? ''] ?? 'stop'

/** The tokens that the model read and wrote; `billed_units` leaves out what Cohere does not invoice. */
function readUsage(json: unknown): Usage | undefined {
  const usage = objectOf(json)
  const tokens = isObject(usage.tokens) ? usage.tokens : objectOf(usage.billed_units)
  return usageFromTotals({
    prompt: countOf(tokens.input_tokens),
    cachedInput: countOf(usage.cached_tokens),
    completion: countOf(tokens.output_tokens),
  })
}

function readReply(json: unknown): Replied<ChatReply> {
  if (!isObject(json) || !isObject(json.message)) return { kind: 'failure', failure: readHiddenFailure(json) }
  const { message } = json
  const blocks = listOf(message.content).map(objectOf)
  const calls = listOf(message.tool_calls).map(call => toToolCall(objectOf(call)))
  const choice = {
    text: joined(blocks, 'text'),
    reasoning: joined(blocks, 'thinking') || textOf(message.tool_plan) || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json.finish_reason),
  }
  return { kind: 'reply', reply: { id: textOf(json.id), choices: [choice] }, usage: readUsage(json.usage) }
}

const joined = (blocks: readonly JsonObject[], field: 'text' | 'thinking'): string =>
  blocks.map(block => textOf(block[field]) ?? '').join('')

function toToolCall(call: JsonObject) {
  const { name, arguments: args } = objectOf(call.function)
  return {
    id: textOf(call.id) ?? '',
    type: 'function' as const,
    function: { name: textOf(name) ?? '', arguments: textOf(args) ?? '{}' },
  }
}
