import type { Usage } from '../../core/usage.ts'
import {
  getChosenFunctionName,
  getFunctionCalls,
  getToolFunction,
  isSystemMessage,
  moveToolImages,
  readStopSequences,
  rejectLegacyFunctions,
  toContentParts,
  toImageUrl,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type {
  ChatBody,
  ChatChoice,
  ChatChunk,
  ChatMessage,
  ChatReply,
  ChatTool,
  ContentPart,
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
import { usageFromTotals } from '../../provider-kit/extra-usage.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { readJsonEvents } from '../../provider-kit/framing/json-events.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { COMPATIBLE_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import { withRules } from '../../provider-kit/rules/chat-rules.ts'
import { invalidRequest, partOfType, TEXT_AND_IMAGES } from '../../provider-kit/validation.ts'
import { readErrorMessage, readTencentFailure, readWrappedError, toActionRequest } from './action-api.ts'

export const chat: ChatAdapter = withRules(
  {
    framing: 'sse',
    request: call => toActionRequest(call, 'ChatCompletions', toTencentBody(call)),
    reply: readReply,
    stream: () => createTencentStreamReader({ readFinish, readUsage: readTencentUsage }),
    failure: readTencentFailure,
  },
  COMPATIBLE_RULES,
)

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  sensitive: 'content_filter',
}

/** Undefined while the response continues. */
const readFinish = (value: unknown): FinishReason | undefined => {
  const reason = asString(value)
  return reason ? (FINISH_OF[reason] ?? 'stop') : undefined
}

export const readTencentUsage = (json: unknown): Usage | undefined => {
  const { PromptTokens, CompletionTokens } = asObject(json)
  return usageFromTotals({ prompt: asCount(PromptTokens), completion: asCount(CompletionTokens) })
}

function readReply(json: unknown): AdapterResult<ChatReply> {
  const response = asObject(asObject(json).Response)
  if (!Array.isArray(response.Choices))
    return { kind: 'failure', failure: readWrappedError(json) ?? readEmbeddedFailure(json) }
  const choices = response.Choices.map(choice => toChoice(asObject(choice)))
  return {
    kind: 'reply',
    reply: { id: asString(response.Id), choices },
    usage: readTencentUsage(response.Usage),
  }
}

function toChoice(json: JsonObject): ChatChoice {
  const message = asObject(json.Message)
  const calls = asArray(message.ToolCalls).map(call => toToolCall(asObject(call)))
  return {
    text: asString(message.Content) ?? '',
    reasoning: asString(message.ReasoningContent) || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json.FinishReason) ?? 'stop',
  }
}

function toToolCall(call: JsonObject): ToolCall {
  const { Name, Arguments } = asObject(call.Function)
  return {
    id: asString(call.Id) ?? '',
    type: 'function',
    function: { name: asString(Name) ?? '', arguments: asString(Arguments) ?? '{}' },
  }
}

interface TencentStreamState {
  readFinish(value: unknown): FinishReason | undefined
  readUsage(json: unknown): Usage | undefined
}

/** Events are not wrapped like complete responses. Usage is cumulative, and there is no end marker. */
function createTencentStreamReader({ readFinish, readUsage }: TencentStreamState): StreamReader<ChatChunk> {
  const calls = new Set<number>()
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false

  const readEvent = (json: JsonObject): readonly StreamPiece<ChatChunk>[] => {
    const failure = isObject(json.ErrorMsg) ? readErrorMessage(json.ErrorMsg) : readWrappedError(json)
    if (failure) return [{ type: 'failure', failure }]
    usage = readUsage(json.Usage) ?? usage
    const pieces: ChatChunk[] = isStarted ? [] : [{ type: 'start', id: asString(json.Id) }]
    isStarted = true
    const choice = asObject(asArray(json.Choices)[0])
    pieces.push(...deltaPieces(asObject(choice.Delta), calls))
    const reason = readFinish(choice.FinishReason)
    isComplete ||= reason !== undefined
    return reason ? [...pieces, { type: 'finish', reason }] : pieces
  }

  return {
    read: readJsonEvents(readEvent),
    end: () => ({ chunks: [], usage, isComplete }),
  }
}

function deltaPieces(delta: JsonObject, calls: Set<number>): readonly ChatChunk[] {
  const pieces: ChatChunk[] = []
  const reasoning = asString(delta.ReasoningContent)
  const text = asString(delta.Content)
  if (reasoning) pieces.push({ type: 'reasoning-delta', text: reasoning })
  if (text) pieces.push({ type: 'text-delta', text })
  for (const call of asArray(delta.ToolCalls)) pieces.push(callPiece(asObject(call), calls))
  return pieces
}

/** Every piece of a call has its id; only the first has its name. */
function callPiece(call: JsonObject, calls: Set<number>): ChatChunk {
  const index = asCount(call.Index)
  const { Name, Arguments } = asObject(call.Function)
  const text = asString(Arguments) ?? ''
  if (calls.has(index)) return { type: 'tool-arguments-delta', index, text }
  calls.add(index)
  return {
    type: 'tool-call-start',
    index,
    id: asString(call.Id) ?? '',
    name: asString(Name) ?? '',
    arguments: text,
  }
}

/**
 * Builds a chat body. The API has no output limit, so the client's limit is dropped. Source:
 * cloud.tencent.com/document/api/1729/105701
 */
function toTencentBody({ body, model, isStream }: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  const tools = body.tools ?? []
  return {
    Model: model,
    Messages: toMessages(body.messages),
    Stream: isStream,
    Temperature: body.temperature ?? undefined,
    TopP: body.top_p ?? undefined,
    Stop: readStopSequences(body),
    Seed: body.seed ?? undefined,
    EnableEnhancement: body.enable_enhancement ?? undefined,
    ...(tools.length > 0 && { Tools: tools.map(toTool), ...toToolChoice(body) }),
  }
}

/** The API takes a single system message at the start, so all system texts are joined. */
function toMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const system = messages.filter(isSystemMessage).map(({ content }) => toPlainText(content))
  const others = moveToolImages(messages.filter(message => !isSystemMessage(message))).map(toMessage)
  return system.length > 0 ? [{ Role: 'system', Content: system.join('\n\n') }, ...others] : others
}

function toMessage(message: ChatMessage): JsonObject {
  const { role: Role, content } = message
  if (Role === 'tool') return { Role, ToolCallId: message.tool_call_id ?? '', Content: toPlainText(content) }
  const calls = getFunctionCalls(message).map(({ id, function: called }, Index) => ({
    Id: id,
    Type: 'function',
    Function: { Name: called.name, Arguments: called.arguments },
    Index,
  }))
  if (calls.length > 0) return { Role, Content: toPlainText(content), ToolCalls: calls }
  const parts = toContentParts(content)
  const isPlain = parts.every(({ type }) => type === 'text')
  return isPlain ? { Role, Content: toPlainText(content) } : { Role, Contents: parts.map(toContent) }
}

function toContent(part: ContentPart): JsonObject {
  if (part.type === 'text') return { Type: 'text', Text: part.text }
  if (part.type === 'image_url') return { Type: 'image_url', ImageUrl: { Url: toImageUrl(part.image_url) } }
  return invalidRequest('messages', partOfType(part.type), TEXT_AND_IMAGES)
}

/** The schema is sent as text. */
function toTool(tool: ChatTool): JsonObject {
  const { name, description, parameters } = getToolFunction(tool)
  const Parameters = JSON.stringify(parameters ?? { type: 'object', properties: {} })
  return { Type: 'function', Function: { Name: name, Description: description, Parameters } }
}

function toToolChoice({ tool_choice: choice, tools }: ChatBody): JsonObject {
  if (!choice) return {}
  if (choice === 'none' || choice === 'auto') return { ToolChoice: choice }
  const named =
    typeof choice === 'string'
      ? tools?.[0]
      : tools?.find(tool => getToolFunction(tool).name === getChosenFunctionName(choice))
  return named ? { ToolChoice: 'custom', CustomTool: toTool(named) } : { ToolChoice: 'auto' }
}
