import { type Selectable, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { RequestTagTable } from '#server/db/engine/tables.ts'
import { ARRIVED_BEFORE_SECONDS } from '#server/db/logs/log-filter.ts'

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
