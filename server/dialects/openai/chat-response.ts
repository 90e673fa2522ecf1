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
  ToolCall,
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
import { asArray, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { MAY_DEVIATE, toOpenaiNames } from '../../provider-kit/openai-compatible/chat-response.ts'
import { createDeltaMender } from '../../provider-kit/openai-compatible/tool-calls.ts'
import { readTextArguments } from '../../provider-kit/rules/chat-rules.ts'
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
      message: toMessage(choice, context),
      logprobs: choice.logprobs ? { content: choice.logprobs, refusal: null } : null,
      finish_reason: choice.finish,
    })),
    usage: toOpenaiUsage(usage),
  }
}

function toMessage(choice: ChatChoice, context: ResponseContext): JsonObject {
  const hasOther = choice.toolCalls !== undefined || choice.refusal !== undefined
  return {
    role: 'assistant',
    content: choice.text === '' && hasOther ? null : choice.text,
    ...(choice.reasoning !== undefined && { reasoning_content: choice.reasoning }),
    ...(choice.reasoningSignature !== undefined && { reasoning_signature: choice.reasoningSignature }),
    refusal: choice.refusal ?? null,
    ...(choice.toolCalls && { tool_calls: choice.toolCalls.map(toCallWriter(context)) }),
    ...(choice.citations && { annotations: choice.citations.map(toAnnotation) }),
  }
}

const isCustomTool = (name: string, { echoedFields }: ResponseContext): boolean =>
  asArray(echoedFields.customTools).includes(name)

/** Calls of the functions that stand for custom tools become calls of those. */
const toCallWriter =
  (context: ResponseContext) =>
  (call: ToolCall): JsonObject => {
    const { id, function: inner, ...rest } = call
    const { name, arguments: text } = inner
    return isCustomTool(name, context)
      ? { ...rest, id, type: 'custom', custom: { name, input: readTextArguments(text) } }
      : { ...call }
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
  const texts = createTextCalls(context)

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
      const kept = texts.take(chunk)
      if (kept) return start(choice) + kept.map(delta => choiceChunk(choice, delta, 'null')).join('')
      const finish = chunk.type === 'finish' ? JSON.stringify(chunk.reason) : 'null'
      const inputs = chunk.type === 'finish' ? texts.finish(choice) : []
      return (
        start(choice) +
        inputs.map(delta => choiceChunk(choice, delta, 'null')).join('') +
        choiceChunk(choice, toDelta(chunk), finish, toLogprobsField(chunk))
      )
    },
    end: usage => (context.wantsUsage && usage ? usageChunk(head, usage) : '') + DONE_EVENT,
    fail: error => errorEvent(error, context.requestId),
  }
}

/** The streamed calls of custom tools, whose text is inside JSON arguments: it is delivered when those are complete. */
interface TextCalls {
  /** The deltas in place of a chunk of such a call. Undefined for other chunks. */
  take(chunk: ContentChunk): readonly string[] | undefined
  /** The deltas with the texts of a choice. */
  finish(choice: number): readonly string[]
}

function createTextCalls(context: ResponseContext): TextCalls {
  const open = new Map<string, { readonly choice: number; readonly index: number; text: string }>()
  const write = (call: JsonObject): string => JSON.stringify({ tool_calls: [call] })
  return {
    take(chunk) {
      if (chunk.type !== 'tool-call-start' && chunk.type !== 'tool-arguments-delta') return undefined
      const { index, choice = 0 } = chunk
      const key = `${choice} ${index}`
      if (chunk.type === 'tool-arguments-delta') {
        const call = open.get(key)
        if (call) call.text += chunk.text
        return call && []
      }
      const { id, name, extraContent } = chunk
      if (!isCustomTool(name, context)) return undefined
      open.set(key, { choice, index, text: chunk.arguments })
      return [write({ index, id, type: 'custom', custom: { name, input: '' }, extra_content: extraContent })]
    },
    finish(choice) {
      const ended = [...open].filter(([, call]) => call.choice === choice)
      for (const [key] of ended) open.delete(key)
      return ended.map(([, { index, text }]) => write({ index, custom: { input: readTextArguments(text) } }))
    },
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
 * Passes an OpenAI stream through: usage only where the client requests it, the provider's own names under OpenAI's, calls
 * that a client can tell apart, and a single end marker of our own.
 */
export function createChatPassthrough(
  context: ResponseContext,
  head = chunkHead(undefined, undefined, context),
): StreamPassthrough {
  let hasUsage = false
  const mendCalls = createDeltaMender(context.requestId)
  return {
    pass(event) {
      if (isDone(event)) return ''
      const json = MAY_DEVIATE.test(event.data) ? parseJson(event.data) : undefined
      if (!isObject(json)) return withBlankLine(event.raw)
      const chunk = toOpenaiNames(json, mendCalls)
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
