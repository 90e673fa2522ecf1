import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../engine/database.ts'
import {
  isForAllUsers,
  type LogFilter,
  rowSource,
  selectsRows,
  sharedConditions,
  type TimeRange,
} from '../logs/log-filter.ts'
import { hourSource } from './usage-hours.ts'

export const DAY_SECONDS = 24 * 3600
export const startOfDay = (seconds: number): number => Math.floor(seconds / DAY_SECONDS) * DAY_SECONDS

/** `gateway_days` has neither users nor tokens. */
export type DayTable = 'usage_days' | 'gateway_days'

/**
 * The end of the last rolled-up day; 0 when there is none. Every earlier day is rolled up or without usage. Of `analytics_hours`:
 * until when they are deleted.
 */
export async function findRolledUpUntil(db: Database, table: DayTable | 'analytics_hours'): Promise<number> {
  if (table !== 'gateway_days') {
    const state = await db.selectFrom('roll_ups').select('until').where('name', '=', table).executeTakeFirst()
    return state?.until ?? 0
  }
  const row = await db.selectFrom(table).select('day').orderBy('day', 'desc').limit(1).executeTakeFirst()
  return row ? row.day + DAY_SECONDS : 0
}

/** Never goes back: another process may be further. */
export async function advanceRollUp(
  db: Database,
  name: 'usage_days' | 'analytics_hours',
  until: number,
): Promise<void> {
  await sql`insert into roll_ups values (${name}, ${until}) on conflict (name)
    do update set until = excluded.until where roll_ups.until < excluded.until`.execute(db)
}

/** A range of whole hours, split into its rolled-up days and the hours before and after them. Parts may be empty. */
export interface SplitRange {
  readonly days: TimeRange
  readonly hours: readonly [before: TimeRange, after: TimeRange]
}

export function splitAtDays({ from, until }: TimeRange, rolledUpUntil: number): SplitRange {
  const first = Math.ceil(from / DAY_SECONDS) * DAY_SECONDS
  const last = Math.max(first, Math.min(startOfDay(until), rolledUpUntil))
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

/** The matching rows of the range as `usage`: from `usage_days` where days are rolled up, from `usage_hours` elsewhere. */
export async function usageSource(
  db: Database,
  filter: LogFilter,
  range: TimeRange,
): Promise<RawBuilder<unknown>> {
  if (selectsRows(filter)) return rowSource(filter, range)
  const columns = sql`user_id, token_id, channel_id, model_name, "group", type, count, quota, prompt_tokens,
    completion_tokens`
  const matching = sharedConditions(filter)
  return unionOfRanges(
    db,
    range,
    ({ table, isInside }) => sql`select ${columns} from ${table}
    where ${isInside} and ${matching}`,
  )
}

interface RangePart {
  readonly table: RawBuilder<unknown>
  readonly time: RawBuilder<unknown>
  readonly isInside: RawBuilder<unknown>
}

export async function unionOfRanges(
  db: Database,
  range: TimeRange,
  read: (part: RangePart) => RawBuilder<unknown>,
): Promise<RawBuilder<unknown>> {
  const { days, hours } = splitAtDays(range, await findRolledUpUntil(db, 'usage_days'))
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

/**
 * The matching rows of the range as `usage`, without users and tokens. A filter on neither of them reads the far smaller
 * tables over all users where these are rolled up.
 */
export async function trafficSource(
  db: Database,
  filter: LogFilter,
  range: TimeRange,
): Promise<RawBuilder<unknown>> {
  if (selectsRows(filter) || !isForAllUsers(filter)) return usageSource(db, filter, range)
  const { days, hours } = splitAtDays(range, await findRolledUpUntil(db, 'gateway_days'))
  const columns = sql`channel_id, model_name, "group", type, count, quota, prompt_tokens, completion_tokens`
  const ofHours = hours
    .filter(isNotEmpty)
    .map(async part => sql`select ${columns} from ${await hourSource(db, filter, part)}`)
  const ofDays = sql`select ${columns} from gateway_days
    where day >= ${days.from} and day < ${days.until} and ${sharedConditions(filter)}`
  return sql`(${sql.join([ofDays, ...(await Promise.all(ofHours))], sql` union all `)}) as usage`
}
