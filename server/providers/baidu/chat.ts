import type { Usage } from '../../core/usage.ts'
import type {
  ChatChunk,
  ChatReply,
  FinishReason,
  JsonObject,
  ToolCall,
} from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  ChatAdapter,
  StreamPiece,
  StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import { invalidJsonFailure, readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { toWenxinBody } from './to-body.ts'
import { JSON_HEADERS, readWenxinError, readWenxinFailure, wenxinUrl } from './transport.ts'

type WenxinEnvelope = Pick<AdapterCall<unknown>, 'requestId'>

export const chat: ChatAdapter = {
  framing: 'sse',
  request: call => ({
    url: wenxinUrl(call),
    headers: JSON_HEADERS,
    body: JSON.stringify(toWenxinBody(call)),
  }),
  reply: readReply,
  stream: createWenxinStreamReader,
  failure: readWenxinFailure,
}

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
}

function readFinish({ finish_reason, is_truncated, function_call }: JsonObject): FinishReason {
  if (isObject(function_call)) return 'tool_calls'
  return FINISH_OF[asString(finish_reason) ?? ''] ?? (is_truncated === true ? 'length' : 'stop')
}

/** A response has at most one call, complete and without an id. The id is derived from the request id. */
function readCall(
  { function_call: called }: JsonObject,
  { requestId }: WenxinEnvelope,
): ToolCall | undefined {
  if (!isObject(called)) return undefined
  const derivedId = { name: asString(called.name) ?? '', arguments: asString(called.arguments) ?? '{}' }
  return { id: `call_${requestId}_0`, type: 'function', function: derivedId }
}

function readReply(json: unknown, call: WenxinEnvelope): AdapterResult<ChatReply> {
  if (!isObject(json) || typeof json.result !== 'string')
    return { kind: 'failure', failure: readWenxinError(json) ?? readEmbeddedFailure(json) }
  const toolCall = readCall(json, call)
  const choice = {
    text: json.result,
    toolCalls: toolCall ? [toolCall] : undefined,
    finish: readFinish(json),
  }
  return {
    kind: 'reply',
    reply: { id: asString(json.id), choices: [choice] },
    usage: readOpenaiUsage(json.usage),
  }
}

/** Usage is cumulative, and `is_end` is the only end marker. */
function createWenxinStreamReader(call: WenxinEnvelope): StreamReader<ChatChunk> {
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false

  const readEvent = (json: JsonObject): readonly StreamPiece<ChatChunk>[] => {
    const failure = readWenxinError(json)
    if (failure) return [{ type: 'failure', failure }]
    usage = readOpenaiUsage(json.usage) ?? usage
    const pieces: ChatChunk[] = isStarted ? [] : [{ type: 'start', id: asString(json.id) }]
    isStarted = true
    const text = asString(json.result)
    if (text) pieces.push({ type: 'text-delta', text })
    const toolCall = readCall(json, call)
    if (toolCall) pieces.push({ type: 'tool-call-start', index: 0, id: toolCall.id, ...toolCall.function })
    if (json.is_end !== true) return pieces
    isComplete = true
    return [...pieces, { type: 'finish', reason: readFinish(json) }]
  }

  return {
    read({ data }) {
      if (data === '') return []
      const json = parseJson(data)
      return isObject(json) ? readEvent(json) : [{ type: 'failure', failure: invalidJsonFailure() }]
    },
    end: () => ({ chunks: [], usage, isComplete }),
  }
}
