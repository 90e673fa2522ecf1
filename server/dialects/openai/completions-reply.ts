import type { Usage } from '../../core/usage.ts'
import type { ChatReply, FinishReason, JsonObject } from '../../provider-kit/chat.ts'
import type { AnswerContext, StreamPassage, StreamWriter } from '../../provider-kit/client-dialect.ts'
import { openChatPassage } from './chat-passage.ts'
import { DONE_EVENT, usageChunk } from './chat-stream.ts'
import { errorEvent } from './error-event.ts'
import { toOpenaiUsage } from './usage.ts'

/** Source: platform.openai.com/docs/api-reference/completions/object */
export const writeCompletions = (reply: ChatReply, usage: Usage, context: AnswerContext): JsonObject => ({
  ...headOf(context),
  choices: reply.choices.map(({ text, finish }, index) => choiceOf(index, echoOf(context) + text, finish)),
  usage: toOpenaiUsage(usage),
})

/** Thoughts and calls have no place in this API. */
export function openCompletionsWriter(context: AnswerContext): StreamWriter {
  const head = chunkHead(context)
  const begun = new Set<number>()
  const chunk = (choice: JsonObject): string => `${head},"choices":[${JSON.stringify(choice)}]}\n\n`
  const echo = (choice: number): string => {
    if (begun.has(choice)) return ''
    begun.add(choice)
    return echoOf(context)
  }
  return {
    write(piece) {
      if (piece.type !== 'text-delta' && piece.type !== 'refusal-delta' && piece.type !== 'finish') return ''
      const { choice = 0 } = piece
      const said = echo(choice) + (piece.type === 'finish' ? '' : piece.text)
      return chunk(choiceOf(choice, said, piece.type === 'finish' ? piece.reason : null))
    },
    end: usage => (context.wantsUsage && usage ? usageChunk(head, usage) : '') + DONE_EVENT,
    fail: error => errorEvent(error, context.requestId),
  }
}

export const openCompletionsPassage = (context: AnswerContext): StreamPassage =>
  openChatPassage(context, chunkHead(context))

const headOf = ({ requestId, nowSeconds, model }: AnswerContext): JsonObject => ({
  id: `cmpl-${requestId}`,
  object: 'text_completion',
  created: nowSeconds,
  model,
})

const chunkHead = (context: AnswerContext): string => `data: ${JSON.stringify(headOf(context)).slice(0, -1)}`

/** A client may want to hear its own text before what follows it. */
const echoOf = ({ repeated }: AnswerContext): string => [repeated.prompt ?? ''].flat().join('')

const choiceOf = (index: number, text: string, finish: FinishReason | null): JsonObject => ({
  text,
  index,
  logprobs: null,
  finish_reason: finish === 'tool_calls' ? 'stop' : finish,
})
