import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { LogTable } from './book-tables.ts'
import type { Database } from './database.ts'
import { type LogFilter, type Span, sharedConditions } from './log-filter.ts'
import { toTotals, type UsageTotals } from './usage-reads.ts'

export interface LogRow extends Selectable<LogTable> {
  /** Null when the channel is gone. */
  readonly channel_name: string | null
  /** JSON text; null for rows without a receipt. */
  readonly receipt: string | null
}

const conditionsOf = (filter: LogFilter, { from, until }: Span): RawBuilder<SqlBool> =>
  sql<SqlBool>`created_at >= ${from} and created_at < ${until} and ${sharedConditions(filter)}${
    filter.requestId === '' ? sql`` : sql` and request_id = ${filter.requestId}`
  }`

interface Slice {
  readonly span: Span
  readonly offset: number
  readonly limit: number
}

/** Rows of the span, newest first. The cost grows with the offset: keep it small. */
export async function listLogs(
  db: Database,
  filter: LogFilter,
  { span, offset, limit }: Slice,
): Promise<LogRow[]> {
  const page = sql`select * from logs where ${conditionsOf(filter, span)}
    order by created_at desc, id desc limit ${limit} offset ${offset}`
  return selectWithNames(db, page)
}

/** Rows older than the given one, newest first: for going through all of them. */
export function listLogsAfter(
  db: Database,
  filter: LogFilter,
  { span, after, limit }: Omit<Slice, 'offset'> & { readonly after: Pick<LogRow, 'created_at' | 'id'> },
): Promise<LogRow[]> {
  const page = sql`select * from logs where ${conditionsOf(filter, span)}
      and (created_at, id) < (${after.created_at}, ${after.id})
    order by created_at desc, id desc limit ${limit}`
  return selectWithNames(db, page)
}

/** Among the newest rows, of this user only when one is given, those whose text begins so. */
export function listLogsOfText(
  db: Database,
  { beginning, userId }: { readonly beginning: string; readonly userId: number | undefined },
  { lookedAt, limit }: { readonly lookedAt: number; readonly limit: number },
): Promise<LogRow[]> {
  const own = userId === undefined ? sql`` : sql`where user_id = ${userId}`
  const newest = sql`select * from logs ${own} order by created_at desc, id desc limit ${lookedAt}`
  return selectWithNames(
    db,
    sql`select * from (${newest}) as newest where substr(content, 1, ${[...beginning].length}) = ${beginning}
      order by created_at desc, id desc limit ${limit}`,
  )
}

async function selectWithNames(db: Database, page: RawBuilder<unknown>): Promise<LogRow[]> {
  const { rows } = await sql<LogRow>`select page.*, channels.name as channel_name, receipts.body as receipt
    from (${page}) as page
      left join channels on channels.id = page.channel_id
      left join receipts on receipts.log_id = page.id
    order by page.created_at desc, page.id desc`.execute(db)
  return rows
}

/** One row; of this user only, when one is given. */
export async function findLog(db: Database, id: number, userId?: number): Promise<LogRow | undefined> {
  const own = userId === undefined ? sql`` : sql` and user_id = ${userId}`
  const [row] = await selectWithNames(db, sql`select * from logs where id = ${id}${own}`)
  return row
}

/** Counts rows one by one: for parts of an hour, or a single request, only. */
export async function countLogs(db: Database, filter: LogFilter, span: Span): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from logs
    where ${conditionsOf(filter, span)}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Sums model calls row by row: for parts of an hour, or a single request, only. */
export async function sumLogs(db: Database, filter: LogFilter, span: Span): Promise<UsageTotals> {
  const { rows } = await sql<
    Record<keyof UsageTotals, number | null>
  >`select sum(quota) as quota, count(*) as count,
      sum(prompt_tokens + completion_tokens) as tokens, sum(case when type = 5 then 1 else 0 end) as errors
    from logs where ${conditionsOf(filter, span)} and type in (2, 5)`.execute(db)
  return toTotals(rows[0])
}

/** When the oldest row was written; undefined without rows. */
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
