import type {
  ChatBody,
  ChatMessage,
  ChatTool,
  ContentPart,
  ResponseFormat,
  ToolCall,
  ToolChoice,
} from '../../provider-kit/contract/chat.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import { readPositive } from '../../provider-kit/hosted-tools.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitNullish,
} from '../../provider-kit/json.ts'
import { readCarriedSignature } from '../../provider-kit/rules/carried-signatures.ts'
import { withModel } from '../../provider-kit/validation.ts'
import { isKnownKind } from './client-tools.ts'
import { requestsCompaction, toCompactingBody } from './compaction.ts'
import { toHostedTools } from './hosted-tools.ts'
import {
  findNativeOnlyFeature,
  type ItemJson,
  type PartJson,
  type ResponseJson,
  toResponseJson,
  withoutEncryptedParts,
} from './response-schema.ts'
import {
  CONFIGURATION,
  listAddedTools,
  readClientTool,
  SKIPPED_ITEMS,
  type ToolCatalog,
  toFunctionItems,
  toolsOf,
} from './tools.ts'

/**
 * Parses a Responses API body. Throws a GatewayError `invalid_request` or `model_required`. Source:
 * platform.openai.com/docs/api-reference/responses/create
 */
export function parseResponse(json: unknown, { model: named }: UrlParams = {}): ParsedBody<ChatBody> {
  const { input, tools } = asObject(json)
  const addedTools = listAddedTools(input)
  const catalog = toolsOf({ tools, addedTools })
  const request = toResponseJson(withFunctionItems(withModel(json, named), catalog))
  const isStream = request.stream ?? false
  const compacts = requestsCompaction(request.input)
  const chat = toChatBody(request, catalog)
  const body = compacts ? toCompactingBody(chat) : chat
  return {
    body: { ...body, ...(isStream && { stream: true }) },
    model: request.model,
    isStream,
    maxOutputTokens: request.max_output_tokens || undefined,
    wantsUsage: true,
    nativeOnlyFeature: findNativeOnlyFeature(request),
    ...(!compacts && { hostedTools: toHostedTools(request) }),
    echoedFields: {
      ...withoutInput(request),
      ...(addedTools.length > 0 && { addedTools }),
      ...(compacts && { compacts }),
    },
  }
}

const withFunctionItems = (json: unknown, catalog: ToolCatalog): unknown =>
  isObject(json) && Array.isArray(json.input)
    ? { ...json, input: toFunctionItems(json.input, catalog) }
    : json

/** Parses a body of `/v1/responses/compact`. Throws as `parseResponse`. */
export function parseCompaction(json: unknown, urlParams?: UrlParams): ParsedBody<ChatBody> {
  const request = { ...withEarlierInput(asObject(json)), stream: false }
  const { body, hostedTools: _, ...parsed } = parseResponse(request, urlParams)
  return { ...parsed, body: toCompactingBody(body) }
}

/** The conversation of an earlier response can be compacted without further input. */
const withEarlierInput = (json: JsonObject): JsonObject =>
  json.previous_response_id ? { ...json, input: json.input ?? '' } : json

/** Everything but the input, which makes a request long. */
const withoutInput = ({ input: _, ...repeated }: ResponseJson): JsonObject => repeated

function toChatBody(request: ResponseJson, catalog: ToolCatalog): ChatBody {
  const tools = listAllowed(catalog, request.tool_choice)
  return {
    model: request.model,
    messages: toChatMessages(request, catalog),
    ...(tools.length > 0 && {
      tools,
      ...omitNullish({
        tool_choice: toToolChoice(request.tool_choice, catalog),
        parallel_tool_calls: request.parallel_tool_calls,
      }),
    }),
    ...omitNullish({
      max_tokens: request.max_output_tokens || undefined,
      temperature: request.temperature,
      top_p: request.top_p,
      presence_penalty: request.presence_penalty,
      frequency_penalty: request.frequency_penalty,
      logprobs: requestsLogprobs(request) || undefined,
      top_logprobs: readPositive(request.top_logprobs),
      reasoning_effort: readEffort(request),
      response_format: toFormat(request.text?.format),
      user: request.user,
    }),
  }
}

const requestsLogprobs = ({ include, top_logprobs }: ResponseJson): boolean =>
  asArray(include).includes('message.output_text.logprobs') || readPositive(top_logprobs) !== undefined

type ToolChoiceJson = ResponseJson['tool_choice']

/** An item may change the effort for the turns after it. */
function readEffort({ input, reasoning }: ResponseJson): string | undefined {
  const updates = typeof input === 'string' ? [] : input.filter(({ type }) => type === CONFIGURATION)
  return asString(asObject(updates.at(-1)?.reasoning).effort) ?? reasoning?.effort ?? undefined
}

/** The offered functions that a choice of the type `allowed_tools` allows. */
function listAllowed(catalog: ToolCatalog, choice: ToolChoiceJson): readonly ChatTool[] {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return catalog.functions
  const tools = asArray(choice.tools).map(tool => readClientTool(asObject(tool)))
  const names = new Set(tools.map(tool => tool && catalog.functionName(tool)))
  return catalog.functions.filter(tool => names.has(tool.function.name))
}

function toToolChoice(choice: ToolChoiceJson, catalog: ToolCatalog): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined
  if (choice.type === 'allowed_tools') return choice.mode === 'required' ? 'required' : 'auto'
  const tool = readClientTool(choice)
  const name = tool && catalog.functionName(tool)
  const isOffered = catalog.functions.some(offered => offered.function.name === name)
  // A shell of the provider has the same type as one of the client.
  if (!tool || !name || (isKnownKind(tool.kind) && !isOffered)) return undefined
  return { type: 'function', function: { name } }
}

type TextFormatJson = NonNullable<ResponseJson['text']>['format']

function toFormat(format: TextFormatJson): ResponseFormat | undefined {
  if (format?.type === 'json_object') return { type: 'json_object' }
  if (format?.type !== 'json_schema') return undefined
  const { name = 'response', schema, strict } = format
  return { type: 'json_schema', json_schema: { name, ...omitNullish({ schema, strict }) } }
}

/** An assistant turn while it is collected from separate items: reasoning, text and calls. */
interface AssistantTurn {
  reasoning?: string
  signature?: string
  content?: ChatMessage['content']
  readonly calls: ToolCall[]
}

/** The instructions and all items as canonical messages. */
function toChatMessages({ instructions, input }: ResponseJson, catalog: ToolCatalog): readonly ChatMessage[] {
  const system: readonly ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : []
  if (typeof input === 'string') return [...system, { role: 'user', content: input }]
  return [...system, ...gatherTurns(input, catalog)]
}

function gatherTurns(items: readonly ItemJson[], catalog: ToolCatalog): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  let turn: AssistantTurn | undefined
  const endTurn = (): void => {
    if (turn) messages.push(toAssistantMessage(turn))
    turn = undefined
  }
  for (const item of items) {
    const other = toOtherMessage(item)
    if (other) {
      endTurn()
      messages.push(other)
      continue
    }
    if (SKIPPED_ITEMS.has(item.type ?? '')) continue
    if (turn && startsTurn(item, turn)) endTurn()
    turn = addToTurn(turn ?? { calls: [] }, item, catalog)
  }
  endTurn()
  return messages
}

/** Items of any role but the assistant's. */
function toOtherMessage(item: ItemJson): ChatMessage | undefined {
  const { type, role, content, call_id = '', output } = item
  if (type === 'agent_message') return toAgentMessage(withoutEncryptedParts(item))
  if (type === 'function_call_output')
    return { role: 'tool', tool_call_id: call_id, content: toContent(output ?? '') }
  const isMessage = type === 'message' || type === undefined || type === null
  return isMessage && role && role !== 'assistant' ? { role, content: toContent(content ?? '') } : undefined
}

/** What another agent of a thread says, for models that know one other side only. */
function toAgentMessage({ author, recipient, content }: ItemJson): ChatMessage {
  const names = [asString(author) ?? 'another agent', asString(recipient) ?? 'you']
  const heading = `Message from ${names.join(' to ')}:`
  const text = toContent(content ?? '')
  return {
    role: 'user',
    content: typeof text === 'string' ? `${heading}\n${text}` : [{ type: 'text', text: heading }, ...text],
  }
}

/** A turn holds reasoning, text and calls in this order, each at most once. */
const startsTurn = (item: ItemJson, turn: AssistantTurn): boolean =>
  !isCall(item) && (turn.content !== undefined || turn.calls.length > 0)

const isCall = ({ type }: ItemJson): boolean => type === 'function_call'

function addToTurn(turn: AssistantTurn, item: ItemJson, catalog: ToolCatalog): AssistantTurn {
  if (isCall(item)) return { ...turn, calls: [...turn.calls, toToolCall(item, catalog)] }
  if (item.type !== 'reasoning') return { ...turn, content: toContent(item.content ?? '') }
  const thoughts = [...(item.summary ?? []), ...(Array.isArray(item.content) ? item.content : [])]
  const reasoning = (turn.reasoning ?? '') + thoughts.map(({ text }) => text ?? '').join('\n')
  const signature = readCarriedSignature(item.encrypted_content) ?? turn.signature
  return { ...turn, reasoning, ...(signature && { signature }) }
}

const toAssistantMessage = ({ content, reasoning, signature, calls }: AssistantTurn): ChatMessage => ({
  role: 'assistant',
  content: content ?? null,
  ...(reasoning && { reasoning_content: reasoning }),
  ...(signature && { reasoning_signature: signature }),
  ...(calls.length > 0 && { tool_calls: calls }),
})

const toToolCall = (item: ItemJson, catalog: ToolCatalog): ToolCall => ({
  id: item.call_id ?? '',
  type: 'function',
  function: {
    name: catalog.functionName({
      kind: 'function',
      name: item.name ?? '',
      namespace: item.namespace ?? undefined,
    }),
    arguments: item.arguments ?? '',
  },
  ...(isObject(item.extra_content) && { extra_content: item.extra_content }),
})

/** A single text becomes a string, for providers that support text only. */
function toContent(content: string | readonly PartJson[]): string | readonly ContentPart[] {
  if (typeof content === 'string') return content
  const parts = content.flatMap(toParts)
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function toParts(part: PartJson): readonly ContentPart[] {
  switch (part.type) {
    case 'input_image':
      return part.image_url
        ? [
            {
              type: 'image_url',
              image_url: { url: part.image_url, ...(part.detail && { detail: part.detail }) },
            },
          ]
        : []
    case 'input_file':
      return [
        {
          type: 'file',
          file: { filename: part.filename ?? 'file', file_data: part.file_data ?? part.file_url ?? '' },
        },
      ]
    case 'input_audio':
      return part.input_audio ? [{ type: 'input_audio', input_audio: part.input_audio }] : []
    default:
      return [{ type: 'text', text: part.text ?? part.refusal ?? '' }]
  }
}
