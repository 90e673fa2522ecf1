import { nowSeconds } from '#server/core/clock.ts'
import { mapModel } from '#server/core/model-names.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { getCursor } from '#server/db/usage/cursors.ts'
import type { UnknownCosts } from './causes.ts'
import { hasPurchasePrices, mappingOf } from './channel-terms.ts'
import type { ComputedCost } from './compare.ts'
import { reconciliationError } from './errors.ts'
import { listChannelsByIds } from './queries/channels.ts'
import { type CostTotals, sumCosts } from './queries/cost-reads.ts'

const COST_ROWS_MAX = 50_000

/** Throws `reconciliation.unknown_channel`. */
export async function getChannels(db: Database, ids: readonly number[]): Promise<readonly ChannelRow[]> {
  const channels = await listChannelsByIds(db, ids)
  const missing = ids.find(id => !channels.some(channel => channel.id === id))
  if (missing !== undefined) throw reconciliationError('unknown_channel', { id: missing })
  return channels
}

export const dayOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 'yyyy-mm-dd'.length)

/** Whether requests before that time are still to come, or those from before an upgrade are still being counted. */
export const isStillCounting = async (db: Database, until: number): Promise<boolean> =>
  until > nowSeconds() || (await getCursor(db, 'earlier')).done > 0

/** Amounts of more than nine million dollars have no exact number of nanos. */
export function rejectLargeAmounts<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) throw reconciliationError('too_much')
    throw error
  }
}

interface ReadCosts {
  readonly rows: readonly ComputedCost[]
  readonly facts: UnknownCosts
}

/** Throws `reconciliation.too_many_costs`. */
export async function readCosts(
  reader: Database,
  channels: readonly ChannelRow[],
  { range, grain }: { readonly range: TimeRange; readonly grain: 'hour' | 'minute' },
): Promise<ReadCosts> {
  const channelIds = channels.map(({ id }) => id)
  const totals = await sumCosts(reader, { range, grain, channelIds, limit: COST_ROWS_MAX + 1 })
  if (totals.length > COST_ROWS_MAX) throw reconciliationError('too_many_costs')
  const terms = new Map(
    channels.map(channel => [
      channel.id,
      { hasPrices: hasPurchasePrices(channel), mapping: mappingOf(channel) },
    ]),
  )
  const unknown = totals.filter(({ unknownCostRequests }) => unknownCostRequests > 0)
  const [priced, unpriced] = [true, false].map(hasPrices =>
    unknown.filter(({ channelId }) => terms.get(channelId)?.hasPrices === hasPrices),
  )
  const sentAs = ({ channelId, model }: CostTotals) =>
    mapModel(terms.get(channelId)?.mapping ?? {}, model) ?? model
  return {
    rows: totals.map(row => ({
      day: dayOf(row.day),
      model: row.model,
      sentAs: sentAs(row),
      requests: row.requests,
      unknownCostRequests: row.unknownCostRequests,
      costNanos: row.costNanos,
      tokens: row.tokens,
    })),
    facts: {
      unknownCostQuota: unknown.reduce((sum, { unknownCostQuota }) => sum + unknownCostQuota, 0),
      channelsWithoutPrices: channels
        .filter(({ id }) => unpriced?.some(({ channelId }) => channelId === id))
        .map(({ name }) => name),
      modelsWithoutPrice: [...new Set(priced?.map(sentAs))],
    },
  }
}
