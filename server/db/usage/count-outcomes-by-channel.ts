import { sql } from 'kysely'
import type { Database } from '../engine/database.ts'
import { ALL_LOGS, type TimeRange } from '../logs/log-filter.ts'
import { trafficSource } from './gateway-days.ts'

const CONSUMPTION = 2
const FAILED_REQUEST = 5

interface ChannelOutcomesRow {
  readonly id: number
  readonly succeeded: number
  readonly failed: number
}

/** What became of the requests of each channel in the whole hours of the span. Channels without any are absent. */
export async function countOutcomesByChannel(db: Database, span: TimeRange): Promise<ChannelOutcomesRow[]> {
  const { rows } = await sql<ChannelOutcomesRow>`select channel_id as id,
      sum(case when type = ${sql.lit(CONSUMPTION)} then count else 0 end) as succeeded,
      sum(case when type = ${sql.lit(FAILED_REQUEST)} then count else 0 end) as failed
    from ${await trafficSource(db, ALL_LOGS, span)}
    where type in (${sql.lit(CONSUMPTION)}, ${sql.lit(FAILED_REQUEST)}) and channel_id > 0
    group by channel_id order by channel_id`.execute(db)
  return rows.map(row => ({
    id: Number(row.id),
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
  }))
}
