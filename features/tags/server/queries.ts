import { type Selectable, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { RequestTagTable } from '#server/db/engine/tables.ts'
import { ARRIVED_BEFORE_SECONDS, isCall, isFailure, type TimeRange } from '#server/db/logs/log-filter.ts'

export type RequestTagRow = Readonly<Selectable<RequestTagTable>>

const ROWS_AT_ONCE = 200

export async function insertTags(db: Database, rows: readonly RequestTagRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await db
      .insertInto('request_tags')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .onConflict(conflict => conflict.columns(['request_id', 'key']).doNothing())
      .execute()
}

/** Deletes at most `limit` tags of requests that arrived before all log rows. Returns their number. */
export async function deleteTagsWithoutLogs(db: Database, now: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from request_tags where (request_id, key) in (
    select request_id, key from request_tags
    where created_at < coalesce((select min(created_at) from logs), ${now}) - ${ARRIVED_BEFORE_SECONDS}
    limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

export interface TagUse {
  readonly value: string
  readonly requests: number
  readonly errors: number
  readonly quota: number
  readonly promptTokens: number
  readonly completionTokens: number
}

interface TagUseQuery {
  readonly key: string
  readonly range: TimeRange
  /** Undefined: of all users. */
  readonly userId: number | undefined
  readonly limit: number
}

/** Requests by the values of one key, the dearest first. */
export async function listTagUse(
  db: Database,
  { key, range, userId, limit }: TagUseQuery,
): Promise<TagUse[]> {
  const own = userId === undefined ? sql`` : sql` and logs.user_id = ${userId}`
  const { rows } = await sql<TagUse>`select tags.value, count(*) as requests, sum(quota) as quota,
      sum(case when ${isFailure} then 1 else 0 end) as errors,
      sum(prompt_tokens) as "promptTokens", sum(completion_tokens) as "completionTokens"
    from logs join request_tags as tags on tags.request_id = logs.request_id and tags.key = ${key}
    where logs.created_at >= ${range.from} and logs.created_at < ${range.until}
      and tags.created_at >= ${range.from - ARRIVED_BEFORE_SECONDS} and tags.created_at < ${range.until}
      and ${isCall}${own}
    group by tags.value order by quota desc, requests desc, tags.value limit ${limit}`.execute(db)
  return rows.map(row => ({
    value: row.value,
    requests: Number(row.requests),
    errors: Number(row.errors),
    quota: Number(row.quota),
    promptTokens: Number(row.promptTokens),
    completionTokens: Number(row.completionTokens),
  }))
}
