import type {
  ChatBody,
  ChatMessage,
  ContentPart,
  ResponseFormat,
  ToolChoice,
} from '../../provider-kit/contract/chat.ts'
import type { ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import { stringifyExact } from '../../provider-kit/exact-numbers.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitNullish,
} from '../../provider-kit/json.ts'
import { readCarriedSignature } from '../../provider-kit/rules/carried-signatures.ts'
import { unjudgedBody } from '../../provider-kit/unjudged-body.ts'
import { withModel } from '../../provider-kit/validation.ts'
import { toHostedTools } from './hosted-tools.ts'
import {
  findNativeOnlyFeature,
  type InteractionJson,
  itemsOf,
  placeOf,
  rejectUnservedFields,
  type StepJson,
  type StepSide,
  toInteractionJson,
} from './interaction-schema.ts'

/**
 * Parses the body of a new interaction. Throws a GatewayError `invalid_request`, `model_required` or `api_not_implemented`.
 * Source: ai.google.dev/api/interactions-api
 */
export function parseInteraction(json: unknown): ParsedBody<ChatBody> {
  rejectUnservedFields(asObject(json))
  const request = toInteractionJson(withModel(json, undefined))
  const { stream, generation_config, previous_interaction_id } = request
  const isStream = stream ?? false
  return {
    body: { ...toChatBody(request), ...(isStream && { stream: true }) },
    model: request.model,
    isStream,
    maxOutputTokens: generation_config?.max_output_tokens || undefined,
    wantsUsage: true,
    nativeOnlyFeature: findNativeOnlyFeature(request),
    hostedTools: toHostedTools(request.tools ?? []),
    echoedFields: previous_interaction_id ? { previous_interaction_id } : {},
  }
}

export function parseUnjudgedInteraction(json: JsonObject): ParsedBody<ChatBody> | undefined {
  const limits = asObject(json.generation_config)
  return unjudgedBody({
    json,
    model: json.model,
    stream: json.stream,
    maxOutputTokens: limits.max_output_tokens,
    limits,
  })
}

function toChatBody(request: InteractionJson): ChatBody {
  const { model, system_instruction: system, generation_config: config = {} } = request
  const messages = toMessages(itemsOf(request.input))
  return {
    model,
    messages: system ? [{ role: 'system', content: system }, ...messages] : messages,
    ...toChatTools(request),
    ...omitNullish({
      temperature: config?.temperature,
      top_p: config?.top_p,
      seed: config?.seed,
      max_tokens: config?.max_output_tokens || undefined,
      stop: config?.stop_sequences?.length ? config.stop_sequences : undefined,
      reasoning_effort: config?.thinking_level?.toLowerCase(),
      response_format: readResponseFormat(request),
    }),
  }
}

/** The steps of the model between two of the user are one message. */
function toMessages(items: readonly StepJson[]): readonly ChatMessage[] {
  const groups: { readonly place: StepSide; readonly items: StepJson[] }[] = []
  for (const item of items) {
    const place = placeOf(item)
    const last = groups.at(-1)
    if (last && last.place === place) last.items.push(item)
    else if (place !== undefined) groups.push({ place, items: [item] })
  }
  return groups.flatMap(group => MESSAGES_OF[group.place](group.items))
}

const MESSAGES_OF: Readonly<Record<StepSide, (items: readonly StepJson[]) => readonly ChatMessage[]>> = {
  model: steps => [toAssistantMessage(steps)],
  user: steps => steps.map(toUserMessage),
  content: contents => [{ role: 'user', content: toContent(contents) }],
}

function toAssistantMessage(steps: readonly StepJson[]): ChatMessage {
  const ofType = (type: string): readonly StepJson[] => steps.filter(step => step.type === type)
  const output = ofType('model_output').flatMap(step => step.content ?? [])
  const thoughts = ofType('thought')
  const signature = thoughts.flatMap(step => readCarriedSignature(step.signature) ?? []).at(-1)
  const calls = ofType('function_call').map(({ id = '', name = '', arguments: args = {} }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: stringifyExact(args) },
  }))
  return {
    role: 'assistant',
    content: output.length > 0 ? toContent(output) : null,
    ...(thoughts.length > 0 && {
      reasoning_content: thoughts
        .flatMap(({ summary }) => summary ?? [])
        .map(({ text = '' }) => text)
        .join(''),
    }),
    ...(signature && { reasoning_signature: signature }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function toUserMessage(step: StepJson): ChatMessage {
  if (step.type === 'user_input') return { role: 'user', content: toContent(step.content ?? []) }
  const output = toResult(step.result)
  return {
    role: 'tool',
    tool_call_id: step.call_id ?? '',
    content: step.is_error && typeof output === 'string' ? `Error: ${output}` : output,
  }
}

function toResult(result: unknown): string | readonly ContentPart[] {
  if (typeof result === 'string') return result
  return Array.isArray(result) && result.every(isContent) ? toContent(result) : stringifyExact(result ?? {})
}

const isContent = (value: unknown): value is StepJson => typeof asObject(value).type === 'string'

/** A single text becomes a string, for providers that support text only. */
function toContent(contents: readonly StepJson[]): string | readonly ContentPart[] {
  const parts = contents.map(toPart)
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

const AUDIO = /^audio\/(?:x-)?/

function toPart({ type, text = '', data, uri, mime_type }: StepJson): ContentPart {
  if (type === 'text') return { type, text }
  if (type === 'audio') {
    const format = (mime_type ?? 'audio/wav').replace(AUDIO, '')
    return {
      type: 'input_audio',
      input_audio: { data: data ?? '', format: format === 'mpeg' ? 'mp3' : format },
    }
  }
  const fallback = type === 'image' ? 'image/png' : 'application/pdf'
  const url = uri ?? `data:${mime_type ?? fallback};base64,${data ?? ''}`
  return type === 'image'
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: 'file', file_data: url } }
}

type InteractionToolFields = Pick<ChatBody, 'tools' | 'tool_choice'>

function toChatTools({ tools, generation_config }: InteractionJson): InteractionToolFields {
  const choice = generation_config?.tool_choice
  const { mode, tools: names } = (isObject(choice) ? choice.allowed_tools : undefined) ?? {}
  const declared = (tools ?? []).filter(
    ({ type, name = '' }) => type === 'function' && names?.includes(name) !== false,
  )
  if (declared.length === 0) return {}
  const chosen = toToolChoice(typeof choice === 'string' ? choice : mode)
  return {
    tools: declared.map(({ name = '', description, parameters }) => ({
      type: 'function',
      function: {
        name,
        ...(description !== undefined && { description }),
        ...(parameters && { parameters }),
      },
    })),
    ...(chosen && { tool_choice: chosen }),
  }
}

function toToolChoice(mode: string | null | undefined): ToolChoice | undefined {
  switch (mode) {
    case 'any':
      return 'required'
    case 'none':
      return 'none'
    case 'auto':
    case 'validated':
      return 'auto'
    default:
      return undefined
  }
}

const JSON_TYPE = 'application/json'

/** Also the API's former shape: the schema itself, with the type beside it. */
function readResponseFormat(request: InteractionJson): ResponseFormat | undefined {
  const formats = asArray(request.response_format ?? []).concat(
    isObject(request.response_format) ? [request.response_format] : [],
  )
  const format = asObject(formats.find(one => asObject(one).type === 'text') ?? formats[0])
  const isOwnShape = format.type === 'text'
  const mimeType = isOwnShape ? asString(format.mime_type) : request.response_mime_type
  if (mimeType !== JSON_TYPE) return undefined
  const schema = isOwnShape ? format.schema : format
  return isObject(schema) && Object.keys(schema).length > 0
    ? { type: 'json_schema', json_schema: { name: 'response', schema } }
    : { type: 'json_object' }
}
