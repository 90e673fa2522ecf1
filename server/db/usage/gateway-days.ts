import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../engine/database.ts'
import { coversAllUsers, type LogFilter, sharedConditions, type TimeRange } from '../logs/log-filter.ts'
import { DAY_SECONDS, findRolledUpUntil, isNotEmpty, splitAtDays, usageSource } from './usage-days.ts'
import { hourSource } from './usage-hours.ts'

/** Days that are summed up in one statement. */
const DAYS_PER_STATEMENT = 30
const DAY_BATCHES_MAX = 200

/**
 * Sums up all users' traffic of each day that `rollUpDays` is done with, oldest first. Two processes that do it at once
 * write the same.
 */
export async function rollUpGatewayDays(db: Database): Promise<void> {
  const end = await findRolledUpUntil(db, 'usage_days')
  let day = await findNextUsageDay(db, await findRolledUpUntil(db, 'gateway_days'))
  for (let lot = 0; day !== undefined && day < end && lot < DAY_BATCHES_MAX; lot += 1) {
    const until = Math.min(day + DAYS_PER_STATEMENT * DAY_SECONDS, end)
    await rollUpTrafficDays(db, { from: day, until })
    day = await findNextUsageDay(db, until)
  }
}

/** The first day from here on that is summed up by user. */
async function findNextUsageDay(db: Database, from: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('usage_days')
    .select('day')
    .where('day', '>=', from)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()
  return row?.day
}

async function rollUpTrafficDays(db: Database, { from, until }: TimeRange): Promise<void> {
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
export async function trafficSource(
  db: Database,
  filter: LogFilter,
  span: TimeRange,
): Promise<RawBuilder<unknown>> {
  if (!coversAllUsers(filter)) return usageSource(db, filter, span)
  const { days, hours } = splitAtDays(span, await findRolledUpUntil(db, 'gateway_days'))
  const columns = sql`channel_id, model_name, "group", type, count, quota, prompt_tokens, completion_tokens`
  const ofHours = hours
    .filter(isNotEmpty)
    .map(async part => sql`select ${columns} from ${await hourSource(db, filter, part)}`)
  const ofDays = sql`select ${columns} from gateway_days
    where day >= ${days.from} and day < ${days.until} and ${sharedConditions(filter)}`
  return sql`(${sql.join([ofDays, ...(await Promise.all(ofHours))], sql` union all `)}) as usage`
}
