import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { isFailure, type LogFilter, logConditions, type TimeRange } from '#server/db/logs/log-filter.ts'
import type { FacetRow } from './usage-reads.ts'

interface ErrorQuery {
  readonly range: TimeRange
  readonly limit: number
}

/** Counts the failed requests of each error, most frequent first. */
export async function countByError(
  db: Database,
  filter: LogFilter,
  { range, limit }: ErrorQuery,
): Promise<FacetRow[]> {
  const { rows } = await sql<FacetRow>`select error as value, count(*) as count from logs
    where ${logConditions(filter, range)} and ${isFailure}
    group by error order by 2 desc, error limit ${limit}`.execute(db)
  return rows.map(({ value, count }) => ({ value, count: Number(count) }))
}

export interface ErrorSummaryRow {
  /** Empty for rows without a recorded error. */
  readonly error: string
  readonly count: number
  readonly users: number
  /** Unix seconds of the newest row. */
  readonly lastAt: number
  /** The most frequent channels; ids are texts. */
  readonly channels: readonly FacetRow[]
  readonly models: readonly FacetRow[]
}

/** Channels and models of each error in a summary. */
const PARTS_MAX = 5

/** Sums up the failed requests of each error with the channels and models concerned, most frequent first. */
export async function summarizeErrors(
  db: Database,
  filter: LogFilter,
  { range, limit }: ErrorQuery,
): Promise<ErrorSummaryRow[]> {
  const part = (column: 'channel_id' | 'model_name') => sql`select * from (
      select ${sql.lit(column)} as part, error, cast(${sql.ref(column)} as text) as value, sum(count) as count,
        0 as users, 0 as last_at,
        row_number() over (partition by error order by sum(count) desc, ${sql.ref(column)}) as place
      from failures where error in (select error from errors) group by error, ${sql.ref(column)}
    ) as ${sql.ref(`by_${column}`)} where place <= ${sql.lit(PARTS_MAX)}`
  const { rows } = await sql<SummaryPart>`with failures as materialized (
      select error, channel_id, model_name, user_id, count(*) as count, max(created_at) as last_at from logs
      where ${logConditions(filter, range)} and ${isFailure} group by error, channel_id, model_name, user_id
    ), errors as materialized (
      select error, sum(count) as count, count(distinct user_id) as users, max(last_at) as last_at
      from failures group by error order by 2 desc, error limit ${limit}
    )
    select 'error' as part, error, '' as value, count, users, last_at, 0 as place from errors
    union all ${part('channel_id')} union all ${part('model_name')}`.execute(db)
  return toSummaries(rows)
}

interface SummaryPart extends FacetRow {
  readonly part: 'error' | 'channel_id' | 'model_name'
  readonly error: string
  readonly users: number
  readonly last_at: number
}

function toSummaries(rows: readonly SummaryPart[]): ErrorSummaryRow[] {
  const parts = Map.groupBy(rows, ({ part, error }) => `${part} ${error}`)
  const partOf = (part: SummaryPart['part'], error: string): FacetRow[] =>
    (parts.get(`${part} ${error}`) ?? [])
      .map(({ value, count }) => ({ value, count: Number(count) }))
      .sort((a, b) => b.count - a.count)
  return rows
    .filter(({ part }) => part === 'error')
    .map(({ error, count, users, last_at }) => ({
      error,
      count: Number(count),
      users: Number(users),
      lastAt: Number(last_at),
      channels: partOf('channel_id', error),
      models: partOf('model_name', error),
    }))
    .sort((a, b) => b.count - a.count)
}
