import type { Usage } from '../../core/usage.ts'
import { toContentParts } from '../chat-request.ts'
import type { ChatBody, ChatMessage, ChatReply, ContentPart, JsonObject } from '../contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  ChatAdapter,
  Failure,
  UpstreamRequest,
} from '../contract/operation-adapter.ts'
import {
  createFailureReader,
  type RevokedKeySigns,
  readEmbeddedFailure,
  readInterruptedFailure,
} from '../failures.ts'
import { asArray, asObject, asString, isObject } from '../json.ts'
import { bearerHeaders, openaiUrl } from '../transport.ts'
import {
  type ChatResponseReaders,
  createChatStreamReader,
  readChoice,
  readOpenaiUsage,
} from './chat-response.ts'
import { adjustBody, type BodyAdjustments } from './request.ts'

/** What a vendor does differently from OpenAI's chat completions. What is left out is as OpenAI does it. */
export interface OpenaiCompatibleChatOptions extends BodyAdjustments {
  /** Under the base address. */
  readonly path?: string
  /** Where the address is not base and path. */
  readonly url?: (call: AdapterCall<ChatBody>) => string
  readonly headers?: (call: AdapterCall<ChatBody>) => Record<string, string>
  /** The vendor refuses `stream_options`. */
  readonly rejectsStreamOptions?: boolean
  /** The vendor knows `system` only, not the newer `developer`. */
  readonly rejectsDeveloperRole?: boolean
  /** The extensions of the canonical form that the vendor knows; the others are left out of bodies from other dialects. */
  readonly supportedExtensions?: readonly Extension[]
  /** The last word on the body, for what data cannot say. */
  readonly adjust?: (body: JsonObject, call: AdapterCall<ChatBody>) => JsonObject
  /** Reads usage from a whole answer or a chunk, where it does not stand in `usage` by OpenAI's names. */
  readonly readUsage?: (json: JsonObject) => Usage | undefined
  /** Finds a failure in a good answer or a chunk, where it does not stand in `error`. */
  readonly readFailure?: (json: JsonObject) => Failure | undefined
  /** Answers are not quite OpenAI's, so that they are rewritten for its clients too instead of passed on. */
  readonly isRewritten?: boolean
  readonly revokedKey?: RevokedKeySigns
}

const CHAT_PATH = '/v1/chat/completions'
const readUsage = (json: JsonObject): Usage | undefined => readOpenaiUsage(json.usage)
const readError = (json: JsonObject): Failure | undefined =>
  json.error ? readEmbeddedFailure(json) : readInterruptedFailure(json)

/** Chat for vendors that follow OpenAI. Source: platform.openai.com/docs/api-reference/chat */
export function openaiCompatibleChat(vendor: OpenaiCompatibleChatOptions = {}): ChatAdapter {
  const reading: ChatResponseReaders = {
    readUsage: vendor.readUsage ?? readUsage,
    readFailure: json => vendor.readFailure?.(json) ?? readError(json),
  }
  return {
    ...(!vendor.isRewritten && { nativeFormat: 'openai' }),
    framing: 'sse',
    request: call => toRequest(call, vendor),
    reply: json => readReply(json, reading),
    stream: () => createChatStreamReader(reading),
    ...(vendor.revokedKey && { failure: createFailureReader(vendor.revokedKey) }),
  }
}

function toRequest(call: AdapterCall<ChatBody>, vendor: OpenaiCompatibleChatOptions): UpstreamRequest {
  const strict = call.isTranslated
    ? { ...call, body: withoutExtensions(call.body, vendor.supportedExtensions ?? []) }
    : call
  const body = withStreamOptions(strict, vendor.rejectsStreamOptions ?? false)
  const known = vendor.rejectsDeveloperRole ? withoutDeveloperRole(body) : body
  const adjusted = adjustBody(known, vendor)
  return {
    url: vendor.url?.(call) ?? openaiUrl(call.channel.baseUrl, vendor.path ?? CHAT_PATH),
    headers: vendor.headers?.(call) ?? bearerHeaders(call),
    body: JSON.stringify(vendor.adjust?.(adjusted, call) ?? adjusted),
  }
}

/** Usage is always asked for, whatever the client wants to see: it is what the answer is charged by. */
function withStreamOptions(
  { body, model, isStream }: AdapterCall<ChatBody>,
  rejectsStreamOptions: boolean,
): JsonObject {
  if (!isStream && body.stream_options === undefined) return body.model === model ? body : { ...body, model }
  const { stream_options, ...rest } = body
  if (!isStream) return { ...rest, model }
  if (rejectsStreamOptions) return { ...rest, model, stream: true }
  return { ...rest, model, stream: true, stream_options: { ...stream_options, include_usage: true } }
}

const withoutDeveloperRole = (body: JsonObject): JsonObject => ({
  ...body,
  messages: asArray(body.messages).map(message =>
    asObject(message).role === 'developer' ? { ...asObject(message), role: 'system' } : message,
  ),
})

function readReply(json: unknown, { readUsage, readFailure }: ChatResponseReaders): AdapterResult<ChatReply> {
  const failure = isObject(json) ? readFailure(json) : undefined
  if (failure || !isObject(json) || !Array.isArray(json.choices))
    return { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
  const choices = asArray(json.choices).map(readChoice)
  return {
    kind: 'reply',
    reply: { id: asString(json.id), model: asString(json.model), choices },
    usage: readUsage(json),
  }
}

/** What the canonical form holds beyond OpenAI's, and some vendors understand. */
type Extension = 'top_k' | 'reasoning_content' | 'cache_control'

const IMAGE_FOLLOWS: ContentPart = { type: 'text', text: 'The picture follows in the next message.' }

/**
 * A body that was written in another dialect, in OpenAI's own words: without the extensions that the vendor does not
 * know, and with the pictures that a tool gave in a message of the user's, since a tool's takes text only.
 */
export function withoutExtensions(body: ChatBody, kept: readonly Extension[]): ChatBody {
  const { top_k, tools, ...rest } = body
  return {
    ...rest,
    model: body.model,
    messages: moveToolImages(body.messages).map(message => strictMessage(message, kept)),
    ...(tools && { tools: kept.includes('cache_control') ? tools : tools.map(withoutCacheMark) }),
    ...(top_k !== undefined && kept.includes('top_k') && { top_k }),
  }
}

/** The pictures come after the last of neighbouring results, which must stay together. */
function moveToolImages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const apart: ChatMessage[] = []
  let images: readonly ContentPart[] = []
  const flushImages = (): void => {
    if (images.length > 0) apart.push({ role: 'user', content: images })
    images = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') flushImages()
    const found = message.role === 'tool' ? imageParts(message) : []
    images = [...images, ...found]
    apart.push(found.length > 0 ? { ...message, content: textsIn(message) } : message)
  }
  flushImages()
  return apart
}

const imageParts = ({ content }: ChatMessage): readonly ContentPart[] =>
  toContentParts(content).filter(({ type }) => type !== 'text')

function textsIn({ content }: ChatMessage): readonly ContentPart[] {
  const texts = toContentParts(content).filter(({ type }) => type === 'text')
  return texts.length > 0 ? texts : [IMAGE_FOLLOWS]
}

function strictMessage(message: ChatMessage, kept: readonly Extension[]): ChatMessage {
  const { reasoning_content, reasoning_signature, tool_calls, content, ...rest } = message
  return {
    ...rest,
    role: message.role,
    content: kept.includes('cache_control') ? (content ?? null) : unmarked(content),
    ...(tool_calls && { tool_calls: tool_calls.map(({ extra_content, ...call }) => call) }),
    ...(reasoning_content && kept.includes('reasoning_content') && { reasoning_content }),
  }
}

/** Parts that only a cache mark kept apart become one text. */
function unmarked(content: ChatMessage['content']): string | readonly ContentPart[] | null {
  if (typeof content === 'string' || !content) return content ?? null
  const texts = content.flatMap(part => (part.type === 'text' ? part.text : []))
  const isMarked = content.some(part => part.cache_control !== undefined)
  return isMarked && texts.length === content.length ? texts.join('\n') : content.map(withoutCacheMark)
}

/** The cast is safe because the mark is optional wherever it may stand. */
function withoutCacheMark<Marked extends JsonObject>(marked: Marked): Marked {
  const { cache_control, ...rest } = marked
  return rest as unknown as Marked
}

interface ReasoningFamily {
  readonly pattern: RegExp
  /** The role that stands for `system`. */
  readonly systemRole: 'developer' | 'user'
}

/** The first match counts. Source: platform.openai.com/docs/guides/reasoning */
const FAMILIES: readonly ReasoningFamily[] = [
  { pattern: /^o1-(?:mini|preview)/, systemRole: 'user' },
  { pattern: /^(?:o\d|gpt-5(?!-chat))/, systemRole: 'developer' },
]

const EFFORT_SUFFIX = /-(none|minimal|low|medium|high|xhigh)$/

/** Refused while a model reasons; accepted again with the effort `none`. */
const SAMPLING_FIELDS: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
])

/**
 * Brings a body into the form that OpenAI's reasoning models accept; other models' bodies stay as they are.
 * An effort at the end of the model's name, as in `o3-mini-high`, becomes `reasoning_effort`. Clients of other dialects
 * do not know that the other models refuse an effort.
 */
export function toReasoningModelBody(
  body: JsonObject,
  call?: Pick<AdapterCall<unknown>, 'isTranslated'>,
): JsonObject {
  const model = asString(body.model) ?? ''
  const family = FAMILIES.find(({ pattern }) => pattern.test(model))
  if (!family) return call?.isTranslated ? withoutEffort(body) : body
  const { model: name, effort: suffix } = splitEffort(model)
  const effort =
    suffix ?? (call?.isTranslated ? leastEffort(name, body.reasoning_effort) : body.reasoning_effort)
  const { max_tokens, ...rest } = effort === 'none' ? body : withoutSampling(body)
  return {
    ...rest,
    model: name,
    messages: withSystemRole(body.messages, family.systemRole),
    max_completion_tokens: body.max_completion_tokens ?? max_tokens ?? undefined,
    reasoning_effort: effort,
  }
}

/** The name of a reasoning model without the effort at its end. */
export function splitEffort(name: string): { readonly model: string; readonly effort: string | undefined } {
  const isReasoning = FAMILIES.some(({ pattern }) => pattern.test(name))
  const effort = isReasoning ? EFFORT_SUFFIX.exec(name)?.[1] : undefined
  return { model: effort === undefined ? name : name.replace(EFFORT_SUFFIX, ''), effort }
}

/** Not to think at all is a wish that only the newest of these models grant; the others think as little as they can. */
function leastEffort(model: string, effort: unknown): unknown {
  if (effort !== 'none' || /^gpt-5\.[1-9]/.test(model)) return effort
  return model.startsWith('gpt-5') ? 'minimal' : 'low'
}

function withoutEffort({ reasoning_effort, ...body }: JsonObject): JsonObject {
  return body
}

const withoutSampling = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !SAMPLING_FIELDS.has(field)))

const withSystemRole = (messages: unknown, role: string): readonly unknown[] =>
  asArray(messages).map(message =>
    asObject(message).role === 'system' ? { ...asObject(message), role } : message,
  )
