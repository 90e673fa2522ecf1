import { sameInBoth } from '../../core/language.ts'
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
import { asString, isObject, type JsonObject, omitNullish } from '../../provider-kit/json.ts'
import { invalidRequest, withModel } from '../../provider-kit/validation.ts'
import {
  findNativeOnlyFeature,
  type ItemJson,
  type PartJson,
  type ResponseJson,
  toResponseJson,
} from './response-schema.ts'

/**
 * Parses a Responses API body. Throws a GatewayError `invalid_request` or `model_required`. Source:
 * platform.openai.com/docs/api-reference/responses/create
 */
export function parseResponse(json: unknown, { model: named }: UrlParams = {}): ParsedBody<ChatBody> {
  const request = toResponseJson(withModel(json, named))
  if (request.background)
    invalidRequest('background', sameInBoth(' true'), {
      zh: '同步请求（网关不保存响应）',
      en: 'a synchronous request: responses are not stored here',
    })
  const isStream = request.stream ?? false
  return {
    body: { ...toChatBody(request), ...(isStream && { stream: true }) },
    model: request.model,
    isStream,
    maxOutputTokens: request.max_output_tokens || undefined,
    wantsUsage: true,
    nativeOnlyFeature: findNativeOnlyFeature(request),
    echoedFields: withoutInput(request),
  }
}

/** Everything but the input, which makes a request long. */
const withoutInput = ({ input: _, ...repeated }: ResponseJson): JsonObject => repeated

function toChatBody(request: ResponseJson): ChatBody {
  const tools = (request.tools ?? []).filter(({ type }) => type === 'function').map(toTool)
  return {
    model: request.model,
    messages: toChatMessages(request),
    ...(tools.length > 0 && {
      tools,
      ...omitNullish({
        tool_choice: toToolChoice(request.tool_choice),
        parallel_tool_calls: request.parallel_tool_calls,
      }),
    }),
    ...omitNullish({
      max_tokens: request.max_output_tokens || undefined,
      temperature: request.temperature,
      top_p: request.top_p,
      reasoning_effort: request.reasoning?.effort,
      response_format: toFormat(request.text?.format),
      user: request.user,
    }),
  }
}

type FunctionToolJson = NonNullable<ResponseJson['tools']>[number]

const toTool = ({ name = '', description, parameters, strict }: FunctionToolJson): ChatTool => ({
  type: 'function',
  function: { name, ...omitNullish({ description, parameters }), ...(strict && { strict }) },
})

function toToolChoice(choice: ResponseJson['tool_choice']): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined
  return { type: 'function', function: { name: asString(choice.name) ?? '' } }
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
function toChatMessages({ instructions, input }: ResponseJson): readonly ChatMessage[] {
  const system: readonly ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : []
  if (typeof input === 'string') return [...system, { role: 'user', content: input }]
  return [...system, ...gatherTurns(input)]
}

function gatherTurns(items: readonly ItemJson[]): readonly ChatMessage[] {
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
    if (turn && startsTurn(item, turn)) endTurn()
    turn = addToTurn(turn ?? { calls: [] }, item)
  }
  endTurn()
  return messages
}

/** Items of any role but the assistant's. */
function toOtherMessage({ type, role, content, call_id = '', output }: ItemJson): ChatMessage | undefined {
  if (type === 'function_call_output')
    return { role: 'tool', tool_call_id: call_id, content: toContent(output ?? '') }
  const isMessage = type === 'message' || type === undefined || type === null
  return isMessage && role && role !== 'assistant' ? { role, content: toContent(content ?? '') } : undefined
}

/** A turn holds reasoning, text and calls in this order, each at most once. */
const startsTurn = ({ type }: ItemJson, turn: AssistantTurn): boolean =>
  type !== 'function_call' && (turn.content !== undefined || turn.calls.length > 0)

function addToTurn(turn: AssistantTurn, item: ItemJson): AssistantTurn {
  if (item.type === 'function_call') return { ...turn, calls: [...turn.calls, toToolCall(item)] }
  if (item.type !== 'reasoning') return { ...turn, content: toContent(item.content ?? '') }
  const thoughts = [...(item.summary ?? []), ...(Array.isArray(item.content) ? item.content : [])]
  const reasoning = (turn.reasoning ?? '') + thoughts.map(({ text }) => text ?? '').join('\n')
  const signature = item.encrypted_content ?? turn.signature
  return { ...turn, reasoning, ...(signature && { signature }) }
}

const toAssistantMessage = ({ content, reasoning, signature, calls }: AssistantTurn): ChatMessage => ({
  role: 'assistant',
  content: content ?? null,
  ...(reasoning && { reasoning_content: reasoning }),
  ...(signature && { reasoning_signature: signature }),
  ...(calls.length > 0 && { tool_calls: calls }),
})

const toToolCall = ({
  call_id = '',
  name = '',
  arguments: text = '',
  extra_content,
}: ItemJson): ToolCall => ({
  id: call_id,
  type: 'function',
  function: { name, arguments: text },
  ...(isObject(extra_content) && { extra_content }),
})

/** A single text becomes a string, for vendors that support text only. */
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
