import { type RawBuilder, sql } from 'kysely'
import { endOfHour } from '../../core/usage.ts'
import { bulkInsert } from '../engine/bulk.ts'
import type { Database } from '../engine/database.ts'
import {
  isForAllUsers,
  type LogFilter,
  rowSource,
  selectsRows,
  sharedConditions,
  splitOwnerExclusions,
  type TimeRange,
} from '../logs/log-filter.ts'

export interface UsageHourRow {
  /** Unix seconds of the start of the hour, as `startOfHour` cuts it. */
  readonly hour: number
  readonly user_id: number
  readonly token_id: number
  readonly channel_id: number
  readonly model_name: string
  readonly group: string
  readonly type: number
  readonly count: number
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

const KEY = '"hour", "user_id", "token_id", "channel_id", "model_name", "group", "type"'

/**
 * Adds to the rows of hours, or inserts them. Pass each key at most once, sorted, so that all processes lock rows in the
 * same order.
 */
export const addToUsageHours = bulkInsert(
  'usage_hours',
  [
    'hour',
    'user_id',
    'token_id',
    'channel_id',
    'model_name',
    'group',
    'type',
    'count',
    'quota',
    'prompt_tokens',
    'completion_tokens',
  ],
  `on conflict (${KEY}) do update set count = usage_hours.count + excluded.count,
    quota = usage_hours.quota + excluded.quota,
    prompt_tokens = usage_hours.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = usage_hours.completion_tokens + excluded.completion_tokens`,
)

export const HOUR_SECONDS = 3600

/** The end of the last rolled-up hour; 0 when there is none. Every earlier hour is rolled up or without usage. */
export async function findHoursRolledUpUntil(db: Database): Promise<number> {
  const row = await db
    .selectFrom('gateway_hours')
    .select('hour')
    .orderBy('hour', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? endOfHour(row.hour) : 0
}

/**
 * The matching rows of the range as `hours`, without users and tokens. A filter on neither of them reads the far smaller
 * `gateway_hours` where these are rolled up. Excluded users and tokens are subtracted in rows with negative numbers, so
 * only sums over the rows are meaningful.
 */
export async function hourSource(
  db: Database,
  filter: LogFilter,
  { from, until }: TimeRange,
): Promise<RawBuilder<unknown>> {
  if (selectsRows(filter)) return rowSource(filter, { from, until })
  const exclusion = splitOwnerExclusions(filter)
  const rolledUpUntil = exclusion || isForAllUsers(filter) ? await findHoursRolledUpUntil(db) : from
  const boundary = Math.max(from, Math.min(until, rolledUpUntil))
  const columns = sql`hour, channel_id, model_name, "group", type, count, quota, prompt_tokens, completion_tokens`
  const byUser = sql`select ${columns} from usage_hours
    where hour >= ${boundary} and hour < ${until} and ${sharedConditions(filter)}`
  if (boundary === from) return sql`(${byUser}) as hours`
  const isRolledUp = sql`hour >= ${from} and hour < ${boundary} and ${sharedConditions(exclusion?.filterWithout ?? filter)}`
  const rolledUp = sql`select ${columns} from gateway_hours where ${isRolledUp}`
  const subtracted =
    exclusion &&
    sql`select hour, channel_id, model_name, "group", type, -count, -quota, -prompt_tokens, -completion_tokens
      from usage_hours where ${isRolledUp} and ${exclusion.isExcluded}`
  return sql`(${sql.join([rolledUp, ...(subtracted ? [subtracted] : []), byUser], sql` union all `)}) as hours`
}
