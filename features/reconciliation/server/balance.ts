import type { BodyOf } from '#contract/endpoint.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { add, type Decimal, decimal, multiplyBy } from '#server/core/money.ts'
import type { Database } from '#server/db/engine/database.ts'
import { RECONCILED_DAYS_MAX, type reconcileBalance } from '../contract.ts'
import { findBalanceCauses } from './causes.ts'
import { compareCharged } from './compare.ts'
import { getChannels, isStillCounting, readCosts, rejectLargeAmounts } from './costs.ts'
import { reconciliationError } from './errors.ts'
import { type BalanceReading, findBalanceReading } from './queries/balance-readings.ts'
import { sumCostsByTime } from './queries/cost-reads.ts'
import type { MadeReconciliation } from './result.ts'

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3600
const MINUTE_SECONDS = 60
/** Minutes are kept for 48 hours; the last hour is left out, because it is being deleted. */
const MINUTES_KEPT_SECONDS = 47 * HOUR_SECONDS
const CURRENCY = 'USD'

/**
 * Compares what two readings of a balance say was charged with the costs of the channels in between, by the minute where
 * minutes are kept. Throws errors of `reconciliation`.
 */
export async function reconcileBalances(
  body: BodyOf<typeof reconcileBalance>,
  reader: Database,
): Promise<MadeReconciliation> {
  const channels = await getChannels(reader, body.channel_ids)
  const [first, second] = await getReadings(body, reader)
  const grain = first.created_at >= nowSeconds() - MINUTES_KEPT_SECONDS ? 'minute' : 'hour'
  const seconds = grain === 'minute' ? MINUTE_SECONDS : HOUR_SECONDS
  const range = {
    from: Math.floor(first.created_at / seconds) * seconds,
    until: Math.ceil((second.created_at + 1) / seconds) * seconds,
  }
  const costs = await readCosts(reader, channels, { range, grain })
  const charged = chargedBetween(first, second, body.top_ups)
  const comparison = rejectLargeAmounts(() => compareCharged(charged, costs.rows))
  const byTime = await sumCostsByTime(reader, { range, grain, channelIds: body.channel_ids })
  const edges = [...new Set([range.from, range.until - seconds])]
  const causes = findBalanceCauses({
    ...costs.facts,
    total: comparison.total,
    edges: { seconds, nanos: edges.reduce((sum, start) => sum + (byTime.get(start) ?? 0), 0) },
    isStillCounting: await isStillCounting(reader, range.until),
  })
  return {
    files: [],
    channels: channels.map(({ id, name }) => ({ id, name })),
    range: { from: first.created_at, until: second.created_at },
    result: {
      ...comparison,
      causes,
      balances: {
        channel_id: first.channel_id,
        first_balance: first.balance,
        second_balance: second.balance,
        top_ups: body.top_ups,
      },
    },
  }
}

/** In the order of their time. */
async function getReadings(
  { channel_ids, first_id, second_id }: BodyOf<typeof reconcileBalance>,
  reader: Database,
): Promise<readonly [BalanceReading, BalanceReading]> {
  const found = [await getReading(reader, first_id), await getReading(reader, second_id)] as const
  const [first, second] = found[0].created_at <= found[1].created_at ? found : ([found[1], found[0]] as const)
  if (first.channel_id !== second.channel_id || !channel_ids.includes(first.channel_id))
    throw reconciliationError('other_channel')
  if (first.created_at === second.created_at) throw reconciliationError('same_reading')
  if (second.created_at - first.created_at > RECONCILED_DAYS_MAX * DAY_SECONDS)
    throw reconciliationError('period_too_long', { limit: RECONCILED_DAYS_MAX })
  return [first, second]
}

async function getReading(reader: Database, id: number): Promise<BalanceReading> {
  const reading = await findBalanceReading(reader, id)
  if (!reading) throw reconciliationError('unknown_reading')
  if (reading.currency !== CURRENCY)
    throw reconciliationError('other_currency', { currency: reading.currency })
  return reading
}

/** The charged amount: earlier balance plus payments minus later balance. */
const chargedBetween = (first: BalanceReading, second: BalanceReading, topUps: number): Decimal =>
  add(add(decimal(first.balance), decimal(topUps)), multiplyBy(decimal(second.balance), -1))
