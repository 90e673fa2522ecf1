import {
  cachedTokens,
  cacheWriteTokens,
  completionTokens,
  promptTokens,
  type Usage,
} from '../../core/usage.ts'
import type {
  ChatChoice,
  ChatReply,
  ContentChunk,
  ToolCallStart,
  UrlCitation,
} from '../../provider-kit/contract/chat.ts'
import {
  type ClientError,
  type ResponseContext,
  type StreamPassthrough,
  type StreamWriter,
  toOpenaiError,
} from '../../provider-kit/contract/client-dialect.ts'
import type { StreamEvent } from '../../provider-kit/contract/operation-adapter.ts'
import { isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { MAY_DEVIATE, toOpenaiNames } from '../../provider-kit/openai-compatible/chat-response.ts'
import { toUrlCitation } from '../../provider-kit/web-citations.ts'

/** A `chat.completion` object. Source: platform.openai.com/docs/api-reference/chat/object */
export function writeChatReply(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  return {
    id: toCompletionId(reply.id, context.requestId),
    object: 'chat.completion',
    created: context.nowSeconds,
    model: reply.model ?? context.model,
    choices: reply.choices.map((choice, index) => ({
      index,
      message: toMessage(choice),
      logprobs: choice.logprobs ? { content: choice.logprobs, refusal: null } : null,
      finish_reason: choice.finish,
    })),
    usage: toOpenaiUsage(usage),
  }
}

function toMessage(choice: ChatChoice): JsonObject {
  const hasOther = choice.toolCalls !== undefined || choice.refusal !== undefined
  return {
    role: 'assistant',
    content: choice.text === '' && hasOther ? null : choice.text,
    ...(choice.reasoning !== undefined && { reasoning_content: choice.reasoning }),
    ...(choice.reasoningSignature !== undefined && { reasoning_signature: choice.reasoningSignature }),
    refusal: choice.refusal ?? null,
    ...(choice.toolCalls && { tool_calls: choice.toolCalls }),
    ...(choice.citations && { annotations: choice.citations.map(toAnnotation) }),
  }
}

const toAnnotation = (citation: UrlCitation): JsonObject => ({
  type: 'url_citation',
  url_citation: toUrlCitation(citation),
})

/** Clients expect the prefix for ids of any format. */
export function toCompletionId(providerId: string | undefined, requestId: string): string {
  const id = providerId || requestId
  return id.startsWith('chatcmpl-') ? id : `chatcmpl-${id}`
}

/** Usage with OpenAI's field names, whose totals include the parts. */
export function toOpenaiUsage(usage: Usage): JsonObject {
  const prompt = promptTokens(usage)
  const completion = completionTokens(usage)
  const written = cacheWriteTokens(usage)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cachedTokens(usage),
      ...(written > 0 && { cache_write_tokens: written, cache_creation_tokens: written }),
      audio_tokens: usage.audioInput,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput },
  }
}

/** An error inside a stream. No end marker follows it. */
export const errorEvent = (error: ClientError, requestId: string): string =>
  `data: ${JSON.stringify(toOpenaiError(error, requestId))}\n\n`

export const DONE_EVENT = 'data: [DONE]\n\n'

/** Writes `chat.completion.chunk` events. Source: platform.openai.com/docs/api-reference/chat/streaming */
export function createChatWriter(context: ResponseContext): StreamWriter {
  let head = chunkHead(undefined, undefined, context)
  const startedChoices = new Set<number>()

  const choiceChunk = (choice: number, delta: string, finish: string, logprobs = ''): string =>
    `${head},"choices":[{"index":${choice},"delta":${delta}${logprobs},"finish_reason":${finish}}]}\n\n`

  const start = (choice: number): string => {
    if (startedChoices.has(choice)) return ''
    startedChoices.add(choice)
    return choiceChunk(choice, '{"role":"assistant","content":""}', 'null')
  }

  return {
    write(chunk) {
      if (chunk.type === 'start') {
        head = chunkHead(chunk.id, chunk.model, context)
        return start(0)
      }
      // Chat completions cite pages, but tell nothing about searches.
      if (chunk.type === 'web-search') return ''
      const choice = chunk.choice ?? 0
      const finish = chunk.type === 'finish' ? JSON.stringify(chunk.reason) : 'null'
      return start(choice) + choiceChunk(choice, toDelta(chunk), finish, toLogprobsField(chunk))
    },
    end: usage => (context.wantsUsage && usage ? usageChunk(head, usage) : '') + DONE_EVENT,
    fail: error => errorEvent(error, context.requestId),
  }
}

/** The usage chunk, for a client that requests it. */
export const usageChunk = (head: string, usage: Usage): string =>
  `${head},"choices":[],"usage":${JSON.stringify(toOpenaiUsage(usage))}}\n\n`

/** Everything before `choices`, which all chunks of one response share. */
export function chunkHead(
  id: string | undefined,
  model: string | undefined,
  context: ResponseContext,
): string {
  const fields = JSON.stringify({
    id: toCompletionId(id, context.requestId),
    object: 'chat.completion.chunk',
    created: context.nowSeconds,
    model: model ?? context.model,
  })
  return `data: ${fields.slice(0, -1)}`
}

function toDelta(chunk: Exclude<ContentChunk, { type: 'web-search' }>): string {
  switch (chunk.type) {
    case 'text-delta':
      return `{"content":${JSON.stringify(chunk.text)}}`
    case 'reasoning-delta':
      return `{"reasoning_content":${JSON.stringify(chunk.text)}}`
    case 'reasoning-signature':
      return `{"reasoning_signature":${JSON.stringify(chunk.signature)}}`
    case 'refusal-delta':
      return `{"refusal":${JSON.stringify(chunk.text)}}`
    case 'audio-delta':
      return `{"audio":${JSON.stringify(chunk.audio)}}`
    case 'tool-call-start':
      return JSON.stringify({ tool_calls: [toToolCallDelta(chunk)] })
    case 'tool-arguments-delta':
      return JSON.stringify({ tool_calls: [{ index: chunk.index, function: { arguments: chunk.text } }] })
    case 'citation':
      return JSON.stringify({ annotations: [toAnnotation(chunk.citation)] })
    case 'finish':
      return '{}'
  }
}

const toLogprobsField = (chunk: ContentChunk): string =>
  chunk.type === 'text-delta' && chunk.logprobs
    ? `,"logprobs":${JSON.stringify({ content: chunk.logprobs, refusal: null })}`
    : ''

const toToolCallDelta = ({ index, id, name, arguments: text, extraContent }: ToolCallStart) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
  extra_content: extraContent,
})

/**
 * Passes an OpenAI stream through: usage only where the client requests it, the provider's own names under OpenAI's, and a
 * single end marker of our own.
 */
export function createChatPassthrough(
  context: ResponseContext,
  head = chunkHead(undefined, undefined, context),
): StreamPassthrough {
  let hasUsage = false
  return {
    pass(event) {
      if (isDone(event)) return ''
      const json = MAY_DEVIATE.test(event.data) ? parseJson(event.data) : undefined
      if (!isObject(json)) return withBlankLine(event.raw)
      const chunk = toOpenaiNames(json)
      hasUsage ||= isObject(json.usage)
      if (isObject(chunk.usage) && !(context.wantsUsage && isObject(json.usage))) return withoutUsage(chunk)
      return chunk === json ? withBlankLine(event.raw) : toEvent(chunk)
    },
    end(usage) {
      const isMissing = context.wantsUsage && usage !== undefined && !hasUsage
      return (isMissing ? usageChunk(head, usage) : '') + DONE_EVENT
    },
    fail: error => errorEvent(error, context.requestId),
  }
}

const isDone = (event: StreamEvent): boolean => event.data === '[DONE]'
const toEvent = (chunk: JsonObject): string => `data: ${JSON.stringify(chunk)}\n\n`

/** The chunk without its usage, or an empty text when it holds nothing else. */
function withoutUsage({ usage, ...chunk }: JsonObject): string {
  return Array.isArray(chunk.choices) && chunk.choices.length === 0 ? '' : toEvent(chunk)
}

/** A provider's last event may lack the blank line that must precede ours. */
const withBlankLine = (raw: string): string =>
  raw.endsWith('\n\n') || raw.endsWith('\r\n\r\n') || raw.endsWith('\r\r') ? raw : `${raw}\n\n`
