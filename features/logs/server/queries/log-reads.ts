import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import type { LogTable } from '#server/db/engine/tables.ts'
import {
  isCall,
  isFailure,
  type LogFilter,
  logConditions,
  type TimeRange,
} from '#server/db/logs/log-filter.ts'
import { type CallTotals, toCallTotals } from '#server/db/usage/usage-reads.ts'

export interface LogRow extends Selectable<LogTable> {
  /** Null when the channel was deleted. */
  readonly channel_name: string | null
  /** Null when the user was deregistered. */
  readonly user_role: number | null
  /** `key=value` on each line; null without tags. */
  readonly tags: string | null
  /** JSON text; null for rows without a receipt. */
  readonly receipt: string | null
}

interface LogPage {
  readonly range: TimeRange
  readonly offset: number
  readonly limit: number
}

/** Lists rows of the range, newest first. The cost grows with the offset: keep it small. */
export async function listLogs(
  db: Database,
  filter: LogFilter,
  { range, offset, limit }: LogPage,
): Promise<LogRow[]> {
  const page = sql`select * from logs where ${logConditions(filter, range)}
    order by created_at desc, id desc limit ${limit} offset ${offset}`
  return selectWithNames(db, page)
}

/** Lists rows older than the given one, newest first. For exports, which read all rows. */
export function listLogsAfter(
  db: Database,
  filter: LogFilter,
  { range, after, limit }: Omit<LogPage, 'offset'> & { readonly after: Pick<LogRow, 'created_at' | 'id'> },
): Promise<LogRow[]> {
  const page = sql`select * from logs where ${logConditions(filter, range)}
      and (created_at, id) < (${after.created_at}, ${after.id})
    order by created_at desc, id desc limit ${limit}`
  return selectWithNames(db, page)
}

/** Lists rows whose content starts with the prefix, among the newest rows of one user or of all. */
export function listLogsByPrefix(
  db: Database,
  { prefix, userId }: { readonly prefix: string; readonly userId: number | undefined },
  { rowsScanned, limit }: { readonly rowsScanned: number; readonly limit: number },
): Promise<LogRow[]> {
  const own = userId === undefined ? sql`` : sql`where user_id = ${userId}`
  const newest = sql`select * from logs ${own} order by created_at desc, id desc limit ${rowsScanned}`
  return selectWithNames(
    db,
    sql`select * from (${newest}) as newest where substr(content, 1, ${[...prefix].length}) = ${prefix}
      order by created_at desc, id desc limit ${limit}`,
  )
}

/** Finds a row, of this user only when one is given. */
export async function findLog(db: Database, id: number, userId?: number): Promise<LogRow | undefined> {
  const own = userId === undefined ? sql`` : sql` and user_id = ${userId}`
  const [row] = await selectWithNames(db, sql`select * from logs where id = ${id}${own}`)
  return row
}

/** Counts rows one by one. Only for parts of an hour or a single request. */
export async function countLogs(db: Database, filter: LogFilter, range: TimeRange): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from logs
    where ${logConditions(filter, range)}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Sums up model calls row by row. Only for parts of an hour or a single request. */
export async function sumLogs(db: Database, filter: LogFilter, range: TimeRange): Promise<CallTotals> {
  const { rows } = await sql<
    Record<keyof CallTotals, number | null>
  >`select sum(quota) as quota, count(*) as count,
      sum(prompt_tokens + completion_tokens) as tokens, sum(case when ${isFailure} then 1 else 0 end) as errors
    from logs where ${logConditions(filter, range)} and ${isCall}`.execute(db)
  return toCallTotals(rows[0])
}

/** The time of the oldest row; undefined without rows. */
export async function findOldestLogTime(db: Database): Promise<number | undefined> {
  const row = await db
    .selectFrom('logs')
    .select('created_at')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.created_at
}

async function selectWithNames(db: Database, page: RawBuilder<unknown>): Promise<LogRow[]> {
  const { rows } = await sql<LogRow>`select page.*, channels.name as channel_name, users.role as user_role,
      receipts.body as receipt,
      (select string_agg(key || '=' || value, ${'\n'} order by key) from request_tags
        where request_tags.request_id = page.request_id) as tags
    from (${page}) as page
      left join channels on channels.id = page.channel_id
      left join users on users.id = page.user_id and users.deleted_at is null
      left join receipts on receipts.log_id = page.id
    order by page.created_at desc, page.id desc`.execute(db)
  return rows
}

/** Shortens a SQLite file by pages without rows (sqlite.org/pragma.html#pragma_incremental_vacuum). */
export async function returnFreePages(db: Database, pagesMax: number): Promise<void> {
  await sql`pragma incremental_vacuum(${sql.lit(pagesMax)})`.execute(db)
}
