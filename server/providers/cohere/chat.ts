import type { Usage } from '../../core/usage.ts'
import type { ChatReply, FinishReason, JsonObject } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterResult,
  Failure,
  ResponseHeaders,
} from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure, readFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString, isObject } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { openCohereStream } from './stream.ts'
import { toCohereBody } from './to-body.ts'

export const chat: ChatAdapter = {
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
export function readCohereFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  return status === 498 ? { ...failure, isKeyRevoked: true } : failure
}

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
}

const readFinish = (reason: unknown): FinishReason => FINISH_OF[asString(reason) ?? ''] ?? 'stop'

/** The tokens that the model read and wrote; `billed_units` leaves out what Cohere does not invoice. */
function readUsage(json: unknown): Usage | undefined {
  const usage = asObject(json)
  const tokens = isObject(usage.tokens) ? usage.tokens : asObject(usage.billed_units)
  return usageFromTotals({
    prompt: asCount(tokens.input_tokens),
    cachedInput: asCount(usage.cached_tokens),
    completion: asCount(tokens.output_tokens),
  })
}

function readReply(json: unknown): AdapterResult<ChatReply> {
  if (!isObject(json) || !isObject(json.message))
    return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const { message } = json
  const blocks = asArray(message.content).map(asObject)
  const calls = asArray(message.tool_calls).map(call => toToolCall(asObject(call)))
  const choice = {
    text: joined(blocks, 'text'),
    reasoning: joined(blocks, 'thinking') || asString(message.tool_plan) || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json.finish_reason),
  }
  return { kind: 'reply', reply: { id: asString(json.id), choices: [choice] }, usage: readUsage(json.usage) }
}

const joined = (blocks: readonly JsonObject[], field: 'text' | 'thinking'): string =>
  blocks.map(block => asString(block[field]) ?? '').join('')

function toToolCall(call: JsonObject) {
  const { name, arguments: args } = asObject(call.function)
  return {
    id: asString(call.id) ?? '',
    type: 'function' as const,
    function: { name: asString(name) ?? '', arguments: asString(args) ?? '{}' },
  }
}
