import type { Usage } from '../../core/usage.ts'
import {
  functionNamesByCallId,
  getFunctionCalls,
  getToolFunction,
  joinTextParts,
  moveToolImages,
  parseDataUrl,
  parseToolArguments,
  readMaxOutputTokens,
  readStopSequences,
  rejectLegacyFunctions,
  rejectRemoteImages,
  toContentParts,
  toImageUrl,
} from '../../provider-kit/chat-request.ts'
import type {
  ChatBody,
  ChatChunk,
  ChatMessage,
  ChatReply,
  FinishReason,
  ToolCall,
} from '../../provider-kit/contract/chat.ts'
import {
  type AdapterCall,
  type AdapterResult,
  bearerHeaders,
  type ChatAdapter,
  type StreamPiece,
  type StreamReader,
  stringifyBody,
} from '../../provider-kit/contract/operation-adapter.ts'
import { parseExact, stringifyExact } from '../../provider-kit/exact-numbers.ts'
import { usageFromTotals } from '../../provider-kit/extra-usage.ts'
import { invalidJsonFailure, readEmbeddedFailure } from '../../provider-kit/failures.ts'
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../provider-kit/json.ts'
import { COMPATIBLE_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import { withRules } from '../../provider-kit/rules/chat-rules.ts'
import { invalidRequest, partOfType, TEXT_AND_IMAGES } from '../../provider-kit/validation.ts'

type OllamaPieces = readonly StreamPiece<ChatChunk>[]

/**
 * Ollama's native chat API, which supports more than its OpenAI-compatible one: context size, thinking, keep-alive.
 */
export const chat: ChatAdapter = withRules(
  {
    framing: 'ndjson',
    inlinesImages: true,
    request: call => ({
      url: `${call.channel.baseUrl}/api/chat`,
      headers: bearerHeaders(call),
      body: stringifyBody(toOllamaBody(call), call),
    }),
    reply: readReply,
    stream: createOllamaStreamReader,
  },
  COMPATIBLE_RULES,
)

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
      const json = data.includes('tool_calls') ? parseExact(data) : parseJson(data)
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
      function: { name: asString(name) ?? '', arguments: stringifyExact(args ?? {}) },
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

/**
 * Ollama's own fields, which clients may send at the top level of the body. Source:
 * github.com/ollama/ollama/blob/main/docs/modelfile.md
 */
const OWN_OPTIONS = ['top_k', 'min_p', 'num_ctx', 'repeat_penalty', 'frequency_penalty', 'presence_penalty']

/** Builds a chat body. Source: github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion */
function toOllamaBody({ body, model, isStream }: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  rejectRemoteImages(body)
  const names = functionNamesByCallId(body.messages)
  const tools = body.tool_choice === 'none' ? [] : (body.tools ?? [])
  return {
    model,
    stream: isStream,
    messages: moveToolImages(body.messages).map(message => toMessage(message, names)),
    tools:
      tools.length > 0
        ? tools.map(tool => ({ type: 'function', function: getToolFunction(tool) }))
        : undefined,
    format: toFormat(body),
    think: toThink(body, model),
    keep_alive: body.keep_alive ?? undefined,
    options: toOptions(body),
  }
}

function toMessage(message: ChatMessage, names: ReadonlyMap<string, string>): JsonObject {
  const { role, tool_call_id: id } = message
  const content = joinTextParts(message.content)
  if (role === 'tool') return { role, tool_name: names.get(id ?? '') ?? message.name ?? undefined, content }
  const images = inlineImages(message)
  const calls = getFunctionCalls(message).map(({ function: called }) => ({
    function: { name: called.name, arguments: parseToolArguments(called.arguments) },
  }))
  return {
    role: role === 'developer' ? 'system' : role,
    content,
    images: images.length > 0 ? images : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
    thinking: message.reasoning_content ?? undefined,
  }
}

/** Base64 without a data URL prefix. */
const inlineImages = ({ content }: ChatMessage): readonly string[] =>
  toContentParts(content).flatMap(part => {
    if (part.type === 'text') return []
    if (part.type === 'image_url') return parseDataUrl(toImageUrl(part.image_url))?.data ?? []
    return invalidRequest('messages', partOfType(part.type), TEXT_AND_IMAGES)
  })

function toFormat({ response_format: format }: ChatBody): unknown {
  if (format?.type === 'json_schema') return format.json_schema.schema ?? 'json'
  return format?.type === 'json_object' ? 'json' : undefined
}

/** Only gpt-oss takes an effort; other models take a boolean. */
function toThink({ reasoning_effort: effort }: ChatBody, model: string): unknown {
  if (!effort) return undefined
  if (effort === 'none') return false
  return model.startsWith('gpt-oss') ? effort : true
}

function toOptions(body: ChatBody): JsonObject {
  const own = OWN_OPTIONS.map(name => [name, body[name] ?? undefined])
  return {
    ...Object.fromEntries(own),
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    seed: body.seed ?? undefined,
    num_predict: readMaxOutputTokens(body),
    stop: readStopSequences(body),
    ...(isObject(body.options) && body.options),
  }
}
