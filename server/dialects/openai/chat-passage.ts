import type { ResponseContext, StreamPassthrough } from '../../provider-kit/contract/client-dialect.ts'
import type { StreamEvent } from '../../provider-kit/contract/operation-adapter.ts'
import { isObject, parseJson } from '../../provider-kit/json.ts'
import { chunkHead, DONE_EVENT, usageChunk } from './chat-stream.ts'
import { errorEvent } from './error-event.ts'

const USAGE_OBJECT = /"usage"\s*:\s*\{/

/** Passes an OpenAI stream on: usage only where the client asked for it, and one end mark, which is ours. */
export function openChatPassage(
  context: ResponseContext,
  head = chunkHead(undefined, undefined, context),
): StreamPassthrough {
  let hasUsage = false
  return {
    pass(event) {
      if (isDone(event)) return ''
      if (!USAGE_OBJECT.test(event.data)) return closed(event.raw)
      hasUsage = true
      return context.wantsUsage ? closed(event.raw) : withoutUsage(event)
    },
    end(usage) {
      const isMissing = context.wantsUsage && usage !== undefined && !hasUsage
      return (isMissing ? usageChunk(head, usage) : '') + DONE_EVENT
    },
    fail: error => errorEvent(error, context.requestId),
  }
}

const isDone = (event: StreamEvent): boolean => event.data === '[DONE]'

/** The event without its usage, or nothing when it carries nothing else. Unchanged where the word stood elsewhere. */
function withoutUsage(event: StreamEvent): string {
  const json = parseJson(event.data)
  if (!isObject(json) || !isObject(json.usage)) return closed(event.raw)
  const { usage, ...rest } = json
  if (Array.isArray(rest.choices) && rest.choices.length === 0) return ''
  return `data: ${JSON.stringify(rest)}\n\n`
}

/** The last event of a vendor may lack its blank line; ours follows it. */
const closed = (raw: string): string => (/(?:\n\n|\r\n\r\n|\r\r)$/.test(raw) ? raw : `${raw}\n\n`)
