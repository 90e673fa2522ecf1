import { z } from 'zod'
import type { BothLanguages } from '../../core/language.ts'
import type {
  ChatBody,
  ChatMessage,
  ContentPart,
  ResponseFormat,
  ToolChoice,
} from '../../provider-kit/contract/chat.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import { isObject, omitNullish } from '../../provider-kit/json.ts'
import {
  checkBody,
  MODEL_NAME_CHARS_MAX,
  OUTPUT_TOKENS_MAX,
  withModel,
} from '../../provider-kit/validation.ts'

const MESSAGES_MAX = 10_000
const PARTS_MAX = 10_000
const TOOLS_MAX = 1_024
const STOPS_MAX = 16
const TOP_K_MAX = 500
const EFFORT_OF_BUDGET: readonly (readonly [tokens: number, effort: string])[] = [
  [8_192, 'high'],
  [2_048, 'medium'],
  [0, 'low'],
]

const CoherePart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  image_url: z.looseObject({ url: z.string() }).optional(),
  document: z.unknown().optional(),
})
type CoherePart = z.infer<typeof CoherePart>

const ToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})

const CohereMessage = z.looseObject({
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: z
    .union([z.string(), z.array(CoherePart).max(PARTS_MAX)], {
      error: expected({ zh: '文本或内容数组', en: 'text or a list of parts' }),
    })
    .nullish(),
  tool_plan: z.string().nullish(),
  tool_calls: z.array(ToolCall).nullish(),
  tool_call_id: z.string().nullish(),
})
type CohereMessage = z.infer<typeof CohereMessage>

const Schema = z.record(z.string(), z.unknown())

const ChatJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  messages: z.array(CohereMessage).min(1).max(MESSAGES_MAX),
  stream: z.boolean().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({ name: z.string(), parameters: Schema.nullish() }),
      }),
    )
    .max(TOOLS_MAX)
    .nullish(),
  tool_choice: z.enum(['REQUIRED', 'NONE']).nullish(),
  response_format: z
    .looseObject({
      type: z.enum(['text', 'json_object']),
      schema: Schema.nullish(),
      json_schema: Schema.nullish(),
    })
    .nullish(),
  documents: z.array(z.unknown()).nullish(),
  thinking: z
    .looseObject({ type: z.enum(['enabled', 'disabled']), token_budget: z.int().min(0).nullish() })
    .nullish(),
  max_tokens: z.int().min(0).max(OUTPUT_TOKENS_MAX).nullish(),
  stop_sequences: z.array(z.string()).max(STOPS_MAX).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  p: z.number().min(0).max(1).nullish(),
  k: z.int().min(0).max(TOP_K_MAX).nullish(),
  seed: z.int().nullish(),
  frequency_penalty: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(0).max(1).nullish(),
  logprobs: z.boolean().nullish(),
})
type ChatJson = z.infer<typeof ChatJson>

/**
 * Parses a chat body of Cohere's second version. Throws a GatewayError `invalid_request` or `model_required`. Source:
 * docs.cohere.com/reference/chat
 */
export function parseChat(json: unknown, { model: named }: UrlParams = {}): ParsedBody<ChatBody> {
  const request = toChatJson(withModel(json, named))
  return {
    body: toChatBody(request),
    model: request.model,
    isStream: request.stream ?? false,
    maxOutputTokens: request.max_tokens || undefined,
    wantsUsage: true,
    nativeOnlyFeature: findNativeOnlyFeature(request),
  }
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toChatJson(json: unknown): ChatJson {
  checkBody(ChatJson, json)
  return json as ChatJson
}

/** The first feature that the canonical form cannot express. */
function findNativeOnlyFeature({ documents, logprobs, messages }: ChatJson): BothLanguages | undefined {
  if (documents && documents.length > 0)
    return { zh: 'documents：供引用的文档', en: 'documents: sources for citations' }
  if (logprobs) return { zh: 'logprobs：对数概率', en: 'logprobs: log probabilities' }
  const foreign = messages.flatMap(partsOf).find(({ type }) => !PART_TYPES.has(type))
  return foreign && { zh: `类型为 ${foreign.type} 的内容`, en: `a part of the type ${foreign.type}` }
}

const PART_TYPES: ReadonlySet<string> = new Set(['text', 'thinking', 'image_url', 'document'])

const partsOf = ({ content }: CohereMessage): readonly CoherePart[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content ?? []
}

function toChatBody(request: ChatJson): ChatBody {
  const { model, messages, tools } = request
  return {
    model,
    messages: messages.map(toMessage),
    ...(request.stream && { stream: true }),
    ...(tools && tools.length > 0 && { tools: tools.map(toTool) }),
    ...omitNullish({
      tool_choice: toToolChoice(request),
      response_format: toResponseFormat(request),
      reasoning_effort: toEffort(request),
      ...toSampling(request),
    }),
  }
}

/** Zero turns off Cohere's limits, which other providers reject. */
const toSampling = ({ stop_sequences: stops, ...request }: ChatJson) => ({
  max_tokens: request.max_tokens || undefined,
  stop: stops && stops.length > 0 ? stops : undefined,
  temperature: request.temperature,
  top_p: request.p,
  top_k: request.k || undefined,
  seed: request.seed,
  frequency_penalty: request.frequency_penalty,
  presence_penalty: request.presence_penalty,
})

type Tool = NonNullable<ChatJson['tools']>[number]

const toTool = ({ function: { parameters, ...called } }: Tool) => ({
  type: 'function' as const,
  function: { ...called, ...(parameters && { parameters }) },
})

const toToolChoice = ({ tool_choice: choice }: ChatJson): ToolChoice | undefined => {
  if (!choice) return undefined
  return choice === 'REQUIRED' ? 'required' : 'none'
}

function toResponseFormat({ response_format: format }: ChatJson): ResponseFormat | undefined {
  if (format?.type !== 'json_object') return undefined
  const schema = format.json_schema ?? format.schema
  return schema ? { type: 'json_schema', json_schema: { name: 'response', schema } } : { type: 'json_object' }
}

/** A budget corresponds to an effort. Without one, the model thinks as much as it does by itself. */
function toEffort({ thinking }: ChatJson): string | undefined {
  if (thinking?.type === 'disabled') return 'none'
  const budget = thinking?.token_budget
  if (budget === undefined || budget === null) return undefined
  return EFFORT_OF_BUDGET.find(([least]) => budget >= least)?.[1]
}

function toMessage(message: CohereMessage): ChatMessage {
  const { role, tool_call_id } = message
  const parts = partsOf(message)
  if (role === 'tool') return { role, tool_call_id: tool_call_id ?? '', content: joinTexts(parts) }
  if (role === 'assistant') return toAssistantMessage(message, parts)
  return { role, content: typeof message.content === 'string' ? message.content : parts.map(toContentPart) }
}

/** The plan before tool calls is reasoning. */
function toAssistantMessage(
  { tool_plan, tool_calls }: CohereMessage,
  parts: readonly CoherePart[],
): ChatMessage {
  const thinking = parts.map(part => part.thinking ?? '').join('')
  const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: args },
  }))
  return {
    role: 'assistant',
    content: joinTexts(parts),
    ...omitNullish({ reasoning_content: thinking || tool_plan || undefined }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

const toContentPart = (part: CoherePart): ContentPart =>
  part.type === 'image_url' && part.image_url
    ? { type: 'image_url', image_url: part.image_url }
    : { type: 'text', text: toText(part) }

const joinTexts = (parts: readonly CoherePart[]): string => parts.map(toText).join('')

/** Tool results are often documents, whose data is text or an object. */
function toText({ text, document }: CoherePart): string {
  if (document === undefined) return text ?? ''
  const data = isObject(document) && document.data !== undefined ? document.data : document
  return typeof data === 'string' ? data : JSON.stringify(data)
}
