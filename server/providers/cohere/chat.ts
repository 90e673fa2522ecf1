import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, ChatReply, FinishReason, JsonObject } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterResult,
  ChatAdapter,
  Failure,
  ResponseHeaders,
  StreamPiece,
  StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import { invalidJsonFailure, readEmbeddedFailure, readFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { toCohereBody } from './to-body.ts'

export const chat: ChatAdapter = {
  framing: 'sse',
  request: call => ({
    url: `${call.channel.baseUrl}/v2/chat`,
    headers: bearerHeaders(call),
    body: JSON.stringify(toCohereBody(call)),
  }),
  reply: readReply,
  stream: () => createCohereStreamReader({ readFinish, readUsage }),
  failure: readCohereFailure,
}

/** 498 is Cohere's own status for an invalid or blocked token. */
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

/** The tokens that the model read and wrote. `billed_units` excludes tokens that Cohere does not invoice. */
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

type CoherePieces = readonly StreamPiece<ChatChunk>[]
const NOTHING: CoherePieces = []

interface CohereStreamState {
  readFinish(reason: unknown): FinishReason
  readUsage(json: unknown): Usage | undefined
}

/** Source: docs.cohere.com/v2/docs/streaming */
function createCohereStreamReader({ readFinish, readUsage }: CohereStreamState): StreamReader<ChatChunk> {
  const calls = new Map<number, number>()
  let usage: Usage | undefined
  let isComplete = false

  const readEvent = (json: JsonObject): CoherePieces => {
    const delta = asObject(json.delta)
    const message = asObject(delta.message)
    switch (json.type) {
      case 'message-start':
        return [{ type: 'start', id: asString(json.id) }]
      case 'content-start':
      case 'content-delta':
        return readContent(asObject(message.content))
      case 'tool-plan-delta':
        return readContent({ thinking: message.tool_plan })
      case 'tool-call-start':
        calls.set(asCount(json.index), calls.size)
        return [startCall(asObject(message.tool_calls), calls.size - 1)]
      case 'tool-call-delta':
        return addToCall(asObject(message.tool_calls), calls.get(asCount(json.index)))
      case 'message-end':
        isComplete = true
        usage = readUsage(delta.usage)
        return delta.error
          ? [{ type: 'failure', failure: readEmbeddedFailure(delta) }]
          : [{ type: 'finish', reason: readFinish(delta.finish_reason) }]
      default:
        return NOTHING
    }
  }

  return {
    read({ data }) {
      if (data === '' || data === '[DONE]') return NOTHING
      const json = parseJson(data)
      return isObject(json) ? readEvent(json) : [{ type: 'failure', failure: invalidJsonFailure() }]
    },
    end: () => ({ chunks: NOTHING, usage, isComplete }),
  }
}

function readContent(content: JsonObject): CoherePieces {
  const text = asString(content.text)
  const reasoning = asString(content.thinking)
  if (reasoning) return [{ type: 'reasoning-delta', text: reasoning }]
  return text ? [{ type: 'text-delta', text }] : NOTHING
}

function startCall(call: JsonObject, index: number): ChatChunk {
  const { name, arguments: args } = asObject(call.function)
  return {
    type: 'tool-call-start',
    index,
    id: asString(call.id) ?? '',
    name: asString(name) ?? '',
    arguments: asString(args) ?? '',
  }
}

function addToCall(call: JsonObject, index: number | undefined): CoherePieces {
  const text = asString(asObject(call.function).arguments)
  return text && index !== undefined ? [{ type: 'tool-arguments-delta', index, text }] : NOTHING
}
