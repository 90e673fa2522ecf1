import { cacheWriteTokens, completionTokens, promptTokens, type Usage } from '#server/core/usage.ts'
import type { ChatChunk, ChatReply } from '#server/provider-kit/contract/chat.ts'
import type {
  Framing,
  StreamEvent,
  StreamPiece,
  StreamReader,
} from '#server/provider-kit/contract/operation-adapter.ts'
import type { Failure } from '#server/provider-kit/failures.ts'
import { createFramer } from '#server/provider-kit/framing/framers.ts'
import { createReplyCollector, isChatChunk } from '#server/provider-kit/reply-chunks.ts'

/** What a reader made of a response, in a comparable form. */
export interface Reading {
  readonly reply: ChatReply
  readonly usage: Usage | undefined
  readonly failure: Failure | undefined
  readonly isComplete: boolean
}

/** Reads a stream with the given chunk boundaries. */
export function readStream(
  framing: Framing,
  reader: StreamReader<ChatChunk>,
  cuts: Iterable<Uint8Array>,
): Reading {
  const framer = createFramer(framing)
  const collector = createReplyCollector()
  let failure: Failure | undefined
  const take = (piece: StreamPiece<ChatChunk>): void => {
    if (failure) return
    if (piece.type === 'failure') failure = piece.failure
    else if (isChatChunk(piece)) collector.add(piece)
  }
  const read = (events: readonly StreamEvent[]): void => {
    for (const event of events) reader.read(event).forEach(take)
  }
  for (const bytes of cuts) read(framer.push(bytes))
  read(framer.end())
  const { usage, isComplete } = reader.end()
  return { reply: collector.reply(), usage, failure, isComplete }
}

export function* byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1)
}

/** The comparable form of `expect.json`: the first choice, and usage with OpenAI's field names. */
export function toExpected({ reply, usage, failure }: Reading): object {
  const choice = reply.choices[0]
  return {
    content: choice?.text ?? '',
    reasoning: choice?.reasoning,
    reasoning_signature: choice?.reasoningSignature,
    refusal: choice?.refusal,
    tool_calls: choice?.toolCalls?.map(({ id, function: called, extra_content }) => ({
      id,
      ...called,
      extra_content,
    })),
    finish_reason: choice?.finish,
    usage: usage ? flatUsage(usage) : 'estimated',
    error: failure,
  }
}

export const flatUsage = (usage: Usage): Readonly<Record<string, number>> => ({
  prompt_tokens: promptTokens(usage),
  completion_tokens: completionTokens(usage),
  total_tokens: promptTokens(usage) + completionTokens(usage),
  cached_tokens: usage.cachedInput,
  cache_creation_tokens: cacheWriteTokens(usage),
  reasoning_tokens: usage.reasoning,
})
