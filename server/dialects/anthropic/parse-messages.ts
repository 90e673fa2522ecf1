import type {
  ChatBody,
  ChatMessage,
  ContentPart,
  ResponseFormat,
  ToolCall,
  ToolChoice,
} from '../../provider-kit/contract/chat.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import { stringifyExact } from '../../provider-kit/exact-numbers.ts'
import { asArray, asObject, asString, type JsonObject, omitNullish } from '../../provider-kit/json.ts'
import { withModel } from '../../provider-kit/validation.ts'
import { isClientTool, toFunctions } from './client-tools.ts'
import { isComputerToolset, toFunctionName } from './computer-toolset.ts'
import { isHostedTool, toHostedTools } from './hosted-tools.ts'
import {
  type InnerBlockJson as Block,
  type BlockJson,
  findNativeOnlyFeature,
  type MessageJson,
  type MessagesJson,
  toMessagesJson,
} from './messages-schema.ts'

/** OpenAI's limit for a user name. */
const USER_CHARS_MAX = 64
/** The minimum thinking budget for each effort, the largest first. */
const EFFORT_OF_BUDGET: readonly (readonly [tokens: number, effort: string])[] = [
  [8_192, 'high'],
  [2_048, 'medium'],
  [0, 'low'],
]
const HIGHEST_EFFORTS: ReadonlySet<string> = new Set(['max', 'xhigh'])

/**
 * Parses a Messages API body. Throws a GatewayError `invalid_request` or `model_required`. Source:
 * docs.claude.com/en/api/messages
 */
export function parseMessages(json: unknown, { model: named }: UrlParams = {}): ParsedBody<ChatBody> {
  const request = toMessagesJson(withTextResults(withModel(json, named)))
  const isStream = request.stream ?? false
  return {
    body: toChatBody(request, isStream),
    model: request.model,
    isStream,
    maxOutputTokens: request.max_tokens || undefined,
    wantsUsage: true,
    nativeOnlyFeature: findNativeOnlyFeature(request),
    hostedTools: toHostedTools(request),
    echoedFields: {
      ...(!asksForThinking(request) && { hidesThinking: true }),
      ...(request.tools?.some(({ type }) => isComputerToolset(type)) && { hasComputerToolset: true }),
    },
  }
}

const THINKING_TYPES: ReadonlySet<unknown> = new Set(['enabled', 'adaptive'])

/** Clients receive thinking only when they ask for it: by the field, or by the suffix of the model. */
const asksForThinking = ({ thinking, model }: MessagesJson): boolean =>
  THINKING_TYPES.has(thinking?.type) || model.endsWith('-thinking')

function toChatBody(request: MessagesJson, isStream: boolean): ChatBody {
  const user = request.metadata?.user_id
  return {
    model: request.model,
    messages: toChatMessages(request),
    ...(isStream && { stream: true }),
    ...(request.max_tokens && { max_tokens: request.max_tokens }),
    ...toChatTools(request),
    ...omitNullish({
      temperature: request.temperature,
      top_p: request.top_p,
      top_k: request.top_k,
      stop: request.stop_sequences?.length ? request.stop_sequences : undefined,
      reasoning_effort: readEffort(request),
      response_format: readResponseFormat(request),
      user: user && user.length <= USER_CHARS_MAX ? user : undefined,
    }),
  }
}

/** The effort that the client names, or the one that its thinking budget corresponds to. */
function readEffort({ thinking, output_config, messages }: MessagesJson): string | undefined {
  const stated = messages.findLast(message => message.output_config?.effort)
  const effort = (stated ?? { output_config }).output_config?.effort ?? undefined
  if (effort !== undefined) return HIGHEST_EFFORTS.has(effort) ? 'high' : effort
  if (thinking?.type !== 'enabled') return undefined
  const budget = thinking.budget_tokens ?? 0
  return EFFORT_OF_BUDGET.find(([least]) => budget >= least)?.[1]
}

function readResponseFormat({ output_config }: MessagesJson): ResponseFormat | undefined {
  const format = output_config?.format
  if (format?.type !== 'json_schema') return undefined
  return { type: 'json_schema', json_schema: { name: 'response', schema: format.schema ?? null } }
}

/** The system text and all turns as canonical messages. */
function toChatMessages({ system, messages }: MessagesJson): readonly ChatMessage[] {
  const lastOfUser = messages.findLastIndex(({ role }) => role === 'user')
  const shown = messages.filter(({ clear_at }, at) => clear_at !== 'next_user_message' || at > lastOfUser)
  return [...toSystemMessages(system ?? ''), ...shown.flatMap(toMessages)]
}

function toSystemMessages(system: NonNullable<MessagesJson['system']>): readonly ChatMessage[] {
  const content = typeof system === 'string' ? system : plainContent(system)
  return content.length > 0 ? [{ role: 'system', content }] : []
}

function toMessages({ role, content = '' }: MessageJson): readonly ChatMessage[] {
  if (role === 'system') return toSystemMessages(content)
  if (typeof content === 'string') return [{ role, content }]
  return role === 'assistant' ? [toAssistantMessage(content)] : toUserMessages(content)
}

/** Tool results come before the user's other content. */
function toUserMessages(blocks: readonly BlockJson[]): readonly ChatMessage[] {
  const results = blocks.filter(({ type }) => type === 'tool_result').map(toToolMessage)
  const others = blocks.filter(({ type }) => type !== 'tool_result')
  const content = others.length > 0 ? toContent(others) : []
  return content.length > 0 ? [...results, { role: 'user', content }] : results
}

function toToolMessage({ tool_use_id = '', content = '', is_error }: BlockJson): ChatMessage {
  const output = typeof content === 'string' ? content : plainContent(content)
  const mark: ContentPart = { type: 'text', text: 'Error:' }
  const failed = typeof output === 'string' ? `Error: ${output}` : [mark, ...output]
  return { role: 'tool', tool_call_id: tool_use_id, content: is_error ? failed : output }
}

function toAssistantMessage(blocks: readonly Block[]): ChatMessage {
  const texts = blocks.filter(({ type }) => type === 'text')
  const thoughts = blocks.filter(({ type }) => type === 'thinking')
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(toToolCall)
  const signature = thoughts.findLast(block => block.signature)?.signature
  return {
    role: 'assistant',
    content: texts.length > 0 ? toContent(texts) : null,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.map(block => block.thinking).join('') }),
    ...(signature && { reasoning_signature: signature }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

const toToolCall = ({ id = '', name = '', toolset_name, input, extra_content }: Block): ToolCall => ({
  id,
  type: 'function',
  function: { name: toFunctionName(name, toolset_name), arguments: stringifyExact(input ?? {}) },
  ...(isJsonObject(extra_content) && { extra_content }),
})

const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

/** Search results of the client as texts, in messages and in results of tools, for providers without such blocks. */
function withTextResults(json: unknown): unknown {
  const messages = asArray(asObject(json).messages)
  const texts = messages.map(message => withTextContent(message))
  return texts.every((message, at) => message === messages[at])
    ? json
    : { ...asObject(json), messages: texts }
}

function withTextContent(parent: unknown): unknown {
  const { content } = asObject(parent)
  if (!Array.isArray(content)) return parent
  const blocks = content.map(block =>
    asObject(block).type === 'search_result' ? toTextBlock(asObject(block)) : withTextContent(block),
  )
  return blocks.every((block, at) => block === content[at])
    ? parent
    : { ...asObject(parent), content: blocks }
}

function toTextBlock({ title, source, content, cache_control }: JsonObject): JsonObject {
  const texts = asArray(content).map(block => asString(asObject(block).text))
  const text = [asString(title), asString(source), ...texts].filter(Boolean).join('\n')
  return { type: 'text', text, ...(cache_control !== undefined && { cache_control }) }
}

/** A single text becomes a string, for providers that support text only. */
function toContent(blocks: readonly Block[]): string | readonly ContentPart[] {
  const parts = blocks.flatMap(toParts)
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' && !only.cache_control ? only.text : parts
}

/** Texts joined by line breaks, or parts where there is other content or a cache mark that must keep its place. */
function plainContent(blocks: readonly Block[]): string | readonly ContentPart[] {
  const parts = blocks.flatMap(toParts)
  const texts = parts.flatMap(part => (part.type === 'text' && !part.cache_control ? part.text : []))
  return texts.length === parts.length ? texts.join('\n') : parts
}

function toParts({
  type,
  text = '',
  source,
  cache_control,
  title,
  tool_name,
}: Block): readonly ContentPart[] {
  const mark = cache_control ? { cache_control } : undefined
  if (type === 'text') return [{ type, text, ...mark }]
  if (type === 'tool_reference')
    return [{ type: 'text', text: `The tool ${tool_name} is available.`, ...mark }]
  if (!source) return []
  if (source.type === 'text') return [{ type: 'text', text: source.data ?? '', ...mark }]
  const url = source.url ?? `data:${source.media_type ?? ''};base64,${source.data ?? ''}`
  if (type === 'image') return [{ type: 'image_url', image_url: { url }, ...mark }]
  const filename = typeof title === 'string' ? title : 'document.pdf'
  return [{ type: 'file', file: { filename, file_data: url }, ...mark }]
}

type AnthropicToolFields = Pick<ChatBody, 'tools' | 'tool_choice' | 'parallel_tool_calls'>

/** The tools that the client executes and the tool choice, where there are any. */
function toChatTools({ tools, tool_choice: choice }: MessagesJson): AnthropicToolFields {
  const own = tools?.filter(({ type }) => isClientTool(type)) ?? []
  if (own.length === 0) return {}
  const isHosted = tools?.some(({ type, name }) => isHostedTool(type) && name === choice?.name) ?? false
  return {
    tools: own.flatMap(toFunctions),
    ...(choice && !isHosted && { tool_choice: toToolChoice(choice) }),
    ...(choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
  }
}

const CHOICE_OF = { auto: 'auto', any: 'required', none: 'none' } as const

const toToolChoice = ({ type, name = '' }: NonNullable<MessagesJson['tool_choice']>): ToolChoice =>
  type === 'tool' ? { type: 'function', function: { name } } : CHOICE_OF[type]
