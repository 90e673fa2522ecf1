import type { Answered } from './attempt.ts'
import type { Order } from './order.ts'
import { type Outcome, usageToCharge } from './outcome.ts'
import type { WholeAnswer } from './try-channel.ts'

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const

/** Charges a whole answer, then gives it. `close` makes the charge durable. */
export async function answerWhole(
  order: Order,
  { adapted }: Answered,
  answer: WholeAnswer,
  close: (outcome: Outcome) => Promise<void>,
): Promise<Response> {
  const { operation, dialect } = order
  const charge = usageToCharge({
    usage: answer.usage,
    isComplete: true,
    hasOutput: operation.hasOutput(answer.reply),
    inputTokens: order.inputTokens,
    outputTokens: answer.usage ? 0 : operation.outputTokens(answer.reply),
  })
  await close({ ending: 'complete', ...charge, firstOutputMs: undefined })
  if (answer.text !== undefined) return new Response(answer.text, { headers: JSON_HEADERS })
  const isTagged = adapted.channel.view.setting.thinking_to_content === true
  const reply = isTagged && operation.withThinkTags ? operation.withThinkTags(answer.reply) : answer.reply
  return new Response(JSON.stringify(dialect.writeReply(reply, charge.usage, order)), {
    headers: JSON_HEADERS,
  })
}
