import { completionTokens } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import { WrittenBody } from '../../provider-kit/client-dialect.ts'
import { type Outcome, usageToCharge } from '../billing/usage-to-charge.ts'
import type { RelayRequest } from '../request/relay-request.ts'
import type { WholeAnswer } from '../upstream/call-channel.ts'
import type { Answering } from '../upstream/prepare-call.ts'
import type { Egress } from '../upstream/safe-fetch.ts'

const JSON_ANSWER = { headers: { 'content-type': 'application/json; charset=utf-8' } } as const

interface AnsweredWhole {
  readonly order: RelayRequest
  readonly adapted: Answering
  readonly answer: WholeAnswer
}

/** Charges a whole answer, then gives it. `close` makes the charge durable. */
export async function jsonResponse(
  { order, adapted, answer }: AnsweredWhole,
  egress: Egress,
  close: (outcome: Outcome) => Promise<void>,
): Promise<Response> {
  const { operation, dialect } = order
  const usage = operation.readUsage?.(answer.reply, order.body, answer.usage) ?? answer.usage
  const charge = usageToCharge({
    usage,
    isComplete: true,
    hasOutput: operation.hasOutput(answer.reply),
    inputTokens: order.inputTokens,
    inputAudioTokens: order.inputAudioTokens,
    outputTokens: usage && completionTokens(usage) > 0 ? 0 : operation.outputTokens(answer.reply),
  })
  const { provenance } = charge
  await close({ ending: 'complete', usage: charge.usage, provenance, firstOutputMs: undefined })
  if (answer.text !== undefined) return respond(answer.text)
  const isTagged = adapted.channel.view.setting.thinking_to_content === true
  const reply = isTagged && operation.withThinkTags ? operation.withThinkTags(answer.reply) : answer.reply
  const complete = operation.completeReply ? await operation.completeReply(reply, order.body, egress) : reply
  return respond(dialect.writeReply(complete, charge.usage, order))
}

function respond(body: string | JsonObject | WrittenBody): Response {
  if (body instanceof WrittenBody)
    return new Response(body.body, { headers: { 'content-type': body.contentType } })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(text, JSON_ANSWER)
}
