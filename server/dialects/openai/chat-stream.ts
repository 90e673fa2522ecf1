import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, ToolCallStart } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext, StreamWriter } from '../../provider-kit/contract/client-dialect.ts'
import { toCompletionId } from './chat-reply.ts'
import { errorEvent } from './error-event.ts'
import { toOpenaiUsage } from './usage.ts'

export const DONE_EVENT = 'data: [DONE]\n\n'

/** Writes chunks of `chat.completion.chunk`. Source: platform.openai.com/docs/api-reference/chat/streaming */
export function openChatWriter(context: ResponseContext): StreamWriter {
  let head = chunkHead(undefined, undefined, context)
  const startedChoices = new Set<number>()

  const choiceChunk = (choice: number, delta: string, finish: string): string =>
    `${head},"choices":[{"index":${choice},"delta":${delta},"finish_reason":${finish}}]}\n\n`

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
      const choice = chunk.choice ?? 0
      const finish = chunk.type === 'finish' ? JSON.stringify(chunk.reason) : 'null'
      return start(choice) + choiceChunk(choice, deltaOf(chunk), finish)
    },
    end: usage => (context.wantsUsage && usage ? usageChunk(head, usage) : '') + DONE_EVENT,
    fail: error => errorEvent(error, context.requestId),
  }
}

/** The usage-only chunk, for a client that asked for it. */
export const usageChunk = (head: string, usage: Usage): string =>
  `${head},"choices":[],"usage":${JSON.stringify(toOpenaiUsage(usage))}}\n\n`

/** The beginning that all chunks of one answer share: everything before `choices`. */
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

function deltaOf(chunk: Exclude<ChatChunk, { type: 'start' }>): string {
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
    case 'finish':
      return '{}'
  }
}

const toToolCallDelta = ({ index, id, name, arguments: text, extraContent }: ToolCallStart) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
  extra_content: extraContent,
})
