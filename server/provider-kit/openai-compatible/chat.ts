import type { Usage } from '../../core/usage.ts'
import { moveToolImages } from '../chat-request.ts'
import type { ChatBody, ChatMessage, ChatReply, ContentPart } from '../contract/chat.ts'
import type { HostedToolSupport } from '../contract/hosted-tool.ts'
import {
  type AdapterCall,
  type AdapterResult,
  bearerHeaders,
  type ChatAdapter,
  stringifyBody,
  type UpstreamRequest,
} from '../contract/operation-adapter.ts'
import { createFailureReader, type Failure, type RevokedKeySigns, readEmbeddedFailure } from '../failures.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'
import { type ChatRules, type RulesOfModels, withRules } from '../rules/chat-rules.ts'
import {
  type ChatResponseReaders,
  createChatStreamReader,
  createContentCounter,
  findUsage,
  readChoice,
  readInterruptedFailure,
  readResponseUsage,
  readSearch,
  withChatExtras,
} from './chat-response.ts'
import { adjustBody, type BodyAdjustments, openaiUrl } from './request.ts'
import {
  ANY_THOUGHT,
  bareName,
  COMPATIBLE_RULES,
  effortOf,
  readReasoningModel,
  rejectedAnywhere,
} from './rules.ts'
import thinkingModels from './thinking-models.json'
import { createCallIds } from './tool-calls.ts'

/** How a provider differs from OpenAI's chat completions. Absent options mean OpenAI's behaviour. */
export interface OpenaiCompatibleChatOptions extends BodyAdjustments {
  /** Path below the base URL. */
  readonly path?: string
  /** Builds the URL where it is not base URL and path. */
  readonly url?: (call: AdapterCall<ChatBody>) => string
  readonly headers?: (call: AdapterCall<ChatBody>) => Record<string, string>
  /** The provider rejects `stream_options`. */
  readonly rejectsStreamOptions?: boolean
  /** What the provider takes beside the rules of every compatible server. */
  readonly rules?: RulesOfModels
  /** The canonical extensions that the provider supports. The others are removed from bodies of other dialects. */
  readonly supportedExtensions?: readonly Extension[]
  /** The last adjustment of the body, for anything that the options above cannot express. */
  readonly adjust?: (body: JsonObject, call: AdapterCall<ChatBody>) => JsonObject
  /** Reads usage from a response or a chunk, where it is not in `usage` with OpenAI's field names. */
  readonly readUsage?: (json: JsonObject) => Usage | undefined
  /** Finds a failure in a successful response or a chunk, where it is not in `error`. */
  readonly readFailure?: (json: JsonObject) => Failure | undefined
  /**
   * The format deviates from OpenAI's, so responses are rewritten instead of passed through, also for OpenAI clients.
   */
  readonly isRewritten?: boolean
  /** The tools that the provider executes itself. `adjust` puts them into the body. */
  readonly hostedTools?: readonly HostedToolSupport[]
  readonly revokedKey?: RevokedKeySigns
}

const CHAT_PATH = '/v1/chat/completions'
const readError = (json: JsonObject): Failure | undefined =>
  json.error ? readEmbeddedFailure(json) : readInterruptedFailure(json)

/** Chat for OpenAI-compatible providers. Source: platform.openai.com/docs/api-reference/chat */
export function openaiCompatibleChat(provider: OpenaiCompatibleChatOptions = {}): ChatAdapter {
  const { readUsage: readOwn } = provider
  const reading: ChatResponseReaders = {
    readUsage: readOwn ? json => readOwn({ ...json, usage: findUsage(json) }) : readResponseUsage,
    readFailure: json => provider.readFailure?.(json) ?? readError(json),
  }
  const adapter: ChatAdapter = {
    ...(!provider.isRewritten && { nativeFormat: 'openai' }),
    framing: 'sse',
    ...(provider.hostedTools && { hostedTools: provider.hostedTools }),
    request: call => toRequest(call, provider),
    reply: (json, call) => readReply(json, reading, call.requestId),
    stream: call => createChatStreamReader(reading, call.requestId),
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  }
  return withRules(adapter, toHostRules(provider.rules))
}

function toRequest(call: AdapterCall<ChatBody>, provider: OpenaiCompatibleChatOptions): UpstreamRequest {
  const strict = call.isTranslated
    ? {
        ...call,
        body: withReasoningLimit(
          withoutExtensions(call.body, supportedExtensions(call.model, provider)),
          call,
        ),
      }
    : call
  const body = withStreamOptions(strict, provider.rejectsStreamOptions ?? false)
  const adjusted = adjustBody(body, provider)
  return {
    url: provider.url?.(call) ?? openaiUrl(call.channel.baseUrl, provider.path ?? CHAT_PATH),
    headers: provider.headers?.(call) ?? bearerHeaders(call),
    body: stringifyBody(provider.adjust?.(adjusted, call) ?? adjusted, call),
  }
}

/** OpenAI's reasoning models know their limit by its newer name only, whoever serves them. */
function withReasoningLimit(body: ChatBody, { model }: Pick<AdapterCall<ChatBody>, 'model'>): ChatBody {
  const { max_tokens: limit, ...rest } = body
  return limit && readReasoningModel(bareName(model))
    ? { ...rest, model: body.model, messages: body.messages, max_completion_tokens: limit }
    : body
}

/**
 * The thinking models that reject a history whose tool calls lack the thinking before them. Source:
 * api-docs.deepseek.com/guides/thinking_mode, platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model,
 * platform.xiaomimimo.com/docs
 */
const DEMANDS_THOUGHTS = new RegExp(thinkingModels.demanding.join('|'), 'i')

/**
 * Those, and the models that go on with such a history, but answer better with the thinking. Source:
 * docs.z.ai/guides/capabilities/thinking-mode, platform.minimax.io/docs/guides/text-m2-function-call
 */
const READS_THOUGHTS = new RegExp([...thinkingModels.demanding, ...thinkingModels.reading].join('|'), 'i')

/** The rules of a compatible server, which may host models of many makers. */
const toHostRules =
  (own: RulesOfModels = {}) =>
  (model: string): ChatRules => ({
    ...COMPATIBLE_RULES,
    rejects: rejectedAnywhere,
    ...(READS_THOUGHTS.test(model) && { thoughtForm: 'text' }),
    ...(DEMANDS_THOUGHTS.test(model) && { thoughtOfCalls: ANY_THOUGHT }),
    ...(typeof own === 'function' ? own(model) : own),
  })

/** Servers of models that read their earlier thinking take it. */
const supportedExtensions = (
  model: string,
  { supportedExtensions: own = [] }: OpenaiCompatibleChatOptions,
): readonly Extension[] => (READS_THOUGHTS.test(model) ? [...own, 'reasoning_content'] : own)

/** Usage is always requested, even if the client does not want it, since it determines the charge. */
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

function readReply(
  json: unknown,
  { readUsage, readFailure }: ChatResponseReaders,
  requestId: string,
): AdapterResult<ChatReply> {
  const failure = isObject(json) ? readFailure(json) : undefined
  if (failure || !isObject(json) || !Array.isArray(json.choices))
    return { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
  const search = readSearch(json)
  const contentCounter = createContentCounter()
  contentCounter.add(json)
  const toId = createCallIds(requestId)
  const choices = asArray(json.choices).map((choice, index) => ({
    ...readChoice(choice, toId),
    ...(search && index === 0 && { searches: [search] }),
  }))
  return {
    kind: 'reply',
    reply: { id: asString(json.id), model: asString(json.model), choices },
    usage: contentCounter.addTo(withChatExtras(readUsage(json), json)),
  }
}

/** Canonical extensions of OpenAI's format that some providers support. */
type Extension = 'top_k' | 'reasoning_content' | 'cache_control'

/**
 * Reduces a body from another dialect to OpenAI's own format: drops the extensions that the provider lacks, and moves
 * images of tool results into a user message, since tool messages hold text only. The role `developer` becomes `system`,
 * which every server knows.
 */
export function withoutExtensions(body: ChatBody, kept: readonly Extension[]): ChatBody {
  const { top_k, tools, ...rest } = body
  return {
    ...rest,
    model: body.model,
    messages: moveToolImages(body.messages).map(message => strictMessage(message, kept)),
    ...(tools && {
      tools: kept.includes('cache_control') ? tools : tools.map(withoutCacheMark),
    }),
    ...(top_k !== undefined && kept.includes('top_k') && { top_k }),
  }
}

function strictMessage(message: ChatMessage, kept: readonly Extension[]): ChatMessage {
  const { reasoning_content, reasoning_signature, tool_calls, content, ...rest } = message
  return {
    ...rest,
    role: message.role === 'developer' ? 'system' : message.role,
    content: kept.includes('cache_control') ? (content ?? null) : withoutMarks(message),
    ...(tool_calls && { tool_calls: tool_calls.map(({ extra_content, ...call }) => call) }),
    ...(reasoning_content && kept.includes('reasoning_content') && { reasoning_content }),
  }
}

/**
 * Clients move their cache marks with every turn. A content must be the same with and without them, or the provider's own
 * cache of the prompt is missed: unmarked, the texts of instructions and tool results are one text, those of turns are not.
 */
function withoutMarks({ role, content }: ChatMessage): string | readonly ContentPart[] | null {
  if (typeof content === 'string' || !content) return content ?? null
  const texts = content.flatMap(part => (part.type === 'text' ? part.text : []))
  const isMarked = content.some(part => part.cache_control !== undefined)
  const isOneText = texts.length === 1 || (role !== 'user' && role !== 'assistant')
  return isMarked && texts.length === content.length && isOneText
    ? texts.join('\n')
    : content.map(withoutCacheMark)
}

/** The cast is safe because the mark is optional wherever it may occur. */
function withoutCacheMark<Marked extends JsonObject>(marked: Marked): Marked {
  const { cache_control, ...rest } = marked
  return rest as unknown as Marked
}

/**
 * Adapts a body to OpenAI's reasoning models; bodies for other models stay unchanged. An effort suffix of the model
 * name, as in `o3-mini-high`, becomes `reasoning_effort`. For translated requests, the effort is removed for models
 * that would reject it.
 */
export function toReasoningModelBody(
  body: JsonObject,
  call?: Pick<AdapterCall<unknown>, 'isTranslated'>,
): JsonObject {
  const model = asString(body.model) ?? ''
  const reasoning = readReasoningModel(model)
  if (!reasoning) return call?.isTranslated ? withoutEffort(body) : body
  const { max_tokens, ...rest } = body
  return {
    ...rest,
    model: reasoning.name,
    messages: withSystemRole(body.messages, reasoning.systemRole),
    max_completion_tokens: body.max_completion_tokens ?? max_tokens ?? undefined,
    reasoning_effort: effortOf(reasoning, body.reasoning_effort, call?.isTranslated),
  }
}

const withoutEffort = ({ reasoning_effort, ...body }: JsonObject): JsonObject => body

const withSystemRole = (messages: unknown, role: string): readonly unknown[] =>
  asArray(messages).map(message =>
    asObject(message).role === 'system' ? { ...asObject(message), role } : message,
  )
