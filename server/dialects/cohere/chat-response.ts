import { cachedTokens, completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import { createCallSequence } from '../../provider-kit/call-sequence.ts'
import type {
  ChatChoice,
  ChatReply,
  ContentChunk,
  FinishReason,
  ToolCallStart,
} from '../../provider-kit/contract/chat.ts'
import type {
  ClientError,
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'

const FINISH_REASON_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  content_filter: 'ERROR',
}

/** Some providers end a response with tool calls with another finish reason. */
const toFinishReason = (finish: FinishReason, hasCalls: boolean): string =>
  FINISH_REASON_OF[finish === 'stop' && hasCalls ? 'tool_calls' : finish]

/** A chat response. Source: docs.cohere.com/reference/chat */
export function writeChatReply(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  const [choice] = reply.choices
  return {
    id: reply.id || context.requestId,
    finish_reason: toFinishReason(choice?.finish ?? 'stop', choice?.toolCalls !== undefined),
    message: { role: 'assistant', ...(choice && toMessage(choice)) },
    usage: toCohereUsage(usage),
  }
}

/** Reasoning before tool calls is Cohere's `tool_plan`. */
function toMessage({ text, refusal, reasoning, toolCalls }: ChatChoice): JsonObject {
  if (toolCalls)
    return {
      ...(reasoning || text ? { tool_plan: reasoning || text } : {}),
      tool_calls: toolCalls.map(({ id, type, function: called }) => ({ id, type, function: called })),
    }
  const content = [
    ...(reasoning ? [{ type: 'thinking', thinking: reasoning }] : []),
    { type: 'text', text: text || refusal || '' },
  ]
  return { content }
}

function toCohereUsage(usage: Usage): JsonObject {
  const tokens = { input_tokens: promptTokens(usage), output_tokens: completionTokens(usage) }
  return { billed_units: tokens, tokens, cached_tokens: cachedTokens(usage) }
}

/** Cohere returns a single choice. */
const ONLY_CHOICE = 0

const event = (body: JsonObject): string => `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`

/** Writes Cohere's named events. Source: docs.cohere.com/v2/docs/streaming */
export function createChatWriter(context: ResponseContext): StreamWriter {
  const blocks = createBlocks()
  const sequence = createCallSequence()
  let finish: FinishReason = 'stop'
  let isStarted = false

  const start = (id: string = context.requestId): string => {
    if (isStarted) return ''
    isStarted = true
    const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
    return event({ id, type: 'message-start', delta: { message } })
  }

  const writeAll = (chunks: readonly ContentChunk[]): string => chunks.map(blocks.write).join('')
  const close = (): string => start() + writeAll(sequence.rest()) + blocks.close()

  return {
    write(chunk) {
      if (chunk.type === 'start') return start(chunk.id)
      if ((chunk.choice ?? ONLY_CHOICE) !== ONLY_CHOICE) return ''
      if (chunk.type === 'finish') finish = chunk.reason
      return start() + writeAll(sequence.next(chunk))
    },
    end(usage) {
      const ended = close()
      const delta = {
        finish_reason: toFinishReason(finish, blocks.hasCalls()),
        ...(usage && { usage: toCohereUsage(usage) }),
      }
      return ended + event({ type: 'message-end', delta })
    },
    fail: error => close() + errorEvent(error, context.requestId),
  }
}

const errorEvent = (error: ClientError, requestId: string): string =>
  event({
    type: 'message-end',
    delta: { finish_reason: 'ERROR', error: `${error.message} (request id: ${requestId})` },
  })

/** The content blocks and tool calls of one streamed response, which Cohere counts together. One is open at a time. */
interface Blocks {
  write(chunk: ContentChunk): string
  /** Ends the open block. */
  close(): string
  hasCalls(): boolean
}

type OpenPart = 'text' | 'thinking' | 'call'

function createBlocks(): Blocks {
  let open: OpenPart | undefined
  let count = 0
  let hasCalls = false

  const close = (): string => {
    if (!open) return ''
    const type = open === 'call' ? 'tool-call-end' : 'content-end'
    open = undefined
    return event({ type, index: count - 1 })
  }
  const messageEvent = (type: string, message: JsonObject): string =>
    event({ type, index: count - 1, delta: { message } })
  const start = (kind: OpenPart, type: string, message: JsonObject): string => {
    const ended = close()
    open = kind
    count += 1
    return ended + messageEvent(type, message)
  }
  const writeText = (kind: 'text' | 'thinking', text: string): string => {
    if (text === '') return ''
    const started = open === kind ? '' : start(kind, 'content-start', { content: { type: kind, [kind]: '' } })
    return started + messageEvent('content-delta', { content: { [kind]: text } })
  }
  const writeArguments = (text: string): string =>
    text && messageEvent('tool-call-delta', { tool_calls: { function: { arguments: text } } })

  return {
    write(chunk) {
      switch (chunk.type) {
        case 'text-delta':
        case 'refusal-delta':
        case 'audio-delta':
          return writeText('text', chunk.text)
        case 'reasoning-delta':
          return writeText('thinking', chunk.text)
        case 'tool-call-start':
          hasCalls = true
          return (
            start('call', 'tool-call-start', { tool_calls: toCallStart(chunk) }) +
            writeArguments(chunk.arguments)
          )
        case 'tool-arguments-delta':
          return writeArguments(chunk.text)
        // Cohere's citations name documents of the request, not pages.
        case 'citation':
        case 'web-search':
        case 'reasoning-signature':
        case 'finish':
          return ''
      }
    },
    close,
    hasCalls: () => hasCalls,
  }
}

const toCallStart = ({ id, name }: ToolCallStart): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: '' },
})

/** Passes Cohere's events through byte for byte, including usage. */
export const createPassthrough = ({ requestId }: ResponseContext): StreamPassthrough => ({
  pass: ({ raw }) => raw,
  end: () => '',
  fail: error => errorEvent(error, requestId),
})
