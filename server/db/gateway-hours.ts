import { type RawBuilder, sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { isOfAllUsers, type LogFilter, ownersLeftOut, type Span, sharedConditions } from './log-filter.ts'

const HOUR_SECONDS = 3600
/** Hours that are summed up in one transaction. */
const HOURS_AT_ONCE = 24
/** What began in an hour may still be written down some time after it. */
const SETTLED_SECONDS = 3600
const LOTS_MAX = 4000

const hourOf = (seconds: number): number => Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS

/**
 * Sums up all users' traffic of each hour that is over and not summed up yet, oldest first. Two processes that do it at
 * once write the same.
 */
export async function rollUpHours(db: Database, now: number): Promise<void> {
  const end = hourOf(now - SETTLED_SECONDS)
  let hour = await nextHour(db, await findSummedUntil(db))
  for (let lot = 0; hour !== undefined && hour < end && lot < LOTS_MAX; lot += 1) {
    const span = { from: hour, until: Math.min(hour + HOURS_AT_ONCE * HOUR_SECONDS, end) }
    await inTransaction(db, tx => sumUp(tx, span))
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

async function sumUp(tx: Database, { from, until }: Span): Promise<void> {
  await sql`insert into gateway_hours select hour, channel_id, model_name, "group", type,
      sum(count), sum(quota), sum(prompt_tokens), sum(completion_tokens)
    from usage_hours where hour >= ${from} and hour < ${until}
    group by hour, channel_id, model_name, "group", type
    on conflict do nothing`.execute(tx)
}

/** The end of the last hour that is summed up; 0 when none is. Every hour before it is, or had nothing. */
async function findSummedUntil(db: Database): Promise<number> {
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
export async function hoursWithin(
  db: Database,
  filter: LogFilter,
  { from, until }: Span,
): Promise<RawBuilder<unknown>> {
  const leftOut = ownersLeftOut(filter)
  const summedUntil = leftOut || isOfAllUsers(filter) ? await findSummedUntil(db) : 0
  const cut = Math.max(from, Math.min(until, summedUntil))
  const columns = sql`hour, channel_id, model_name, "group", type, count, quota, prompt_tokens, completion_tokens`
  const single = sql`select ${columns} from usage_hours
    where hour >= ${cut} and hour < ${until} and ${sharedConditions(filter)}`
  if (cut === from) return sql`(${single}) as hours`
  const isSummed = sql`hour >= ${from} and hour < ${cut} and ${sharedConditions(leftOut?.rest ?? filter)}`
  const summed = sql`select ${columns} from gateway_hours where ${isSummed}`
  const takenOff =
    leftOut &&
    sql`select hour, channel_id, model_name, "group", type, -count, -quota, -prompt_tokens, -completion_tokens
      from usage_hours where ${isSummed} and ${leftOut.isLeftOut}`
  return sql`(${sql.join([summed, ...(takenOff ? [takenOff] : []), single], sql` union all `)}) as hours`
}
