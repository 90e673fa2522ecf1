import { sql } from 'kysely'
import { LOG_TYPE } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'

/** The facts of a charged request that its charge depends on. */
export interface ChargedRequest {
  readonly user_id: number
  readonly model_name: string
  readonly group: string
  /** Units. */
  readonly quota: number
  /** JSON text; null for rows without a receipt. */
  readonly receipt: string | null
}

/** Ids from the first to the last row of the range. Undefined without rows. */
export async function findChargedIds(
  db: Database,
  { from, until }: TimeRange,
): Promise<{ readonly first: number; readonly last: number } | undefined> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select min(id) as first, max(id) as last from logs
    where created_at >= ${from} and created_at < ${until}`.execute(db)
  const [{ first, last } = { first: null, last: null }] = rows
  return first === null || last === null ? undefined : { first: Number(first), last: Number(last) }
}

/** Lists the rows of the time range among these ids; `until` is not among them. Both tables are read in the order of ids. */
export async function listChargedRequests(
  db: Database,
  range: TimeRange,
  ids: { readonly from: number; readonly until: number },
): Promise<readonly ChargedRequest[]> {
  const { rows } = await sql<ChargedRequest>`
    select logs.user_id, logs.model_name, logs."group", logs.quota, receipts.body as receipt
    from logs left join receipts on receipts.log_id = logs.id
      and receipts.log_id >= ${ids.from} and receipts.log_id < ${ids.until}
    where logs.id >= ${ids.from} and logs.id < ${ids.until}
      and logs.created_at >= ${range.from} and logs.created_at < ${range.until}
      and logs.type = ${sql.lit(LOG_TYPE.consumption)}`.execute(db)
  return rows
}

/** The names of users by id, also of deregistered ones. */
export async function findUsernames(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, username }) => [Number(id), username]))
}
