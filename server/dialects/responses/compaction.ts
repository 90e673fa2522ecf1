import type { Usage } from '../../core/usage.ts'
import type { ChatBody, ChatMessage, ChatReply } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { asArray, asObject, type JsonObject } from '../../provider-kit/json.ts'
import type { EventWriter } from './events.ts'
import { toResponsesUsage } from './items.ts'
import type { OutputWriter } from './output-writer.ts'

/** Instructions for models of providers that cannot compact conversations themselves. */
const COMPACT: ChatMessage = {
  role: 'user',
  content: [
    'Summarize this conversation so that another assistant can continue it without reading it.',
    'State the goal of the user and all instructions that still apply, what was done and decided and why,',
    'names, paths, values and results that later steps need, in full, and what remains to be done.',
    'Write the summary only, without a preface, and call no tools.',
  ].join(' '),
}

/** Whether the input of a request ends with an item that requests the compaction of all that precedes it. */
export const requestsCompaction = (input: unknown): boolean =>
  asObject(asArray(input).at(-1)).type === 'compaction_trigger'

/** The request for a summary. Tools would only be called. */
export function toCompactingBody({
  tools: _,
  tool_choice: __,
  parallel_tool_calls: ___,
  response_format: ____,
  ...body
}: ChatBody): ChatBody {
  return { ...body, messages: [...body.messages, COMPACT] }
}

/** Source: platform.openai.com/docs/api-reference/responses/compact */
export const writeCompaction = (reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject => ({
  id: `resp_${context.requestId}`,
  object: 'response.compaction',
  created_at: context.nowSeconds,
  output: [compactionItem(reply.choices[0]?.text ?? '', context)],
  usage: toResponsesUsage(usage),
})

/** A summary that only the gateway reads again. */
export const compactionItem = (summary: string, { requestId, encrypt }: ResponseContext): JsonObject => ({
  id: `cmp_${requestId}`,
  type: 'compaction',
  encrypted_content: encrypt?.(summary) ?? '',
})

/** Collects the summary, which becomes one item at the end. */
export function createCompactionWriter(context: ResponseContext, events: EventWriter): OutputWriter {
  const pieces: string[] = []
  let item: JsonObject | undefined
  return {
    write(chunk) {
      if (chunk.type === 'text-delta') pieces.push(chunk.text)
      return ''
    },
    close() {
      item = compactionItem(pieces.join(''), context)
      const fields = { output_index: 0, item }
      return (
        events.write('response.output_item.added', fields) + events.write('response.output_item.done', fields)
      )
    },
    items: () => (item ? [item] : []),
  }
}
