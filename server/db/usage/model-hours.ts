import { sql } from 'kysely'
import type { Database } from '../engine/database.ts'
import { ALL_LOGS } from '../logs/log-filter.ts'
import { hourSource } from './usage-hours.ts'

const CONSUMPTION = 2

export interface ModelHour {
  readonly model_name: string
  /** Unix seconds of the hour's start. */
  readonly hour: number
  readonly tokens: number
  readonly count: number
  readonly quota: number
}

interface ModelHourQuery {
  /** Undefined: all users together. */
  readonly userId: number | undefined
  /** Unix seconds, both included. */
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** What each model was used in each hour: the newest hours when there are more than `limit` rows, oldest first. */
export async function listModelHours(db: Database, wanted: ModelHourQuery): Promise<ModelHour[]> {
  const { userId, from, to, limit } = wanted
  const filter = { ...ALL_LOGS, types: [CONSUMPTION], userIds: userId === undefined ? undefined : [userId] }
  const hours = await hourSource(db, filter, { from, until: to + 1 })
  const { rows } =
    await sql<ModelHour>`select model_name, hour, sum(prompt_tokens + completion_tokens) as tokens,
      sum(count) as count, sum(quota) as quota
    from ${hours} group by model_name, hour order by hour desc, model_name desc limit ${limit}`.execute(db)
  return rows.toReversed().map(row => ({
    model_name: row.model_name,
    hour: Number(row.hour),
    tokens: Number(row.tokens),
    count: Number(row.count),
    quota: Number(row.quota),
  }))
}
