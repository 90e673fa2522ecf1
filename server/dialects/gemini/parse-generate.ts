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
import { stringifyExact } from '../../provider-kit/exact-numbers.ts'
import { asObject, isObject, type JsonObject, omitNullish } from '../../provider-kit/json.ts'
import { readCarriedSignature } from '../../provider-kit/rules/carried-signatures.ts'
import { unjudgedBody } from '../../provider-kit/unjudged-body.ts'
import { withModel } from '../../provider-kit/validation.ts'
import {
  type ContentJson,
  findNativeOnlyFeature,
  type GeminiPartJson,
  type GenerateJson,
  toCamelCase,
  toGenerateJson,
} from './generate-schema.ts'
import { toHostedTools } from './hosted-tools.ts'

const STREAM_METHOD = 'streamGenerateContent'
/** The maximum thinking budget for each effort, the smallest first. */
const EFFORT_OF_BUDGET: readonly (readonly [tokens: number, effort: string])[] = [
  [0, 'none'],
  [1_024, 'low'],
  [8_192, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
]

/**
 * Parses a `generateContent` or `countTokens` body. Throws a GatewayError `invalid_request` or `model_required`.
 * Source: ai.google.dev/api/generate-content
 */
export function parseGenerate(json: unknown, urlParams: UrlParams = {}): ParsedBody<ChatBody> {
  const request = toGenerateJson(withModel(unwrapped(toCamelCase(json)), urlParams.model))
  const { maxOutputTokens, candidateCount } = request.generationConfig ?? {}
  const choices = Math.max(candidateCount ?? 1, 1)
  const limit = (maxOutputTokens ?? 0) * choices
  const isStream = urlParams.method === STREAM_METHOD
  const hostedTools = toHostedTools(request.tools)
  return {
    body: { ...toChatBody(request), ...(isStream && { stream: true }) },
    model: request.model,
    isStream,
    maxOutputTokens: limit > 0 ? limit : undefined,
    choices,
    wantsUsage: true,
    nativeOnlyFeature: findNativeOnlyFeature(request),
    hostedTools,
    ...(hostedTools && { echoedFields: { searches: true } }),
  }
}

export function parseUnjudgedGenerate(json: JsonObject, { model, method }: UrlParams) {
  const limits = asObject(asObject(toCamelCase(json)).generationConfig)
  const { maxOutputTokens, candidateCount } = limits
  return unjudgedBody({
    json,
    model,
    stream: method === STREAM_METHOD,
    maxOutputTokens,
    choices: candidateCount,
    limits,
  })
}

/** A `countTokens` body may wrap a complete `generateContent` request. */
const unwrapped = (json: unknown): unknown =>
  isObject(json) && isObject(json.generateContentRequest) ? json.generateContentRequest : json

function toChatBody(request: GenerateJson): ChatBody {
  const config = request.generationConfig ?? {}
  return {
    model: request.model,
    messages: toChatMessages(request),
    ...toChatTools(request),
    ...omitNullish({
      temperature: config.temperature,
      top_p: config.topP,
      top_k: config.topK,
      seed: config.seed,
      max_tokens: config.maxOutputTokens || undefined,
      n: (config.candidateCount ?? 1) > 1 ? config.candidateCount : undefined,
      stop: config.stopSequences?.length ? config.stopSequences : undefined,
      presence_penalty: config.presencePenalty,
      frequency_penalty: config.frequencyPenalty,
      logprobs: config.responseLogprobs || undefined,
      top_logprobs: (config.responseLogprobs && config.logprobs) || undefined,
      response_format: readResponseFormat(config),
      reasoning_effort: readEffort(config),
    }),
  }
}

type GenerationConfigJson = NonNullable<GenerateJson['generationConfig']>

/** Never strict: Google's schemas lack what OpenAI requires of strict ones. */
function readResponseFormat({
  responseMimeType,
  responseSchema,
  responseJsonSchema,
}: GenerationConfigJson): ResponseFormat | undefined {
  if (responseMimeType !== 'application/json') return undefined
  const schema = responseJsonSchema ?? (responseSchema ? toJsonSchema(responseSchema) : undefined)
  return schema ? { type: 'json_schema', json_schema: { name: 'response', schema } } : { type: 'json_object' }
}

/** A negative budget leaves the effort to the model. */
function readEffort({ thinkingConfig }: GenerationConfigJson): string | undefined {
  const { thinkingBudget: budget, thinkingLevel } = thinkingConfig ?? {}
  if (thinkingLevel) return thinkingLevel.toLowerCase()
  if (budget === undefined || budget === null || budget < 0) return undefined
  return EFFORT_OF_BUDGET.find(([most]) => budget <= most)?.[1]
}

const AUDIO = /^audio\/(?:x-)?(.+)$/
const IMAGE = /^image\//

/** The system instruction and all turns as canonical messages. */
function toChatMessages({ systemInstruction, contents }: GenerateJson): readonly ChatMessage[] {
  const calls = createCallIds()
  const instruction =
    typeof systemInstruction === 'string' ? [{ text: systemInstruction }] : systemInstruction?.parts
  const text = (instruction ?? []).map(part => part.text ?? '').join('\n')
  const system: readonly ChatMessage[] = text === '' ? [] : [{ role: 'system', content: text }]
  return [...system, ...contents.flatMap(content => toMessages(content, calls))]
}

function toMessages({ role, parts }: ContentJson, calls: CallIds): readonly ChatMessage[] {
  if (role === 'model') return [toAssistantMessage(parts ?? [], calls)]
  const content = toContent((parts ?? []).flatMap(toParts))
  const results = (parts ?? []).flatMap(part => toToolMessage(part, calls))
  return content.length > 0 ? [...results, { role: 'user', content }] : results
}

function toAssistantMessage(parts: readonly GeminiPartJson[], calls: CallIds): ChatMessage {
  const thoughts = parts.filter(({ thought }) => thought)
  const content = toContent(parts.filter(({ thought }) => !thought).flatMap(toParts))
  const called = parts.flatMap(part => toToolCall(part, calls))
  const signature = thoughts.flatMap(part => readCarriedSignature(part.thoughtSignature) ?? []).at(-1)
  return {
    role: 'assistant',
    content: content.length > 0 ? content : null,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.map(({ text }) => text ?? '').join('') }),
    ...(signature && { reasoning_signature: signature }),
    ...(called.length > 0 && { tool_calls: called }),
  }
}

function toToolCall(
  { functionCall: call, thoughtSignature }: GeminiPartJson,
  calls: CallIds,
): readonly ToolCall[] {
  if (!call) return []
  const named = { name: call.name, arguments: stringifyExact(call.args ?? {}) }
  const extra = thoughtSignature && { google: { thought_signature: thoughtSignature } }
  return [
    {
      id: calls.addCall(call.name, call.id),
      type: 'function',
      function: named,
      ...(extra && { extra_content: extra }),
    },
  ]
}

function toToolMessage({ functionResponse: result }: GeminiPartJson, calls: CallIds): readonly ChatMessage[] {
  if (!result) return []
  const { name, id, response } = result
  const content = typeof response === 'string' ? response : stringifyExact(response ?? {})
  const callId = calls.matchResponse(name, id)
  return callId === undefined ? [] : [{ role: 'tool', tool_call_id: callId, content }]
}

function toParts({ text, inlineData, fileData }: GeminiPartJson): readonly ContentPart[] {
  if (text !== undefined) return [{ type: 'text', text }]
  if (fileData) return [toMedia(fileData.mimeType ?? 'image/*', fileData.fileUri)]
  if (!inlineData) return []
  const { mimeType, data } = inlineData
  const format = AUDIO.exec(mimeType)?.[1]
  return format === undefined
    ? [toMedia(mimeType, `data:${mimeType};base64,${data}`)]
    : [{ type: 'input_audio', input_audio: { data, format: format === 'mpeg' ? 'mp3' : format } }]
}

const toMedia = (mimeType: string, url: string): ContentPart =>
  IMAGE.test(mimeType)
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: 'file', file_data: url } }

/** A single text becomes a string, for providers that support text only. */
function toContent(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

/** Assigns call ids. Google's clients may omit them: a result then belongs to the oldest open call of its name. */
interface CallIds {
  addCall(name: string, id: string | null | undefined): string
  /**
   * The id of the call that a response answers. Undefined for a second response to the same call, as Gemini CLI sends
   * after it has resumed a session.
   */
  matchResponse(name: string, id: string | null | undefined): string | undefined
}

function createCallIds(): CallIds {
  const open: { readonly name: string; readonly id: string }[] = []
  const matched = new Set<string>()
  let count = 0
  return {
    addCall(name, id) {
      count += 1
      const call = { name, id: id || `call_${count}` }
      open.push(call)
      return call.id
    },
    matchResponse(name, id) {
      const at = open.findIndex(call => (id ? call.id === id : call.name === name))
      const [call] = at < 0 ? [] : open.splice(at, 1)
      const callId = id || call?.id || `call_${name}`
      if (call === undefined && matched.has(callId)) return undefined
      matched.add(callId)
      return callId
    },
  }
}

type GeminiToolFields = Pick<ChatBody, 'tools' | 'tool_choice'>
type Declarations = NonNullable<NonNullable<GenerateJson['tools']>[number]['functionDeclarations']>

/** The declared functions and the tool choice, where there are any. */
function toChatTools({ tools, toolConfig }: GenerateJson): GeminiToolFields {
  const all = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
  if (all.length === 0) return {}
  const config = toolConfig?.functionCallingConfig
  const allowed = new Set(config?.allowedFunctionNames)
  const declared = allowed.size > 1 ? all.filter(({ name }) => allowed.has(name)) : all
  const choice = toToolChoice(config)
  return { tools: declared.map(toTool), ...(choice && { tool_choice: choice }) }
}

function toTool({ name, description, parameters, parametersJsonSchema }: Declarations[number]): ChatTool {
  const schema = parametersJsonSchema ?? (parameters ? toJsonSchema(parameters) : undefined)
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(schema && { parameters: schema }),
    },
  }
}

type CallingConfig = NonNullable<GenerateJson['toolConfig']>['functionCallingConfig']

function toToolChoice(config: CallingConfig): ToolChoice | undefined {
  const [only, ...others] = config?.allowedFunctionNames ?? []
  switch (config?.mode?.toUpperCase()) {
    case 'NONE':
      return 'none'
    case 'AUTO':
      return 'auto'
    case 'VALIDATED':
      return 'validated'
    case 'ANY':
      return only !== undefined && others.length === 0
        ? { type: 'function', function: { name: only } }
        : 'required'
    default:
      return undefined
  }
}

/** Numbers that Google writes as strings. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])
const DROPPED: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering', 'example'])

/** Converts Google's OpenAPI schema to JSON Schema: types in lower case, `nullable` as a type. */
function toJsonSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(([name]) => !DROPPED.has(name))
  const converted = Object.fromEntries(entries.map(([name, value]) => [name, convert(name, value)]))
  const { type } = converted
  return schema.nullable === true && type !== undefined ? { ...converted, type: [type, 'null'] } : converted
}

function convert(name: string, value: unknown): unknown {
  if (name === 'type') return typeof value === 'string' ? value.toLowerCase() : value
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toInner(inner)]))
  if (name === 'items' || name === 'additionalProperties') return toInner(value)
  if (name === 'anyOf') return Array.isArray(value) ? value.map(toInner) : value
  return COUNTS.has(name) ? Number(value) : value
}

const toInner = (value: unknown): unknown => (isObject(value) ? toJsonSchema(value) : value)
