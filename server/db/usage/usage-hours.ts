import { type RawBuilder, sql } from 'kysely'
import { bulkInsert } from '../engine/bulk.ts'
import { type Database, inTransaction } from '../engine/database.ts'
import {
  isForAllUsers,
  type LogFilter,
  sharedConditions,
  splitOwnerExclusions,
  type TimeRange,
} from '../logs/log-filter.ts'

export interface UsageHourRow {
  /** Unix seconds of the hour's start. */
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

const HOUR_SECONDS = 3600
const HOURS_PER_TRANSACTION = 24
/** A request that starts in an hour may be logged after its end. */
const LATE_WRITES_SECONDS = 3600
const HOUR_BATCHES_MAX = 4000

const startOfHour = (seconds: number): number => Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS

/**
 * Rolls each completed hour up into `gateway_hours`, which have neither users nor tokens, oldest first. Concurrent calls of
 * several processes write the same rows.
 */
export async function rollUpHours(db: Database, now: number): Promise<void> {
  const end = startOfHour(now - LATE_WRITES_SECONDS)
  let hour = await findNextHour(db, await findHoursRolledUpUntil(db))
  for (let batch = 0; hour !== undefined && hour < end && batch < HOUR_BATCHES_MAX; batch += 1) {
    const range = { from: hour, until: Math.min(hour + HOURS_PER_TRANSACTION * HOUR_SECONDS, end) }
    await inTransaction(db, tx => rollUpTrafficHours(tx, range))
    hour = await findNextHour(db, range.until)
  }
}

/** The first hour from `from` on with usage. */
async function findNextHour(db: Database, from: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('usage_hours')
    .select('hour')
    .where('hour', '>=', from)
    .orderBy('hour')
    .limit(1)
    .executeTakeFirst()
  return row?.hour
}

async function rollUpTrafficHours(tx: Database, { from, until }: TimeRange): Promise<void> {
  await sql`insert into gateway_hours select hour, channel_id, model_name, "group", type,
      sum(count), sum(quota), sum(prompt_tokens), sum(completion_tokens)
    from usage_hours where hour >= ${from} and hour < ${until}
    group by hour, channel_id, model_name, "group", type
    on conflict do nothing`.execute(tx)
}

/** The end of the last rolled-up hour; 0 when there is none. Every earlier hour is rolled up or without usage. */
async function findHoursRolledUpUntil(db: Database): Promise<number> {
  const row = await db
    .selectFrom('gateway_hours')
    .select('hour')
    .orderBy('hour', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? row.hour + HOUR_SECONDS : 0
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
  const exclusion = splitOwnerExclusions(filter)
  const rolledUpUntil = exclusion || isForAllUsers(filter) ? await findHoursRolledUpUntil(db) : 0
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
