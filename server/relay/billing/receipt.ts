import type { ModelBend } from '../../core/errors.ts'
import { type BothLanguages, clipTexts, toStoredText } from '../../core/language.ts'
import {
  completionTokens,
  type ExtraUsage,
  hasExtras,
  NO_USAGE,
  promptTokens,
  type TokenUsage,
  type Usage,
} from '../../core/usage.ts'
import type { LogEntry, LogReceipt } from '../../ledger/ledger.ts'
import type { PayingSubscription } from '../../ledger/ledger-command.ts'
import { type Charge, calculateCharge } from '../../pricing/charge.ts'
import type { GroupPrice } from '../../pricing/price.ts'
import type { AttemptTrace, RouteTrace } from '../routing/attempts.ts'
import type { ActiveRequest, Caller, Outcome } from '../types.ts'
import type { RespondingChannel } from '../upstream/prepare-call.ts'

interface ReceiptFacts {
  /** Time until the end of the response. */
  readonly durationMs: number
  readonly trace: RouteTrace
  readonly responder: RespondingChannel
  readonly outcome: Outcome
  readonly price: GroupPrice
  readonly charge: Charge
  /** The amount of the hold. */
  readonly held: number
  readonly paidBy: PayingSubscription | undefined
  /** The provider's charge in billionths of a dollar; undefined where it is unknown. */
  readonly costNanos: number | undefined
}

/** Everything needed to recalculate the charge of a request. Stored as JSON, which omits undefined fields. */
export function toReceipt(
  request: ActiveRequest,
  { durationMs, trace, responder, outcome, price, charge, held, paidBy, costNanos }: ReceiptFacts,
): LogReceipt {
  return {
    ending: outcome.ending,
    provenance: outcome.provenance,
    use_ms: Math.round(durationMs),
    frt_ms: outcome.firstOutputMs === undefined ? null : Math.round(outcome.firstOutputMs),
    model: { requested: request.model, upstream: responder.upstreamModel, served: outcome.servedModel },
    dialect: request.client.name,
    dropped_tools: responder.droppedTools,
    adjusted: responder.adjusted,
    ws: request.operation.converse && true,
    reasoning_effort: request.effort,
    price: price.figures,
    bends: toReceiptBends(request, outcome, charge.amount),
    usage: withoutZeros(outcome.usage),
    extra_usage: toReceiptExtras(outcome.usage),
    rejected_usage: outcome.rejectedUsage && withoutZeros(outcome.rejectedUsage),
    lines: charge.lines,
    exact: charge.exact,
    hold: held,
    paid_by: toPayerReceipt(paidBy),
    cost_nanos: costNanos,
    attempts: trace.attempts.map(toReceiptAttempt),
    candidates: toReceiptCandidates(trace),
  }
}

/** What each replaced model would have cost, and how much more that is than what came in its place. */
function toReceiptBends({ bends }: ActiveRequest, { usage, provenance }: Outcome, charged: number) {
  const isFree = provenance === 'free'
  const amounts = bends?.map(({ price }) => (isFree ? 0 : calculateCharge(price, usage).amount))
  return bends?.map(({ price, ...bend }, index) => {
    const [amount = 0, next = charged] = amounts?.slice(index) ?? []
    const saved = bend.from === bend.to ? 0 : amount - next
    return { ...toReceiptBend(bend), price: price.figures, amount, saved }
  })
}

function toReceiptBend({ budgetId: budget_id, budget, percent, from, to, effort }: ModelBend) {
  return { budget_id, budget, percent, from, to, effort }
}

/** Undefined for what the wallet pays. */
export const toPayerReceipt = (payer: PayingSubscription | undefined) =>
  payer && { plan: payer.plan, subscription_id: payer.subscriptionId }

interface FailureFacts {
  readonly durationMs: number
  readonly trace: RouteTrace
  readonly error: { readonly status: number; readonly code: string }
}

/** The receipt of a request without a response to charge. */
export function toFailureReceipt(
  request: ActiveRequest,
  { durationMs, trace, error }: FailureFacts,
): LogReceipt {
  return {
    ending: 'failed',
    provenance: 'free',
    status: error.status,
    code: error.code.slice(0, CODE_CHARS_MAX),
    use_ms: Math.round(durationMs),
    model: { requested: request.model },
    bends: request.bends?.map(toReceiptBend),
    dialect: request.client.name,
    attempts: trace.attempts.map(toReceiptAttempt),
    candidates: toReceiptCandidates(trace),
  }
}

interface LogFacts {
  readonly channelId: number
  readonly durationMs: number
  readonly usage: Usage
  readonly content: string
}

export const toLogEntry = (
  request: ActiveRequest,
  { channelId, durationMs, usage, content }: LogFacts,
): LogEntry => ({
  username: request.caller.username,
  tokenName: loggedTokenName(request.caller),
  modelName: request.model,
  channelId,
  group: request.caller.group,
  promptTokens: promptTokens(usage),
  completionTokens: completionTokens(usage),
  useTimeSeconds: Math.round(durationMs / 1000),
  isStream: request.isStream,
  content,
})

/** For both languages together: clients and providers choose the texts. */
const ERROR_BYTES_MAX = 1_000
const CODE_CHARS_MAX = 100

/** An error as log rows store it. */
export const toErrorContent = (texts: BothLanguages): string =>
  toStoredText(clipTexts(texts, ERROR_BYTES_MAX))

/** The name of the token in a log row; playground requests have none. */
export const loggedTokenName = ({ token, group }: Caller): string => token?.name ?? `playground-${group}`

/** More channels for one model in one group are rare, and the first ones matter. */
const CANDIDATES_MAX = 20

/** Undefined for a single healthy candidate, since the attempts already show it. */
function toReceiptCandidates({ candidates, attempts, untried }: RouteTrace) {
  const isDecision = candidates.length > 1 || candidates[0]?.skipReason !== undefined
  if (!isDecision) return undefined
  const attempted = new Set(attempts.map(({ channelId }) => channelId))
  return candidates.slice(0, CANDIDATES_MAX).map(({ channel, skipReason }) => {
    const reason = skipReason ?? (attempted.has(channel.id) ? undefined : untried)
    return {
      channel_id: channel.id,
      channel_name: channel.name,
      priority: channel.priority,
      weight: channel.weight,
      ...(reason && { obstacle: reason }),
    }
  })
}

export const toReceiptAttempt = ({ channelId, channelName, status, ms, code }: AttemptTrace) => ({
  channel_id: channelId,
  channel_name: channelName,
  status,
  ms,
  code: code?.slice(0, CODE_CHARS_MAX),
})

/** Undefined for most requests, which use tokens only. */
function toReceiptExtras(usage: ExtraUsage) {
  const { webSearches, searchContext, toolCalls, toolImages, otherModels, seconds, serviceTier, region } =
    usage
  if (!hasExtras(usage) && !seconds && !serviceTier && !region) return undefined
  return {
    web_searches: webSearches || undefined,
    search_context: searchContext,
    tool_calls: toolCalls,
    tool_images: toolImages,
    other_models: otherModels,
    seconds,
    service_tier: serviceTier,
    region,
  }
}

/** `NO_USAGE` has every bucket, so that its keys are all that are counted. */
const BUCKETS = Object.keys(NO_USAGE) as readonly (keyof TokenUsage | 'images')[]

function withoutZeros(usage: Usage): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const bucket of BUCKETS) if (usage[bucket] !== 0) counts[bucket] = usage[bucket]
  return counts
}
