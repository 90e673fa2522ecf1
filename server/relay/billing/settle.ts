import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { NO_QUOTA } from '../../core/money.ts'
import { NO_USAGE } from '../../core/usage.ts'
import type { Hold } from '../../ledger/ledger.ts'
import { type Charge, chargeOf, type Price } from '../../ledger/price.ts'
import type { RelayContext } from '../relay-context.ts'
import type { ActiveRequest } from '../request/relay-request.ts'
import { toClientError } from '../response/error-response.ts'
import type { CallEnd } from '../routing/channel-health.ts'
import { AttemptsFailed, type RouteTrace } from '../upstream/attempts.ts'
import type { Answered } from '../upstream/try-channels.ts'
import { failureReceipt, toLogEntry, toReceipt } from './receipt.ts'
import type { Outcome } from './usage-to-charge.ts'

interface Settlement {
  readonly order: ActiveRequest
  readonly answered: Answered
  readonly hold: Hold
  readonly price: Price
  readonly outcome: Outcome
}

/** No output, no charge: not even the price of a call. */
const NO_CHARGE: Charge = { amount: NO_QUOTA, exact: '0', lines: [] }

/**
 * Charges what was used, or gives all back when nothing came out of a broken answer. Durable when it resolves. What
 * cannot be charged is given back too: no hold stays behind.
 */
export async function settle(settling: Settlement, gateway: RelayContext): Promise<void> {
  const endedMs = elapsedMs()
  settling.answered.visit.end(callEndOf(settling.outcome))
  try {
    await close(settling, endedMs, gateway)
  } catch (error) {
    if (!(error instanceof GatewayError)) await release(settling.order, settling.hold, error, gateway)
    throw error
  }
  const { order, outcome } = settling
  const { adapted, trace } = settling.answered
  gateway.watch.answered({ order, adapted, trace, outcome, endedMs })
}

function close(
  { order, answered, hold, price, outcome }: Settlement,
  endedMs: number,
  gateway: RelayContext,
): Promise<unknown> {
  const { adapted, trace } = answered
  const seen = { channelId: adapted.channel.id, tookMs: endedMs - order.startedMs }
  if (outcome.provenance === 'free' && outcome.ending !== 'complete') {
    const error = { status: 502, code: outcome.ending }
    return gateway.ledger.release(hold, {
      entry: toLogEntry(order, { ...seen, usage: NO_USAGE, content: outcome.ending }),
      receipt: failureReceipt(order, { trace, error, tookMs: seen.tookMs }),
    })
  }
  const charge = outcome.provenance === 'free' ? NO_CHARGE : chargeOf(price, outcome.usage)
  if (charge.amount === 0 && !price.isFree)
    gateway.log.warn('an answer was served for nothing', { request_id: order.requestId, model: order.model })
  return gateway.ledger.settle(hold, {
    amount: charge.amount,
    entry: toLogEntry(order, { ...seen, usage: outcome.usage, content: '' }),
    receipt: toReceipt({
      order,
      tookMs: seen.tookMs,
      trace,
      upstreamModel: adapted.upstreamModel,
      outcome,
      price,
      charge,
      held: hold.amount,
    }),
  })
}

const callEndOf = ({ ending }: Outcome): CallEnd => {
  if (ending === 'upstream-broke') return 'bad'
  return ending === 'client-left' || ending === 'storage-failed' ? 'no verdict' : 'good'
}

const UNTRIED: RouteTrace = { candidates: [], attempts: [] }

/** Gives the whole hold back and notes why nothing was served. */
export async function release(
  order: ActiveRequest,
  hold: Hold,
  error: unknown,
  gateway: RelayContext,
): Promise<void> {
  const trace = error instanceof AttemptsFailed ? error.trace : UNTRIED
  const shown = toClientError(error)
  const tookMs = elapsedMs() - order.startedMs
  const channelId = trace.attempts.at(-1)?.channelId ?? 0
  await gateway.ledger.release(hold, {
    entry: toLogEntry(order, { channelId, tookMs, usage: NO_USAGE, content: shown.message }),
    receipt: failureReceipt(order, { trace, error: shown, tookMs }),
  })
}
