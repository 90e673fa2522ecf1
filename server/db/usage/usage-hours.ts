import { type RawBuilder, sql } from 'kysely'
import { bulkInsert } from '../engine/bulk.ts'
import { type Database, inTransaction } from '../engine/database.ts'
import {
  coversAllUsers,
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

/** Adds to the hours' rows, or writes them. Each key at most once, sorted, so that two processes lock in one order. */
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
/** Hours that are summed up in one transaction. */
const HOURS_PER_TRANSACTION = 24
/** What began in an hour may still be written down some time after it. */
const LATE_WRITES_SECONDS = 3600
const HOUR_BATCHES_MAX = 4000

const startOfHour = (seconds: number): number => Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS

/**
 * Sums up all users' traffic of each hour that is over and not summed up yet, oldest first. Two processes that do it at
 * once write the same.
 */
export async function rollUpHours(db: Database, now: number): Promise<void> {
  const end = startOfHour(now - LATE_WRITES_SECONDS)
  let hour = await nextHour(db, await findHoursRolledUpUntil(db))
  for (let lot = 0; hour !== undefined && hour < end && lot < HOUR_BATCHES_MAX; lot += 1) {
    const span = { from: hour, until: Math.min(hour + HOURS_PER_TRANSACTION * HOUR_SECONDS, end) }
    await inTransaction(db, tx => rollUpTrafficHours(tx, span))
    hour = await nextHour(db, span.until)
  }
}

/** The first hour from here on of which anything is known. */
async function nextHour(db: Database, from: number): Promise<number | undefined> {
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

/** The end of the last hour that is summed up; 0 when none is. Every hour before it is, or had nothing. */
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
 * The hours' rows that match, as `hours`, without users and tokens: where the filter asks for neither, from the sums of
 * all traffic as far as they stand, which are a small part of the rows. What users and tokens that are left out did is
 * taken off again, in rows below zero: only sums over them mean anything.
 */
export async function hourSource(
  db: Database,
  filter: LogFilter,
  { from, until }: TimeRange,
): Promise<RawBuilder<unknown>> {
  const leftOut = splitOwnerExclusions(filter)
  const summedUntil = leftOut || coversAllUsers(filter) ? await findHoursRolledUpUntil(db) : 0
  const cut = Math.max(from, Math.min(until, summedUntil))
  const columns = sql`hour, channel_id, model_name, "group", type, count, quota, prompt_tokens, completion_tokens`
  const single = sql`select ${columns} from usage_hours
    where hour >= ${cut} and hour < ${until} and ${sharedConditions(filter)}`
  if (cut === from) return sql`(${single}) as hours`
  const isSummed = sql`hour >= ${from} and hour < ${cut} and ${sharedConditions(leftOut?.filterWithout ?? filter)}`
  const summed = sql`select ${columns} from gateway_hours where ${isSummed}`
  const takenOff =
    leftOut &&
    sql`select hour, channel_id, model_name, "group", type, -count, -quota, -prompt_tokens, -completion_tokens
      from usage_hours where ${isSummed} and ${leftOut.isExcluded}`
  return sql`(${sql.join([summed, ...(takenOff ? [takenOff] : []), single], sql` union all `)}) as hours`
}
