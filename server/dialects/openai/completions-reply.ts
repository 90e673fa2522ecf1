import type { Usage } from '../../core/usage.ts'
import type { ChatReply, FinishReason, JsonObject } from '../../provider-kit/contract/chat.ts'
import type {
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import { openChatPassage } from './chat-passage.ts'
import { DONE_EVENT, usageChunk } from './chat-stream.ts'
import { errorEvent } from './error-event.ts'
import { toOpenaiUsage } from './usage.ts'

/** Source: platform.openai.com/docs/api-reference/completions/object */
export const writeCompletions = (reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject => ({
  ...headOf(context),
  choices: reply.choices.map(({ text, finish }, index) => choiceOf(index, echoOf(context) + text, finish)),
  usage: toOpenaiUsage(usage),
})

/** Thoughts and calls have no place in this API. */
export function openCompletionsWriter(context: ResponseContext): StreamWriter {
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

export const openCompletionsPassage = (context: ResponseContext): StreamPassthrough =>
  openChatPassage(context, chunkHead(context))

const headOf = ({ requestId, nowSeconds, model }: ResponseContext): JsonObject => ({
  id: `cmpl-${requestId}`,
  object: 'text_completion',
  created: nowSeconds,
  model,
})

const chunkHead = (context: ResponseContext): string =>
  `data: ${JSON.stringify(headOf(context)).slice(0, -1)}`

/** A client may want to hear its own text before what follows it. */
const echoOf = ({ echoedFields }: ResponseContext): string => [echoedFields.prompt ?? ''].flat().join('')

const choiceOf = (index: number, text: string, finish: FinishReason | null): JsonObject => ({
  text,
  index,
  logprobs: null,
  finish_reason: finish === 'tool_calls' ? 'stop' : finish,
})
