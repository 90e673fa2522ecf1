import { type RawBuilder, sql } from 'kysely'
import { type Database, inTransaction } from '../engine/database.ts'
import { coversAllUsers, type LogFilter, sharedConditions, type TimeRange } from '../logs/log-filter.ts'

export const DAY_SECONDS = 24 * 3600
/** What began in a day may still be written down some time after it. */
const LATE_WRITES_SECONDS = 3600
const DAYS_AT_ONCE_MAX = 4000

const startOfDay = (seconds: number): number => Math.floor(seconds / DAY_SECONDS) * DAY_SECONDS

/**
 * Sums up the hours of each day that is over and not summed up yet, oldest first, one transaction a day. Two processes
 * that do it at once write the same. Gives the number of days.
 */
export async function rollUpDays(db: Database, now: number): Promise<number> {
  const end = startOfDay(now - LATE_WRITES_SECONDS)
  let rolled = 0
  let day = await nextDay(db, await findRolledUpUntil(db, 'usage_days'))
  while (day !== undefined && day < end && rolled < DAYS_AT_ONCE_MAX) {
    const from = day
    await inTransaction(db, tx => rollUpDay(tx, from))
    rolled += 1
    day = await nextDay(db, from + DAY_SECONDS)
  }
  return rolled
}

/** The first day from here on of which anything is known. */
async function nextDay(db: Database, from: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('usage_hours')
    .select('hour')
    .where('hour', '>=', from)
    .orderBy('hour')
    .limit(1)
    .executeTakeFirst()
  return row && startOfDay(row.hour)
}

async function rollUpDay(tx: Database, day: number): Promise<void> {
  await sql`insert into usage_days select ${sql.lit(day)}, user_id, token_id, channel_id, model_name, "group", type,
      sum(count), sum(quota), sum(prompt_tokens), sum(completion_tokens)
    from usage_hours where hour >= ${day} and hour < ${day + DAY_SECONDS}
    group by user_id, token_id, channel_id, model_name, "group", type
    on conflict do nothing`.execute(tx)
}

/** `gateway_days` knows neither users nor tokens. */
export type DayTable = 'usage_days' | 'gateway_days'

/** The smallest table whose days answer the filter. */
export const chooseDayTable = (filter: LogFilter): DayTable =>
  coversAllUsers(filter) ? 'gateway_days' : 'usage_days'

/** The end of the last day that is summed up; 0 when none is. Every day before it is, or had nothing. */
export async function findRolledUpUntil(db: Database, table: DayTable): Promise<number> {
  const row = await db.selectFrom(table).select('day').orderBy('day', 'desc').limit(1).executeTakeFirst()
  return row ? row.day + DAY_SECONDS : 0
}

/** A span of whole hours, cut where its days are summed up. Parts may be empty. */
export interface SplitRange {
  readonly days: TimeRange
  readonly hours: readonly [before: TimeRange, after: TimeRange]
}

export function splitAtDays({ from, until }: TimeRange, rolledUntil: number): SplitRange {
  const first = Math.ceil(from / DAY_SECONDS) * DAY_SECONDS
  const last = Math.max(first, Math.min(startOfDay(until), rolledUntil))
  if (first >= last || last > until)
    return {
      days: { from, until: from },
      hours: [
        { from, until: from },
        { from, until },
      ],
    }
  return {
    days: { from: first, until: last },
    hours: [
      { from, until: first },
      { from: last, until },
    ],
  }
}

export const isNotEmpty = ({ from, until }: TimeRange): boolean => from < until

/** The rows of the span that match, from the days' sums where they stand and the hours' elsewhere, as `usage`. */
export function usageSource(db: Database, filter: LogFilter, span: TimeRange): Promise<RawBuilder<unknown>> {
  const columns = sql`user_id, token_id, channel_id, model_name, "group", type, count, quota, prompt_tokens,
    completion_tokens`
  const matching = sharedConditions(filter)
  return unionOfRanges(
    db,
    span,
    ({ table, isInside }) => sql`select ${columns} from ${table}
    where ${isInside} and ${matching}`,
  )
}

/**
 * As `usageWithin`, only the number of rows of each user and token in each hour or day. Both engines find them side by
 * side, so that little is left to be sorted.
 */
export function ownerCountSource(
  db: Database,
  filter: LogFilter,
  span: TimeRange,
): Promise<RawBuilder<unknown>> {
  const matching = sharedConditions(filter)
  return unionOfRanges(
    db,
    span,
    ({ table, time, isInside }) => sql`select user_id, token_id, sum(count) as count
    from ${table} where ${isInside} and ${matching} group by ${time}, user_id, token_id`,
  )
}

interface RangePart {
  readonly table: RawBuilder<unknown>
  readonly time: RawBuilder<unknown>
  readonly isInside: RawBuilder<unknown>
}

async function unionOfRanges(
  db: Database,
  span: TimeRange,
  read: (part: RangePart) => RawBuilder<unknown>,
): Promise<RawBuilder<unknown>> {
  const { days, hours } = splitAtDays(span, await findRolledUpUntil(db, 'usage_days'))
  const partOf = (table: string, column: string, { from, until }: TimeRange): RangePart => {
    const time = sql.ref(column)
    return { table: sql.table(table), time, isInside: sql`${time} >= ${from} and ${time} < ${until}` }
  }
  const parts = [
    partOf('usage_days', 'day', days),
    ...hours.filter(isNotEmpty).map(part => partOf('usage_hours', 'hour', part)),
  ]
  return sql`(${sql.join(parts.map(read), sql` union all `)}) as usage`
}

export interface DayCount {
  /** Unix seconds of the day's start, UTC. */
  readonly day: number
  readonly count: number
}

/** How many log rows match in each summed-up day of the span, newest day first. */
export async function countByDay(
  db: Database,
  filter: LogFilter,
  { from, until }: TimeRange,
): Promise<DayCount[]> {
  const { rows } =
    await sql<DayCount>`select day, sum(count) as count from ${sql.table(chooseDayTable(filter))}
    where day >= ${from} and day < ${until} and ${sharedConditions(filter)}
    group by day order by day desc`.execute(db)
  return rows.map(({ day, count }) => ({ day, count: Number(count) }))
}
