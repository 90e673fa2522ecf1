import { elapsedMs } from '../kernel/clock.ts'
import { completionTokens, promptTokens, type Usage } from '../kernel/usage.ts'
import type { LogEntry, Receipt } from '../ledger/ledger.ts'
import type { Charge, Price } from '../ledger/price.ts'
import type { AttemptTrace } from './attempt.ts'
import { tokenNameOf } from './caller.ts'
import type { Order } from './order.ts'
import type { Outcome } from './outcome.ts'

interface Served {
  readonly order: Order
  readonly attempts: readonly AttemptTrace[]
  readonly upstreamModel: string
  readonly outcome: Outcome
  readonly price: Price
  readonly charge: Charge
  readonly held: number
}

/** Everything that lets a reader do the sum of a request again. */
export function receiptOf({ order, attempts, upstreamModel, outcome, price, charge, held }: Served): Receipt {
  return {
    ending: outcome.ending,
    provenance: outcome.provenance,
    use_ms: Math.round(elapsedMs() - order.startedMs),
    frt_ms: outcome.firstOutputMs === undefined ? null : Math.round(outcome.firstOutputMs),
    model: { requested: order.model, upstream: upstreamModel },
    price: price.figures,
    usage: withoutZeros(outcome.usage),
    lines: charge.lines,
    exact: charge.exact,
    hold: held,
    attempts: attempts.map(toReceiptAttempt),
  }
}

/** What is known of a request that no channel answered. */
export function failureReceipt(
  order: Order,
  attempts: readonly AttemptTrace[],
  error: { status: number; code: string },
): Receipt {
  return {
    ending: 'failed',
    provenance: 'free',
    status: error.status,
    code: error.code,
    use_ms: Math.round(elapsedMs() - order.startedMs),
    model: { requested: order.model },
    attempts: attempts.map(toReceiptAttempt),
  }
}

export function logEntryOf(order: Order, channelId: number, usage: Usage, content: string): LogEntry {
  return {
    username: order.caller.username,
    tokenName: tokenNameOf(order.caller),
    modelName: order.model,
    channelId,
    group: order.caller.group,
    promptTokens: promptTokens(usage),
    completionTokens: completionTokens(usage),
    useTimeSeconds: Math.round((elapsedMs() - order.startedMs) / 1000),
    isStream: order.isStream,
    content,
  }
}

const toReceiptAttempt = ({ channelId, channelName, status, ms, code }: AttemptTrace) => ({
  channel_id: channelId,
  channel_name: channelName,
  status,
  ms,
  ...(code !== undefined && { code }),
})

const withoutZeros = (usage: Usage) =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== 0))
