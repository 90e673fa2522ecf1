import { sql } from 'kysely'
import { nowSeconds } from '../core/clock.ts'
import { bucketOf } from '../core/sketch.ts'
import { startOfHour } from '../core/usage.ts'
import { inTransaction, type OpenDatabase } from '../db/engine/database.ts'
import { countNewRequests } from '../db/usage/count-requests.ts'
import { PART_IDS } from '../db/usage/roll-up-totals.ts'
import {
  insertDays,
  insertGatewayDays,
  insertGatewayHours,
  insertHours,
  NO_SUMS,
  type TimedTotals,
  TotalsMerger,
  withNumbers,
} from '../db/usage/totals.ts'
import { DAY_SECONDS, startOfDay } from '../db/usage/usage-days.ts'

const HOUR_SECONDS = 3600
const DIALECTS = ['openai', 'anthropic', 'gemini', 'responses', 'cohere']
const REGIONS = ['', 'eu', 'us']
const ROWS_AT_ONCE = 2000
const DURATION_MS_MAX = 20_000
/** Coprime to the longest duration. */
const SPREAD = 7919

/**
 * Fills the totals from the rows of `fillLogs` as the roll-ups would, with formats by user, regions by channel and durations
 * of up to 20 s, which those rows lack: complete days, the hours of today, and the minutes of this hour.
 */
export async function fillAnalytics(database: OpenDatabase): Promise<void> {
  const { db } = database
  const now = nowSeconds()
  const hour = now - (now % HOUR_SECONDS)
  const today = startOfDay(now)
  const { rows } = await sql<{ oldest: number; newest: number }>`select min(created_at) as oldest,
    max(created_at) as newest from logs`.execute(db)
  const oldest = Number(rows[0]?.oldest ?? now)
  let part = 0
  for (let day = startOfDay(oldest); day <= today; day += DAY_SECONDS) {
    await fillDay(database, { day, part, until: Math.min(day + DAY_SECONDS, hour), isComplete: day < today })
    part += 1
  }
  const last = await sql<{ id: number }>`select max(id) as id from logs where created_at < ${hour}`.execute(
    db,
  )
  const newest = await sql<{ id: number }>`select max(id) as id from logs`.execute(db)
  await setCursor(database, 'requests', { done: Number(last.rows[0]?.id), part: 0 })
  await setCursor(database, 'earlier', { done: 0, part: 0 })
  await setCursor(database, 'hours', { done: 0, part })
  await setCursor(database, 'days', { done: (part - 1) * PART_IDS - 1, part: part - 1 })
  await countNewRequests({ ...database, reader: db }, Number(newest.rows[0]?.id), now)
  await sql`analyze`.execute(db)
}

interface FilledDay {
  readonly day: number
  readonly until: number
  readonly part: number
  readonly isComplete: boolean
}

async function fillDay({ db }: OpenDatabase, { day, until, part, isComplete }: FilledDay): Promise<void> {
  const mergers = {
    hours: new TotalsMerger(startOfHour, true),
    days: new TotalsMerger(startOfDay, true),
    gatewayHours: new TotalsMerger(startOfHour, false),
    gatewayDays: new TotalsMerger(startOfDay, false),
  }
  for (let from = day; from < until; from += HOUR_SECONDS) {
    const { rows } =
      await sql<LoggedFigures>`select id, created_at, user_id, token_id, channel_id, model_name, "group", type,
      quota, prompt_tokens, completion_tokens, error from logs
      where created_at >= ${from} and created_at < ${Math.min(from + HOUR_SECONDS, until)}`.execute(db)
    for (const row of rows)
      for (const merger of Object.values(mergers)) merger.add(toTotals(row, row.created_at))
  }
  const numbered = (rows: readonly TimedTotals[]) =>
    rows.map((row, index) => ({ ...row, hour: row.time, day: row.time, id: part * PART_IDS + index }))
  type Rows = ReturnType<typeof numbered>
  const write = async (rows: Rows, insert: (tx: OpenDatabase['db'], rows: Rows) => Promise<unknown>) => {
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
      await inTransaction(db, tx => insert(tx, rows.slice(start, start + ROWS_AT_ONCE)))
  }
  await write(numbered(mergers.hours.rows()), insertHours)
  await write(numbered(mergers.gatewayHours.rows()), insertGatewayHours)
  if (!isComplete) return
  await write(numbered(mergers.days.rows()), insertDays)
  await write(numbered(mergers.gatewayDays.rows()), insertGatewayDays)
}

interface LoggedFigures {
  readonly id: number
  readonly created_at: number
  readonly user_id: number
  readonly token_id: number
  readonly channel_id: number
  readonly model_name: string
  readonly group: string
  readonly type: number
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly error: string
}

const FAILURE = 5

function toTotals(row: LoggedFigures, time: number): TimedTotals {
  const isFailure = Number(row.type) === FAILURE
  const durationMs = 300 + ((Number(row.id) * SPREAD) % DURATION_MS_MAX)
  const { user_id, token_id, channel_id, model_name, group, error } = row
  return withNumbers({
    ...NO_SUMS,

    time,
    user_id,
    token_id,
    channel_id,
    model_name,
    group,
    error,
    dialect: DIALECTS[user_id % DIALECTS.length] ?? '',
    region: REGIONS[channel_id % REGIONS.length] ?? '',
    plan: '',
    requests: 1,
    errors: isFailure ? 1 : 0,
    quota: row.quota,
    cost_nanos: row.quota * 1500,
    costed_quota: row.quota,
    input_tokens: row.prompt_tokens,
    output_tokens: row.completion_tokens,
    first_token: isFailure ? '' : String(bucketOf(durationMs / 4)),
    duration: isFailure ? '' : String(bucketOf(durationMs)),
  })
}

async function setCursor(
  { db }: OpenDatabase,
  name: 'requests' | 'earlier' | 'hours' | 'days',
  { done, part }: { readonly done: number; readonly part: number },
): Promise<void> {
  await db.updateTable('analytics_cursors').set({ done, next: done, part }).where('name', '=', name).execute()
}
