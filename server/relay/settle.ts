import { NO_QUOTA } from '../kernel/money.ts'
import { NO_USAGE } from '../kernel/usage.ts'
import type { Hold } from '../ledger/ledger.ts'
import { type Charge, chargeOf, type Price } from '../ledger/price.ts'
import { type Answered, AttemptsFailed } from './attempt.ts'
import { toClientError } from './client-error.ts'
import type { Gateway } from './gateway.ts'
import type { Order } from './order.ts'
import type { Outcome } from './outcome.ts'
import { failureReceipt, logEntryOf, receiptOf } from './receipt.ts'

interface Settling {
  readonly order: Order
  readonly answered: Answered
  readonly hold: Hold
  readonly price: Price
  readonly outcome: Outcome
}

/** No output, no charge: not even the price of a call. */
const NO_CHARGE: Charge = { amount: NO_QUOTA, exact: '0', lines: [] }

/** Charges what was used, or gives all back when nothing came out of a broken answer. Durable when it resolves. */
export async function settle(
  { order, answered, hold, price, outcome }: Settling,
  gateway: Gateway,
): Promise<void> {
  const { adapted, attempts } = answered
  if (outcome.provenance === 'free' && outcome.ending !== 'complete') {
    const error = { status: 502, code: outcome.ending }
    await gateway.ledger.release(hold, {
      entry: logEntryOf(order, adapted.channel.id, NO_USAGE, outcome.ending),
      receipt: failureReceipt(order, attempts, error),
    })
    return
  }
  const charge = outcome.provenance === 'free' ? NO_CHARGE : chargeOf(price, outcome.usage)
  if (charge.amount === 0 && !price.isFree)
    gateway.log.warn('an answer was served for nothing', { request_id: order.requestId, model: order.model })
  await gateway.ledger.settle(hold, {
    amount: charge.amount,
    entry: logEntryOf(order, adapted.channel.id, outcome.usage, ''),
    receipt: receiptOf({
      order,
      attempts,
      upstreamModel: adapted.upstreamModel,
      outcome,
      price,
      charge,
      held: hold.amount,
    }),
  })
}

/** Gives the whole hold back and notes why nothing was served. */
export async function release(order: Order, hold: Hold, error: unknown, gateway: Gateway): Promise<void> {
  const attempts = error instanceof AttemptsFailed ? error.attempts : []
  const shown = toClientError(error)
  await gateway.ledger.release(hold, {
    entry: logEntryOf(order, attempts.at(-1)?.channelId ?? 0, NO_USAGE, shown.message),
    receipt: failureReceipt(order, attempts, shown),
  })
}
