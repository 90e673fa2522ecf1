import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'
import { hoursWithin } from './gateway-hours.ts'
import { isOfAllUsers, type LogFilter, type Span, sharedConditions } from './log-filter.ts'
import { cutAtDays, DAY_SECONDS, findRolledUntil, isNotEmpty, usageWithin } from './usage-days.ts'

/** Days that are summed up in one statement. */
const DAYS_AT_ONCE = 30
const LOTS_MAX = 200

/**
 * Sums up all users' traffic of each day that `rollUpDays` is done with, oldest first. Two processes that do it at once
 * write the same.
 */
export async function rollUpGatewayDays(db: Database): Promise<void> {
  const end = await findRolledUntil(db, 'usage_days')
  let day = await nextDay(db, await findRolledUntil(db, 'gateway_days'))
  for (let lot = 0; day !== undefined && day < end && lot < LOTS_MAX; lot += 1) {
    const until = Math.min(day + DAYS_AT_ONCE * DAY_SECONDS, end)
    await sumUp(db, { from: day, until })
    day = await nextDay(db, until)
  }
}

/** The first day from here on that is summed up by user. */
async function nextDay(db: Database, from: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('usage_days')
    .select('day')
    .where('day', '>=', from)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()
  return row?.day
}

async function sumUp(db: Database, { from, until }: Span): Promise<void> {
  await sql`insert into gateway_days select day, channel_id, model_name, "group", type,
      sum(count), sum(quota), sum(prompt_tokens), sum(completion_tokens)
    from usage_days where day >= ${from} and day < ${until}
    group by day, channel_id, model_name, "group", type
    on conflict do nothing`.execute(db)
}

/**
 * The rows of the span that match, as `usage`, without users and tokens: where the filter asks for neither, from the
 * sums of all traffic as far as they stand.
 */
export async function trafficWithin(
  db: Database,
  filter: LogFilter,
  span: Span,
): Promise<RawBuilder<unknown>> {
  if (!isOfAllUsers(filter)) return usageWithin(db, filter, span)
  const { days, hours } = cutAtDays(span, await findRolledUntil(db, 'gateway_days'))
  const columns = sql`channel_id, model_name, "group", type, count, quota, prompt_tokens, completion_tokens`
  const ofHours = hours
    .filter(isNotEmpty)
    .map(async part => sql`select ${columns} from ${await hoursWithin(db, filter, part)}`)
  const ofDays = sql`select ${columns} from gateway_days
    where day >= ${days.from} and day < ${days.until} and ${sharedConditions(filter)}`
  return sql`(${sql.join([ofDays, ...(await Promise.all(ofHours))], sql` union all `)}) as usage`
}
