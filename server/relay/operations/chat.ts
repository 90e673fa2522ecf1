import type { ChatBody, ChatChoice, ChatReply } from '../../provider-kit/contract/chat.ts'
import type { ChatDialect } from '../../provider-kit/contract/client-dialect.ts'
import type { Provider } from '../../provider-kit/contract/provider.ts'
import {
  estimatePromptAudioTokens,
  estimatePromptTokens,
  estimateReplyTokens,
} from '../../provider-kit/estimate-tokens.ts'
import { asArray, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { createReplyCollector, replyToChunks } from '../../provider-kit/reply-chunks.ts'
import { withThinkTags } from '../response/transcode.ts'
import type { ModelOperation, OperationDialect } from '../types.ts'

const hasContent = ({ text, reasoning, refusal, toolCalls }: ChatChoice): boolean =>
  Boolean(text || reasoning || refusal || toolCalls?.length)

/** The handling of replies in chat's canonical form, which completions have too. Must not depend on the request. */
export const chatReplies = {
  outputTokens: (reply: ChatReply) => estimateReplyTokens(reply),
  hasOutput: (reply: ChatReply) => reply.choices.some(hasContent),
  signatures: (reply: ChatReply) =>
    reply.choices.flatMap(({ reasoningSignature }) => reasoningSignature ?? []),
  withThinkTags,
  toChunks: (reply: ChatReply) => replyToChunks(reply),
  createCollector: createReplyCollector,
} as const satisfies Partial<ModelOperation>

/** Fields that make a provider search, or continue a conversation that it has stored. */
const OPEN_ENDED_FIELDS = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'previous_response_id',
  'conversation',
] as const
/** Models that search or act by themselves. */
const SEARCHING_MODELS = /search|sonar|research|agent|online|compound|\bbot\b|gizmo|-all$/i
const MEASURED_PARTS: ReadonlySet<string> = new Set(['text', 'image_url', 'input_audio', 'refusal'])

/**
 * Whether a provider may add input of its own that the request does not show: search results, files that are only named,
 * a stored conversation.
 */
const hasOpenEndedInput = (body: ChatBody): boolean =>
  SEARCHING_MODELS.test(body.model) ||
  OPEN_ENDED_FIELDS.some(field => Boolean(body[field])) ||
  asArray(body.tools).some(tool => isObject(tool) && tool.type !== 'function' && tool.type !== 'custom') ||
  body.messages.some(
    ({ content }) =>
      typeof content === 'object' && content?.some(({ type }) => !MEASURED_PARTS.has(type)) === true,
  )

export const chat: ModelOperation = {
  ...chatReplies,
  name: 'chat',
  findDialect: client => chatDialect(client.chat),
  findAdapter: (provider: Provider) => provider.chat,
  findNativeAdapter(provider, client, model) {
    const native = provider.native?.[client]
    return native?.serves?.(model) === false ? undefined : native
  },
  inputTokens: (body: ChatBody) => estimatePromptTokens(body),
  hasOpenEndedInput,
  inputAudioTokens: (body: ChatBody) => estimatePromptAudioTokens(body),
}

const cache = new WeakMap<object, OperationDialect>()

/** The part of a client dialect for an operation that may be streamed. Created once for each dialect. */
export function chatDialect<Body extends JsonObject>(
  dialect: ChatDialect<Body> | undefined,
): OperationDialect | undefined {
  const cached = dialect && cache.get(dialect)
  if (cached || !dialect) return cached
  const created: OperationDialect = {
    parse: dialect.parse,
    writeReply: (reply: ChatReply, usage, { context }) => dialect.writeReply(reply, usage, context),
    ...(dialect.parseUnjudged && { parseUnjudged: dialect.parseUnjudged }),
    ...(dialect.toStandardReply && { toStandardReply: dialect.toStandardReply }),
    stream: {
      contentType: dialect.streamType,
      keepAlive: dialect.keepAlive,
      createWriter: dialect.createWriter,
      createPassthrough: dialect.createPassthrough,
    },
  }
  cache.set(dialect, created)
  return created
}
