import { sql } from 'kysely'
import { LOG_TYPE } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'
import { ALL_LOGS } from '#server/db/logs/log-filter.ts'
import { hourSource } from '#server/db/usage/usage-hours.ts'

interface ModelHour {
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

/** The usage of each model in each hour, oldest first. Beyond `limit` rows only the newest hours are returned. */
export async function listModelHours(
  db: Database,
  { userId, from, to, limit }: ModelHourQuery,
): Promise<ModelHour[]> {
  const userIds = userId === undefined ? undefined : [userId]
  const filter = { ...ALL_LOGS, types: [LOG_TYPE.consumption], userIds }
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
