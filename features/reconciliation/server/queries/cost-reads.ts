import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { analyticsSource } from '#server/db/usage/analytics-source.ts'
import { TOKEN_COLUMNS } from '#server/db/usage/totals.ts'

/** Cost of one model through one channel on one day, UTC. */
export interface CostTotals {
  /** Unix seconds of the day's start. */
  readonly day: number
  readonly channelId: number
  /** As it was requested. */
  readonly model: string
  /** Requests that were served. */
  readonly requests: number
  readonly unknownCostRequests: number
  /** Units that were charged for these. */
  readonly unknownCostQuota: number
  readonly costNanos: number
  /** Of input and output. */
  readonly tokens: number
}

interface CostQuery {
  /** In whole hours or minutes. Hours are kept for ever. */
  readonly grain: 'hour' | 'minute'
  readonly range: TimeRange
  readonly channelIds: readonly number[]
}

const DAY_SECONDS = 86_400
const GRAIN_SECONDS = { hour: 3600, minute: 60 } as const

const tokensOf = sql.join(
  TOKEN_COLUMNS.map(name => sql.ref(name)),
  sql` + `,
)

/**
 * Of a row of totals, the served requests whose cost is unknown: all of a row without costs in which something was used or
 * charged. In the hour in which a channel gets purchase prices, the share of the charges without a cost tells how many.
 */
const unknownCostRequests = sql`case
  when costed_quota = 0 and cost_nanos = 0 and (quota > 0 or ${tokensOf} > 0) then requests - errors
  when costed_quota < quota then ceil((requests - errors) * 1.0 * (quota - costed_quota) / quota)
  else 0 end`

/** By day, channel and model, at most `limit` rows. */
export async function sumCosts(
  db: Database,
  { range, grain, channelIds, limit }: CostQuery & { readonly limit: number },
): Promise<CostTotals[]> {
  const source = analyticsSource({ range, grain, filter: { channel: channelIds }, dimensions: [] }, [
    'channel_id',
    'model_name',
    'requests',
    'errors',
    'quota',
    'costed_quota',
    'cost_nanos',
    ...TOKEN_COLUMNS,
  ])
  const { rows } = await sql<{ readonly [Name in keyof CostTotals]: string | number }>`
    select time - time % ${sql.lit(DAY_SECONDS)} as day, channel_id as "channelId", model_name as model,
      sum(requests - errors) as requests, sum(${unknownCostRequests}) as "unknownCostRequests",
      sum(quota - costed_quota) as "unknownCostQuota", sum(cost_nanos) as "costNanos", sum(${tokensOf}) as tokens
    from ${source} group by 1, 2, 3 order by 1, 2, 3 limit ${limit}`.execute(db)
  return rows.map(row => ({
    day: Number(row.day),
    channelId: Number(row.channelId),
    model: String(row.model),
    requests: Number(row.requests),
    unknownCostRequests: Number(row.unknownCostRequests),
    unknownCostQuota: Number(row.unknownCostQuota),
    costNanos: Number(row.costNanos),
    tokens: Number(row.tokens),
  }))
}

/** Costs in billionths of a dollar by the start of their hour or minute. Those without costs are missing. */
export async function sumCostsByTime(
  db: Database,
  { range, grain, channelIds }: CostQuery,
): Promise<ReadonlyMap<number, number>> {
  const filter = { channel: channelIds }
  const source = analyticsSource({ range, grain, filter, dimensions: [] }, ['cost_nanos'])
  const { rows } = await sql<{ start: string | number; cost: string | number }>`
    select time - time % ${sql.lit(GRAIN_SECONDS[grain])} as start, sum(cost_nanos) as cost from ${source}
    where cost_nanos <> 0 group by 1`.execute(db)
  return new Map(rows.map(row => [Number(row.start), Number(row.cost)]))
}
