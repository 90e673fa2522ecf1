import { completionTokens, NO_USAGE, promptTokens, type Usage } from '../../core/usage.ts'
import type { LogEntry, Receipt } from '../../ledger/ledger.ts'
import type { Charge, Price } from '../../ledger/price.ts'
import { loggedTokenName } from '../request/caller.ts'
import type { ActiveRequest } from '../request/relay-request.ts'
import type { Candidate } from '../routing/route.ts'
import type { AttemptTrace, RouteTrace } from '../upstream/attempts.ts'
import type { Outcome } from './usage-to-charge.ts'

interface Served {
  readonly order: ActiveRequest
  /** Until the answer had ended. */
  readonly tookMs: number
  readonly trace: RouteTrace
  readonly upstreamModel: string
  readonly outcome: Outcome
  readonly price: Price
  readonly charge: Charge
  readonly held: number
}

/** Everything that lets a reader do the sum of a request again. It becomes JSON, which leaves out what is undefined. */
export function toReceipt({
  order,
  tookMs,
  trace,
  upstreamModel,
  outcome,
  price,
  charge,
  held,
}: Served): Receipt {
  return {
    ending: outcome.ending,
    provenance: outcome.provenance,
    use_ms: Math.round(tookMs),
    frt_ms: outcome.firstOutputMs === undefined ? null : Math.round(outcome.firstOutputMs),
    model: { requested: order.model, upstream: upstreamModel },
    ws: order.operation.isConversation,
    reasoning_effort: order.effort,
    price: price.figures,
    usage: withoutZeros(outcome.usage),
    lines: charge.lines,
    exact: charge.exact,
    hold: held,
    attempts: trace.attempts.map(toReceiptAttempt),
    candidates: candidatesIn(trace),
  }
}

interface Unserved {
  readonly trace: RouteTrace
  readonly error: { readonly status: number; readonly code: string }
  readonly tookMs: number
}

/** What is known of a request that no channel answered. */
export function failureReceipt(order: ActiveRequest, { trace, error, tookMs }: Unserved): Receipt {
  return {
    ending: 'failed',
    provenance: 'free',
    status: error.status,
    code: error.code,
    use_ms: Math.round(tookMs),
    model: { requested: order.model },
    attempts: trace.attempts.map(toReceiptAttempt),
    candidates: candidatesIn(trace),
  }
}

interface Logged {
  readonly channelId: number
  readonly tookMs: number
  readonly usage: Usage
  readonly content: string
}

export function toLogEntry(order: ActiveRequest, { channelId, tookMs, usage, content }: Logged): LogEntry {
  return {
    username: order.caller.username,
    tokenName: loggedTokenName(order.caller),
    modelName: order.model,
    channelId,
    group: order.caller.group,
    promptTokens: promptTokens(usage),
    completionTokens: completionTokens(usage),
    useTimeSeconds: Math.round(tookMs / 1000),
    isStream: order.isStream,
    content,
  }
}

/** Kept beyond it: none. A group with more channels for one model is rare, and the first decide. */
const CANDIDATES_MAX = 20

/** Undefined for an only candidate, which says no more than its attempts, unless something spoke against it. */
function candidatesIn({ candidates }: RouteTrace) {
  const isDecision = candidates.length > 1 || candidates[0]?.obstacle !== undefined
  return isDecision ? candidates.slice(0, CANDIDATES_MAX).map(toReceiptCandidate) : undefined
}

const toReceiptCandidate = ({ channel, obstacle }: Candidate) => ({
  channel_id: channel.id,
  channel_name: channel.name,
  priority: channel.priority,
  weight: channel.weight,
  ...(obstacle && { obstacle }),
})

/** JSON leaves a code out that is undefined. */
export const toReceiptAttempt = ({ channelId, channelName, status, ms, code }: AttemptTrace) => ({
  channel_id: channelId,
  channel_name: channelName,
  status,
  ms,
  code,
})

/** Every usage has all of them. */
const BUCKETS = Object.keys(NO_USAGE) as readonly (keyof Usage)[]

function withoutZeros(usage: Usage): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const bucket of BUCKETS) if (usage[bucket] !== 0) counts[bucket] = usage[bucket]
  return counts
}
