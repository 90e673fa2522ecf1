import { NO_USAGE, type Usage } from '../../core/usage.ts'
import type { FinishReason } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext, StreamWriter } from '../../provider-kit/contract/client-dialect.ts'
import { openBlocks } from './blocks.ts'
import { writeErrorEvent } from './error.ts'
import { namedEvent } from './named-event.ts'
import { messageHead, stopReasonOf } from './reply.ts'
import { toAnthropicUsage } from './usage.ts'

/** Claude has one choice only. */
const ONLY_CHOICE = 0

/** Writes Claude's named events. Source: docs.claude.com/en/docs/build-with-claude/streaming */
export function openMessageWriter(context: ResponseContext): StreamWriter {
  const blocks = openBlocks()
  let finish: FinishReason = 'stop'
  let isStarted = false

  const start = (vendorId?: string): string => {
    if (isStarted) return ''
    isStarted = true
    const usage = { ...toAnthropicUsage(NO_USAGE), input_tokens: context.inputTokens }
    return namedEvent({ type: 'message_start', message: { ...messageHead(vendorId, context), usage } })
  }

  const end = (usage: Usage | undefined): string => {
    const delta = { stop_reason: stopReasonOf(finish, blocks.hasCalls()), stop_sequence: null }
    return (
      start() +
      blocks.close() +
      namedEvent({ type: 'message_delta', delta, usage: toAnthropicUsage(usage ?? NO_USAGE) }) +
      namedEvent({ type: 'message_stop' })
    )
  }

  return {
    write(chunk) {
      if (chunk.type === 'start') return start(chunk.id)
      if ((chunk.choice ?? ONLY_CHOICE) !== ONLY_CHOICE) return ''
      if (chunk.type === 'finish') finish = chunk.reason
      return start() + blocks.write(chunk)
    },
    end,
    fail: error => writeErrorEvent(error, context.requestId),
  }
}
