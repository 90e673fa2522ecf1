import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { type BothLanguages, textsOf, toStoredText } from '../../core/language.ts'
import type { Logger } from '../../core/logger.ts'
import { NO_QUOTA } from '../../core/money.ts'
import { CONTAINER_GIGABYTES, type ExtraUsage, NO_USAGE } from '../../core/usage.ts'
import type { Hold, Ledger } from '../../ledger/ledger.ts'
import { findModel } from '../../pricing/catalogue.ts'
import { type Charge, calculateCharge, cutCharge } from '../../pricing/charge.ts'
import { atFactor, type GroupPrice, isDearerTier } from '../../pricing/price.ts'
import { isSameModel } from '../../provider-kit/extra-usage.ts'
import type { FailureLimit } from '../admission/admit.ts'
import type { RelayHooks, SettledRequest } from '../hooks.ts'
import { toActiveRequest } from '../request/parse-request.ts'
import { AttemptsFailed, type RouteTrace, toClientError } from '../routing/attempts.ts'
import type { CallOutcome } from '../routing/channel-health.ts'
import type { RelayObserver } from '../telemetry/observer.ts'
import type { ActiveRequest, Outcome, RelayRequest, ResponseEnding, SettingsReader } from '../types.ts'
import type { RespondingChannel } from '../upstream/prepare-call.ts'
import type { CallAbandoned, RespondedUpstream } from '../upstream/try-channels.ts'
import { toErrorContent, toFailureReceipt, toLogEntry, toReceipt } from './receipt.ts'
import { estimateThoughts, usageToCharge } from './usage-to-charge.ts'

export interface BillingDeps {
  readonly ledger: Ledger
  readonly settings: SettingsReader<'PreConsumedQuota' | 'prices' | 'UserConcurrencyLimit'>
  readonly observer: RelayObserver
  readonly hooks: Pick<RelayHooks, 'settled'>
  readonly failureLimit: FailureLimit
  readonly log: Logger
}

/** A response that has ended, and the hold that pays for it. */
export interface Settlement {
  readonly request: ActiveRequest
  readonly upstream: Pick<RespondedUpstream, 'responder' | 'trace' | 'call'>
  /** The hold with all extensions. */
  readonly hold: Hold
  readonly price: GroupPrice
  readonly outcome: Outcome
}

/** Text of the log row of a response without output. */
const ENDING_TEXTS: Readonly<Record<ResponseEnding, BothLanguages>> = {
  complete: { zh: '响应没有输出', en: 'the response had no output' },
  'client-left': { zh: '客户端在输出前断开连接', en: 'the client disconnected before any output' },
  'upstream-broke': { zh: '上游在输出前中断', en: 'the upstream broke off before any output' },
  'quota-spent': { zh: '输出前额度已用尽', en: 'the quota ran out before any output' },
  'access-ended': { zh: '输出前令牌或登录已失效', en: 'the token or sign-in ended before any output' },
  'storage-failed': { zh: '无法保存计费记录', en: 'the charge could not be stored' },
}

const STATUS_BAD_GATEWAY = 502
const NAME_CHARS_MAX = 200
/** Responses without output are not charged, even for models with a price per call. */
const NO_CHARGE: Charge = { amount: NO_QUOTA, exact: '0', lines: [] }

/**
 * Charges the usage, or releases the hold when an interrupted response had no output. Durable when it resolves. A hold
 * that cannot be charged because of a bug is released too, so that none stays open.
 */
export async function settle(settlement: Settlement, deps: BillingDeps): Promise<void> {
  const endedMs = elapsedMs()
  const settled = withServedModel(settlement, deps)
  const { request, upstream, hold, outcome } = settled
  upstream.call.end(toCallOutcome(outcome))
  let paid: Paid
  try {
    paid = await closeHold(settled, endedMs, deps)
  } catch (error) {
    if (!(error instanceof GatewayError)) await release(request, hold, error, deps)
    throw error
  }
  const { responder, trace } = upstream
  const { requestId, model } = request
  const { channel } = responder
  deps.hooks.settled?.({ requestId, model, channel, ...paid, response: { request, outcome } })
  deps.observer.requestCompleted({ request, upstream: responder, trace, outcome, endedMs })
}

/**
 * Charges the price of the model that served, where the provider names another one than it was asked for. One without a price
 * costs what the dearest that the request names does. Names of deployments say nothing, and an operator's own name keeps its price.
 */
function withServedModel(settlement: Settlement, { settings }: BillingDeps): Settlement {
  const { request, upstream, outcome, price } = settlement
  const { channel, upstreamModel } = upstream.responder
  const { group_ratio: ratio = 1 } = price.figures
  const servedModel = outcome.usage.servedModel ?? outcome.servedModel
  const isNamed = (requested: string): boolean => !servedModel || isSameModel(requested, servedModel)
  const isOwnName = findModel(upstreamModel) === undefined
  // An advisor's calls are charged apart: it did not serve in another one's place.
  const advisors = new Set(outcome.usage.otherModels?.map(other => other.model))
  const named = (request.requested.otherModels ?? []).filter(
    ({ name, isOfTool }) => !isOfTool && !advisors.has(name),
  )
  const isRequested = named.some(({ name }) => isNamed(name))
  if (
    !servedModel ||
    (isOwnName && channel.provider.hasDeployments && !isRequested) ||
    isNamed(upstreamModel) ||
    isNamed(request.model)
  )
    return { ...settlement, outcome: { ...outcome, servedModel: undefined } }
  const pricesOf = (model: string): readonly GroupPrice[] =>
    [settings.current().prices.findServed(model) ?? []].flat().map(one => atFactor(one, ratio))
  const amountOf = (one: GroupPrice): number => calculateCharge(one, outcome.usage).amount
  const [served] = pricesOf(servedModel)
  if (served?.model.base.costs.input.isListed && isOwnName && !isRequested)
    return { ...settlement, outcome: { ...outcome, servedModel: undefined } }
  const possible = served ? [served] : [price, ...named.flatMap(({ name }) => pricesOf(name))]
  return {
    ...settlement,
    price: possible.reduce((dearest, one) => (amountOf(one) > amountOf(dearest) ? one : dearest)),
    outcome: { ...outcome, servedModel: servedModel.slice(0, NAME_CHARS_MAX) },
  }
}

type Paid = Pick<SettledRequest, 'charge' | 'costNanos'>

async function closeHold(
  settlement: Settlement,
  endedMs: number,
  { ledger, log }: BillingDeps,
): Promise<Paid> {
  const { request, upstream, price } = settlement
  const { responder, trace } = upstream
  const outcome = withServedWay(settlement)
  const durationMs = endedMs - request.startedMs
  const logged = { channelId: responder.channel.id, durationMs }
  if (outcome.provenance === 'free' && outcome.ending !== 'complete') {
    const error = { status: STATUS_BAD_GATEWAY, code: outcome.ending }
    await ledger.release(settlement.hold, {
      entry: toLogEntry(request, {
        ...logged,
        usage: NO_USAGE,
        content: toStoredText(ENDING_TEXTS[outcome.ending]),
      }),
      receipt: toFailureReceipt(request, { trace, error, durationMs }),
    })
    return { charge: undefined, costNanos: undefined }
  }
  const full = outcome.provenance === 'free' ? NO_CHARGE : calculateCharge(price, outcome.usage)
  const { hold, charge } = await payFromNothing(full, settlement.hold, ledger)
  if (charge.amount === 0 && !price.isFree)
    log.warn('a priced model was charged 0', { request_id: request.requestId, model: request.model })
  const costNanos = costOf(responder, outcome)
  await ledger.settle(hold, {
    amount: charge.amount,
    entry: toLogEntry(request, { ...logged, usage: outcome.usage, content: '' }),
    receipt: toReceipt(request, {
      durationMs,
      trace,
      responder,
      outcome,
      price,
      charge,
      held: hold.amount,
      paidBy: hold.paidBy,
      costNanos,
    }),
  })
  return { charge: charge.amount, costNanos }
}

/**
 * Whoever has nothing may use what is free, and owes nothing when the provider served something else: it costs what there is.
 * Held first, so that requests at once do not spend the same.
 */
async function payFromNothing(
  charge: Charge,
  hold: Hold,
  ledger: Ledger,
): Promise<{ readonly hold: Hold; readonly charge: Charge }> {
  if (hold.amount > 0 || charge.amount === 0) return { hold, charge }
  const affordable = await ledger.affordable(hold, charge.amount)
  const extended = affordable > 0 ? await ledger.extend(hold, affordable) : undefined
  const paid = extended ? affordable : NO_QUOTA
  return { hold: extended ?? hold, charge: paid < charge.amount ? cutCharge(charge, paid) : charge }
}

/** The provider's charge in billionths of a dollar; undefined where the channel's purchase price is unknown. */
function costOf(
  { channel, upstreamModel }: RespondingChannel,
  { usage, provenance, servedModel }: Outcome,
): number | undefined {
  const cost =
    channel.purchase?.cost(servedModel ?? '', usage) ?? channel.purchase?.cost(upstreamModel, usage)
  return cost === undefined || provenance !== 'free' ? cost : 0
}

/**
 * The region is the channel's where the provider names none. Where the provider's figures are missing, the request was served
 * as it asked for, unless that is cheaper: clients may ask for what their provider does not know.
 */
function withServedWay({ request, upstream, price, outcome }: Settlement): Outcome {
  const { usage, provenance } = outcome
  const { requested } = request
  const isEstimated = provenance === 'estimated'
  const region =
    usage.region ?? upstream.responder.channel.region ?? (isEstimated ? requested.region : undefined)
  const isSent = upstream.responder.channel.policy?.serviceTier === undefined
  const isAssumed = isEstimated && isSent && isDearerTier(price, requested.serviceTier)
  const serviceTier = usage.serviceTier ?? (isAssumed ? requested.serviceTier : undefined)
  const toolCalls = withSizes(usage.toolCalls, requested.extras?.toolCalls)
  if (region === usage.region && serviceTier === usage.serviceTier && toolCalls === usage.toolCalls)
    return outcome
  const served = { ...usage, ...(toolCalls && { toolCalls }) }
  return { ...outcome, usage: { ...served, ...(region && { region }), ...(serviceTier && { serviceTier }) } }
}

type ToolCalls = ExtraUsage['toolCalls']

/** The containers that were asked for, where a response does not say in which its interpreter ran. */
function withSizes(used: ToolCalls, requested: ToolCalls): ToolCalls {
  const { code_interpreter: uses, ...others } = used ?? {}
  const sizes = Object.entries(requested ?? {}).filter(([name]) => Object.hasOwn(CONTAINER_GIGABYTES, name))
  return uses && sizes.length > 0 ? { ...others, ...Object.fromEntries(sizes) } : used
}

/**
 * Charges for a call that was ended before it responded, because its client had left: the provider has read the prompt, and
 * a model that thinks has thought.
 */
export function settleAbandoned(
  request: RelayRequest,
  { upstream }: CallAbandoned,
  { hold, price }: Pick<Settlement, 'hold' | 'price'>,
  deps: BillingDeps,
): Promise<void> {
  const charged = usageToCharge({
    usage: undefined,
    isComplete: false,
    hasOutput: true,
    inputTokens: request.inputTokens,
    inputAudioTokens: request.inputAudioTokens,
    outputTokens: 0,
    thoughtTokens: estimateThoughts(request),
    images: request.imageUnits,
  })
  const outcome = { ending: 'client-left', ...charged, firstOutputMs: undefined } as const
  return settle({ request: toActiveRequest(request), upstream, hold, price, outcome }, deps)
}

const toCallOutcome = ({ ending }: Outcome): CallOutcome => {
  if (ending === 'upstream-broke') return 'failure'
  return ending === 'client-left' || ending === 'storage-failed' ? 'unknown' : 'success'
}

const NO_ATTEMPTS: RouteTrace = { candidates: [], attempts: [] }

/** Releases the full hold and logs the reason. */
export async function release(
  request: ActiveRequest,
  hold: Hold,
  error: unknown,
  { ledger, failureLimit }: Pick<BillingDeps, 'ledger' | 'failureLimit'>,
): Promise<void> {
  const trace = error instanceof AttemptsFailed ? error.trace : NO_ATTEMPTS
  const clientError = toClientError(error)
  const durationMs = elapsedMs() - request.startedMs
  const channelId = trace.attempts.at(-1)?.channelId ?? 0
  const isRowLogged = await failureLimit.count(request.caller, clientError.status)
  await ledger.release(hold, {
    isRowLogged,
    entry: toLogEntry(request, {
      channelId,
      durationMs,
      usage: NO_USAGE,
      content: toErrorContent(textsOf(clientError)),
    }),
    receipt: toFailureReceipt(request, { trace, error: clientError, durationMs }),
  })
}
