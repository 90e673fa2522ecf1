import { sql } from 'kysely'
import { LOG_TYPE } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'
import { ALL_LOGS, type TimeRange } from '#server/db/logs/log-filter.ts'
import { usageSource } from '#server/db/usage/usage-days.ts'

/** What distinguishes the rows of a day. */
export interface ChargedUseKey {
  readonly userId: number
  /** 0: no token. */
  readonly tokenId: number
  /** The type of the channel's provider. Null when the channel is gone, and where providers do not show. */
  readonly provider: number | null
  readonly model: string
}

export interface ChargedUse extends ChargedUseKey {
  /** `key=value` on each line; empty without tags. */
  readonly tags: string
  /** Units. */
  readonly quota: number
  readonly requests: number
  readonly tokens: number
}

export interface ChargedUseQuery {
  readonly range: TimeRange
  /** Undefined: of all users. */
  readonly userId: number | undefined
  readonly showsProviders: boolean
}

const providerOf = (showsProviders: boolean) =>
  showsProviders ? sql.ref('channels.type') : sql`cast(null as bigint)`

/** What was charged in a range of whole days of UTC, from the sums that the ledger writes with each charge. */
export async function listUse(
  db: Database,
  { range, userId, showsProviders }: ChargedUseQuery,
): Promise<ChargedUse[]> {
  const filter = {
    ...ALL_LOGS,
    types: [LOG_TYPE.consumption],
    userIds: userId === undefined ? undefined : [userId],
  }
  const { rows } = await sql<ChargedUse>`select user_id as "userId", token_id as "tokenId",
      ${providerOf(showsProviders)} as provider, model_name as model, '' as tags, sum(quota) as quota,
      sum(count) as requests, sum(prompt_tokens + completion_tokens) as tokens
    from ${await usageSource(db, filter, range)} left join channels on channels.id = usage.channel_id
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(db)
  return rows.map(toUse)
}

/** Beyond it, the cheapest sets of tags of a day stay in the row without tags. */
const TAG_SETS_MAX = 20_000

/** The part of it that has tags, by sets of tags, the dearest first. */
export async function listTaggedUse(
  db: Database,
  { range, userId, showsProviders }: ChargedUseQuery,
): Promise<ChargedUse[]> {
  const own = userId === undefined ? sql`` : sql` and logs.user_id = ${userId}`
  const { rows } =
    await sql<ChargedUse>`select user_id as "userId", token_id as "tokenId", provider, model_name as model,
      tags, sum(quota) as quota, count(*) as requests, sum(prompt_tokens + completion_tokens) as tokens
    from (select logs.*, ${providerOf(showsProviders)} as provider,
        (select string_agg(key || '=' || value, ${'\n'} order by key) from request_tags
          where request_tags.request_id = logs.request_id) as tags
      from logs left join channels on channels.id = logs.channel_id
      where logs.created_at >= ${range.from} and logs.created_at < ${range.until}
        and logs.type = ${LOG_TYPE.consumption}${own}) as tagged
    where tags is not null group by 1, 2, 3, 4, 5 order by 6 desc limit ${TAG_SETS_MAX}`.execute(db)
  return rows.map(toUse)
}

export async function hasTags(db: Database): Promise<boolean> {
  const row = await db.selectFrom('request_tags').select('key').limit(1).executeTakeFirst()
  return row !== undefined
}

/** PostgreSQL gives sums as texts. */
const toUse = (row: ChargedUse): ChargedUse => ({
  ...row,
  provider: row.provider === null ? null : Number(row.provider),
  quota: Number(row.quota),
  requests: Number(row.requests),
  tokens: Number(row.tokens),
})
