import type { Usage } from '../../core/usage.ts'
import {
  functionNamesByCallId,
  getChosenFunctionName,
  getFunctionCalls,
  getToolFunction,
  isSystemMessage,
  readMaxOutputTokens,
  readStopSequences,
  rejectLegacyFunctions,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type {
  ChatBody,
  ChatChunk,
  ChatMessage,
  ChatReply,
  ChatTool,
  FinishReason,
  ToolCall,
} from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  ChatAdapter,
  StreamPiece,
  StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { readJsonEvents } from '../../provider-kit/framing/json-events.ts'
import { asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { COMPATIBLE_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import { withRules } from '../../provider-kit/rules/chat-rules.ts'
import { JSON_HEADERS, readWenxinError, readWenxinFailure, wenxinUrl } from './transport.ts'

type WenxinEnvelope = Pick<AdapterCall<unknown>, 'requestId'>

export const chat: ChatAdapter = withRules(
  {
    framing: 'sse',
    request: call => ({
      url: wenxinUrl(call),
      headers: JSON_HEADERS,
      body: JSON.stringify(toWenxinBody(call)),
    }),
    reply: readReply,
    stream: createWenxinStreamReader,
    failure: readWenxinFailure,
  },
  { ...COMPATIBLE_RULES, stopsMax: 4 },
)

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
    read: readJsonEvents(readEvent),
    end: () => ({ chunks: [], usage, isComplete }),
  }
}

const OUTPUT_TOKENS_LEAST = 2
const TEMPERATURE_LEAST = 0.01

/**
 * Builds a Wenxin body. Fields without a counterpart are dropped. Source:
 * cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t
 */
function toWenxinBody({ body, isStream }: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  const system = body.messages.filter(isSystemMessage).map(({ content }) => toPlainText(content))
  const limit = readMaxOutputTokens(body)
  const tools = body.tool_choice === 'none' ? [] : (body.tools ?? [])
  return {
    system: system.length > 0 ? system.join('\n') : undefined,
    messages: toMessages(body.messages),
    stream: isStream,
    temperature: between(body.temperature, TEMPERATURE_LEAST),
    top_p: between(body.top_p, 0),
    max_output_tokens: limit === undefined ? undefined : Math.max(limit, OUTPUT_TOKENS_LEAST),
    stop: readStopSequences(body),
    functions: tools.length > 0 ? tools.map(toFunction) : undefined,
    tool_choice: tools.length > 0 ? toChoice(body) : undefined,
    response_format: body.response_format?.type === 'json_object' ? 'json_object' : undefined,
    user_id: typeof body.user === 'string' ? body.user : undefined,
  }
}

const between = (value: unknown, least: number): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, least), 1) : undefined

function toFunction(tool: ChatTool): JsonObject {
  const { name, description, parameters } = getToolFunction(tool)
  return {
    name,
    description: description ?? name,
    parameters: parameters ?? { type: 'object', properties: {} },
  }
}

const toChoice = ({ tool_choice: choice }: ChatBody): JsonObject | undefined =>
  choice && typeof choice === 'object'
    ? { type: 'function', function: { name: getChosenFunctionName(choice) } }
    : undefined

/** Alternating turns that start and end with the user, none of them empty. */
function toMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const names = functionNamesByCallId(messages)
  const turns: JsonObject[] = []
  for (const message of messages
    .filter(message => !isSystemMessage(message))
    .map(entry => toMessage(entry, names))) {
    const last = turns.at(-1)
    if (last && last.role === message.role && last.content && message.content)
      turns[turns.length - 1] = { ...last, content: `${last.content}\n${message.content}` }
    else turns.push(message)
  }
  const opened = turns[0]?.role === 'user' ? turns : [FILLER, ...turns]
  return opened.at(-1)?.role === 'assistant' ? [...opened, FILLER] : opened
}

const FILLER: JsonObject = { role: 'user', content: '继续' }

function toMessage(message: ChatMessage, names: ReadonlyMap<string, string>): JsonObject {
  const { role, content, tool_call_id: id = '' } = message
  const text = toPlainText(content)
  if (role === 'tool') return { role: 'function', name: names.get(id ?? '') ?? id, content: text || '{}' }
  const [call] = getFunctionCalls(message)
  if (call) {
    const { name, arguments: args } = call.function
    return { role, content: null, function_call: { name, arguments: args, thoughts: text } }
  }
  return { role, content: text || '.' }
}
