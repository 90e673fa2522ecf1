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
import { asArray, asCount, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { toOllamaBody } from './to-body.ts'

type OllamaPieces = readonly StreamPiece<ChatChunk>[]

/**
 * Ollama's native chat API, which supports more than its OpenAI-compatible one: context size, thinking, keep-alive.
 */
export const chat: ChatAdapter = {
  framing: 'ndjson',
  inlinesImages: true,
  request: call => ({
    url: `${call.channel.baseUrl}/api/chat`,
    headers: bearerHeaders(call),
    body: JSON.stringify(toOllamaBody(call)),
  }),
  reply: readReply,
  stream: createOllamaStreamReader,
}

function readReply(
  json: unknown,
  { requestId }: Pick<AdapterCall<unknown>, 'requestId'>,
): AdapterResult<ChatReply> {
  if (!isObject(json) || !isObject(json.message))
    return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const { text, reasoning, calls } = readMessage(json, requestId, 0)
  const choice = {
    text,
    reasoning: reasoning || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json.done_reason, calls.length > 0),
  }
  return {
    kind: 'reply',
    reply: { model: asString(json.model), choices: [choice] },
    usage: readOllamaUsage(json),
  }
}

function createOllamaStreamReader({
  requestId,
}: Pick<AdapterCall<unknown>, 'requestId'>): StreamReader<ChatChunk> {
  let calls = 0
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false

  const readLine = (json: JsonObject): OllamaPieces => {
    const message = readMessage(json, requestId, calls)
    const pieces: StreamPiece<ChatChunk>[] = isStarted ? [] : [{ type: 'start', model: asString(json.model) }]
    isStarted = true
    if (message.reasoning) pieces.push({ type: 'reasoning-delta', text: message.reasoning })
    if (message.text) pieces.push({ type: 'text-delta', text: message.text })
    for (const { id, function: called } of message.calls)
      pieces.push({ type: 'tool-call-start', index: calls++, id, ...called })
    if (json.done !== true) return pieces
    isComplete = true
    usage = readOllamaUsage(json)
    return [...pieces, { type: 'finish', reason: readFinish(json.done_reason, calls > 0) }]
  }

  return {
    read({ data }) {
      if (data === '') return []
      const json = parseJson(data)
      if (!isObject(json)) return [{ type: 'failure', failure: invalidJsonFailure() }]
      return json.error ? [{ type: 'failure', failure: readEmbeddedFailure(json) }] : readLine(json)
    },
    end: () => ({ chunks: [], usage, isComplete }),
  }
}

/** The content of a response, or of one line of a stream. */
interface OllamaMessage {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
}

/** Calls arrive complete and without ids. The id is derived from the request id and the number of earlier calls. */
function readMessage(json: JsonObject, requestId: string, callsBefore: number): OllamaMessage {
  const message = asObject(json.message)
  const calls = asArray(message.tool_calls).map((call, index) => {
    const { name, arguments: args } = asObject(asObject(call).function)
    return {
      id: `call_${requestId}_${callsBefore + index}`,
      type: 'function' as const,
      function: { name: asString(name) ?? '', arguments: JSON.stringify(args ?? {}) },
    }
  })
  return { text: asString(message.content) ?? '', reasoning: asString(message.thinking) ?? '', calls }
}

/** Ollama also reports `stop` for a response that ends with tool calls. */
function readFinish(reason: unknown, hasCalls: boolean): FinishReason {
  if (hasCalls) return 'tool_calls'
  return reason === 'length' ? 'length' : 'stop'
}

const readOllamaUsage = (json: JsonObject): Usage | undefined =>
  usageFromTotals({ prompt: asCount(json.prompt_eval_count), completion: asCount(json.eval_count) })
