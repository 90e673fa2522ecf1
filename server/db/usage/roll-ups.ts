import { type RawBuilder, type Selectable, sql } from 'kysely'
import { sleepMs } from '../../core/clock.ts'
import { endOfHour, startOfHour } from '../../core/usage.ts'
import { bulkInsert } from '../engine/bulk.ts'
import { type Database, inTransaction } from '../engine/database.ts'
import type { GatewayDayTable, GatewayHourTable, UsageDayTable } from '../engine/tables.ts'
import { advanceRollUp, DAY_SECONDS, findRolledUpUntil, startOfDay } from './usage-days.ts'
import { findHoursRolledUpUntil } from './usage-hours.ts'

export interface RollUpDeps {
  readonly db: Database
  /** Reads the sums, which takes long, apart from requests. */
  readonly reader: Database
  /** Ends a roll-up between two transactions: it throws the reason, and the next call continues. */
  readonly signal?: AbortSignal
}

/** A request that starts in a period may be logged after its end. */
const LATE_WRITES_SECONDS = 3600
/** Hours or days in one call. */
const PERIODS_MAX = 4000

const SUMS = sql`cast(sum(count) as bigint) as count, cast(sum(quota) as bigint) as quota,
  cast(sum(prompt_tokens) as bigint) as prompt_tokens, cast(sum(completion_tokens) as bigint) as completion_tokens`
const TRAFFIC_KEY = sql`channel_id, model_name, "group", type`

const TRAFFIC_COLUMNS = [
  'channel_id',
  'model_name',
  'group',
  'type',
  'count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
] as const
/** Other processes may have written the same rows, with the same sums. */
const KEEP_EXISTING = 'on conflict do nothing'

const insertGatewayHours = bulkInsert('gateway_hours', ['hour', ...TRAFFIC_COLUMNS], KEEP_EXISTING)
const insertGatewayDays = bulkInsert('gateway_days', ['day', ...TRAFFIC_COLUMNS], KEEP_EXISTING)
const insertUsageDays = bulkInsert(
  'usage_days',
  ['day', 'user_id', 'token_id', ...TRAFFIC_COLUMNS],
  KEEP_EXISTING,
)

/**
 * Rolls each completed hour up into `gateway_hours`, which have neither users nor tokens, oldest first, in one transaction
 * per hour.
 */
export async function rollUpHours({ db, reader, signal }: RollUpDeps, now: number): Promise<void> {
  const end = startOfHour(now - LATE_WRITES_SECONDS)
  let hour = await findNextHour(reader, await findHoursRolledUpUntil(reader))
  for (let count = 0; hour !== undefined && hour < end && count < PERIODS_MAX; count += 1) {
    const { rows } = await sql<Selectable<GatewayHourTable>>`select hour, ${TRAFFIC_KEY}, ${SUMS}
      from usage_hours where hour = ${hour} group by hour, ${TRAFFIC_KEY}`.execute(reader)
    signal?.throwIfAborted()
    await inTransaction(db, tx => insertGatewayHours(tx, rows))
    hour = await findNextHour(reader, endOfHour(hour))
  }
}

/** The first hour from `from` on with usage. */
async function findNextHour(reader: Database, from: number): Promise<number | undefined> {
  const row = await reader
    .selectFrom('usage_hours')
    .select('hour')
    .where('hour', '>=', from)
    .orderBy('hour')
    .limit(1)
    .executeTakeFirst()
  return row?.hour
}

/** Rolls the hours of each completed day up into `usage_days`, oldest first. Returns the number of days. */
export async function rollUpDays(deps: RollUpDeps, now: number): Promise<number> {
  const { db, reader } = deps
  const end = startOfDay(now - LATE_WRITES_SECONDS)
  let days = 0
  let hour = await findNextHour(reader, await findRolledUpUntil(reader, 'usage_days'))
  while (hour !== undefined && hour < end && days < PERIODS_MAX) {
    const day = startOfDay(hour)
    await rollUpDay(deps, day)
    await advanceRollUp(db, 'usage_days', day + DAY_SECONDS)
    days += 1
    hour = await findNextHour(reader, day + DAY_SECONDS)
  }
  return days
}

/** A large installation has hundreds of thousands of rows a day: all at once would keep requests waiting for seconds. */
const ROWS_READ_AT_ONCE = 5000
const ROWS_WRITTEN_AT_ONCE = 250
const PAUSE_MS = 1

async function rollUpDay({ db, reader, signal }: RollUpDeps, day: number): Promise<void> {
  let rows: readonly Selectable<UsageDayTable>[]
  let last: Selectable<UsageDayTable> | undefined
  do {
    rows = await sumOwnersOfDay(reader, day, last)
    for (let start = 0; start < rows.length; start += ROWS_WRITTEN_AT_ONCE) {
      signal?.throwIfAborted()
      await inTransaction(db, tx => insertUsageDays(tx, rows.slice(start, start + ROWS_WRITTEN_AT_ONCE)))
      await sleepMs(PAUSE_MS)
    }
    last = rows.at(-1)
  } while (rows.length === ROWS_READ_AT_ONCE)
}

/** The sums of the next users and tokens after the given row, in the order of their key. */
async function sumOwnersOfDay(
  reader: Database,
  day: number,
  after: Selectable<UsageDayTable> | undefined,
): Promise<readonly Selectable<UsageDayTable>[]> {
  const key = sql`user_id, token_id, ${TRAFFIC_KEY}`
  const { rows } = await sql<Selectable<UsageDayTable>>`select ${sql.lit(day)} as day, ${key}, ${SUMS}
    from usage_hours where hour >= ${day} and hour < ${day + DAY_SECONDS} ${after ? isAfter(key, after) : sql``}
    group by ${key} order by ${key} limit ${ROWS_READ_AT_ONCE}`.execute(reader)
  return rows
}

const isAfter = (key: RawBuilder<unknown>, row: Selectable<UsageDayTable>) =>
  sql`and (${key}) > (${sql.join([row.user_id, row.token_id, row.channel_id, row.model_name, row.group, row.type])})`

/** Rolls `usage_days` up into `gateway_days`, which have neither users nor tokens, oldest first, in one transaction per day. */
export async function rollUpGatewayDays({ db, reader, signal }: RollUpDeps): Promise<void> {
  const end = await findRolledUpUntil(reader, 'usage_days')
  let day = await findNextUsageDay(reader, await findRolledUpUntil(reader, 'gateway_days'))
  for (let count = 0; day !== undefined && day < end && count < PERIODS_MAX; count += 1) {
    const { rows } = await sql<Selectable<GatewayDayTable>>`select day, ${TRAFFIC_KEY}, ${SUMS}
      from usage_days where day = ${day} group by day, ${TRAFFIC_KEY}`.execute(reader)
    signal?.throwIfAborted()
    await inTransaction(db, tx => insertGatewayDays(tx, rows))
    day = await findNextUsageDay(reader, day + DAY_SECONDS)
  }
}

/** The first day from `from` on in `usage_days`. */
async function findNextUsageDay(reader: Database, from: number): Promise<number | undefined> {
  const row = await reader
    .selectFrom('usage_days')
    .select('day')
    .where('day', '>=', from)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()
  return row?.day
}
