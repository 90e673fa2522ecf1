import { sql } from 'kysely'
import type { Database } from '../engine/database.ts'
import type { LogFilter, TimeRange } from '../logs/log-filter.ts'
import { trafficSource } from './gateway-days.ts'
import { ownerCountSource } from './usage-days.ts'
import { hourSource } from './usage-hours.ts'

const CONSUMPTION = 2
const FAILED_REQUEST = 5

export interface HourCount {
  /** Unix seconds of the hour's start. */
  readonly hour: number
  readonly count: number
}

/** How many log rows match in each whole hour of the span, newest hour first. */
export async function countByHour(db: Database, filter: LogFilter, span: TimeRange): Promise<HourCount[]> {
  const { rows } =
    await sql<HourCount>`select hour, sum(count) as count from ${await hourSource(db, filter, span)}
    group by hour having sum(count) > 0 order by hour desc`.execute(db)
  return rows.map(({ hour, count }) => ({ hour, count: Number(count) }))
}

export interface CallTotals {
  /** Charged units. */
  readonly quota: number
  readonly count: number
  readonly errors: number
  readonly tokens: number
}

/** Sums of the model calls in the whole hours of the span. */
export async function sumUsage(db: Database, filter: LogFilter, span: TimeRange): Promise<CallTotals> {
  const { rows } = await sql<Record<keyof CallTotals, number | null>>`select
      sum(quota) as quota, sum(count) as count, sum(prompt_tokens + completion_tokens) as tokens,
      sum(case when type = ${sql.lit(FAILED_REQUEST)} then count else 0 end) as errors
    from ${await trafficSource(db, filter, span)}
    where type in (${sql.lit(CONSUMPTION)}, ${sql.lit(FAILED_REQUEST)})`.execute(db)
  return toCallTotals(rows[0])
}

export const toCallTotals = (
  row: Partial<Record<keyof CallTotals, number | string | null>> = {},
): CallTotals => ({
  quota: Number(row.quota ?? 0),
  count: Number(row.count ?? 0),
  errors: Number(row.errors ?? 0),
  tokens: Number(row.tokens ?? 0),
})

export interface BucketRow {
  /** Unix seconds. */
  readonly start: number
  readonly name: string
  readonly count: number
  readonly quota: number
  readonly tokens: number
}

export interface Buckets extends TimeRange {
  readonly bucketSeconds: number
  /** Moves the edges of the buckets, so that days begin at local midnight. */
  readonly utcOffsetSeconds: number
  readonly split: 'outcome' | 'model'
}

/** Model calls in buckets of time, by outcome (`success`, `error`) or by model. The numbers must be whole. */
export async function sumByBucket(db: Database, filter: LogFilter, buckets: Buckets): Promise<BucketRow[]> {
  const offset = sql.lit(buckets.utcOffsetSeconds)
  const width = sql.lit(buckets.bucketSeconds)
  const start = sql`((hour + ${offset}) / ${width}) * ${width} - ${offset}`
  const name =
    buckets.split === 'model'
      ? sql`model_name`
      : sql`case when type = ${sql.lit(FAILED_REQUEST)} then 'error' else 'success' end`
  const { rows } = await sql<BucketRow>`select ${start} as start, ${name} as name, sum(count) as count,
      sum(quota) as quota, sum(prompt_tokens + completion_tokens) as tokens
    from ${await hourSource(db, filter, buckets)}
    where type in (${sql.lit(CONSUMPTION)}, ${sql.lit(FAILED_REQUEST)})
    group by 1, 2 having sum(count) > 0 order by 1, 2`.execute(db)
  return rows.map(row => ({
    start: Number(row.start),
    name: row.name,
    count: Number(row.count),
    quota: Number(row.quota),
    tokens: Number(row.tokens),
  }))
}

export type FacetColumn = 'model_name' | 'group' | 'type' | 'token_id' | 'channel_id' | 'user_id'

export interface FacetRow {
  /** As text, ids too. */
  readonly value: string
  readonly count: number
}

export interface FacetRequest {
  readonly column: FacetColumn
  /** What is left when this column is free to choose. */
  readonly filter: LogFilter
}

interface FacetRequests {
  readonly facets: readonly FacetRequest[]
  readonly range: TimeRange
  /** Values of a column. */
  readonly limit: number
}

/** The values of each column with their number of rows, most frequent first. */
export async function countByValues(
  db: Database,
  { facets, range, limit }: FacetRequests,
): Promise<ReadonlyMap<FacetColumn, readonly FacetRow[]>> {
  const passes = await Promise.all(
    groupIntoScans(facets).map((pass, index) => buildScan(db, pass, { range, limit, index })),
  )
  const { rows } = await sql<
    FacetRow & { facet: FacetColumn }
  >`with ${sql.join(passes.map(({ sums }) => sums))}
    ${sql.join(
      passes.flatMap(({ facets }) => facets),
      sql` union all `,
    )}`.execute(db)
  const counted = rows.map(({ facet, value, count }) => ({ facet, value, count: Number(count) }))
  return Map.groupBy(
    counted.toSorted((a, b) => b.count - a.count),
    ({ facet }) => facet,
  )
}

/** Columns that are counted by going through the same rows once. */
interface FacetScan {
  readonly columns: readonly FacetColumn[]
  readonly isOfOwners: boolean
  readonly filter: LogFilter
}

const OWNER_COLUMNS: readonly FacetColumn[] = ['user_id', 'token_id']

/** What is asked of all traffic is found in far fewer rows than what is asked of users and tokens, and so apart. */
function groupIntoScans(asked: readonly FacetRequest[]): readonly FacetScan[] {
  const passes = new Map<string, FacetScan>()
  for (const { column, filter } of asked) {
    const isOfOwners = OWNER_COLUMNS.includes(column)
    const key = JSON.stringify([isOfOwners, filter])
    passes.set(key, { columns: [...(passes.get(key)?.columns ?? []), column], isOfOwners, filter })
  }
  return [...passes.values()]
}

async function buildScan(
  db: Database,
  { columns, isOfOwners, filter }: FacetScan,
  { range, limit, index }: { readonly range: TimeRange; readonly limit: number; readonly index: number },
) {
  const name = sql.table(`sums_${index}`)
  const keys = sql.join(columns.map(column => sql.ref(column)))
  const source = await (isOfOwners ? ownerCountSource : trafficSource)(db, filter, range)
  return {
    sums: sql`${name} as materialized (select ${keys}, sum(count) as count from ${source} group by ${keys})`,
    facets: columns.map(
      column => sql`select * from (
        select cast(${sql.lit(column)} as text) as facet, cast(${sql.ref(column)} as text) as value,
          sum(count) as count
        from ${name} group by ${sql.ref(column)} order by 3 desc, ${sql.ref(column)} limit ${limit})
        as ${sql.ref(`by_${column}`)}`,
    ),
  }
}

/** The first hour that anything is known of; undefined when nothing is. */
export async function findFirstUsageHour(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('usage_hours').select('hour').orderBy('hour').limit(1).executeTakeFirst()
  return row?.hour
}

export type NamedTable = 'tokens' | 'channels' | 'users'

/** Names by id, for showing. What was deleted for good has none. */
export async function findNames(
  db: Database,
  table: NamedTable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const name = sql.ref(table === 'users' ? 'username' : 'name')
  const { rows } = await sql<{ id: number; name: string }>`select id, ${name} as name from ${sql.table(table)}
    where id in (${sql.join(ids)})`.execute(db)
  return new Map(rows.map(row => [row.id, row.name]))
}

/** Ids of the tokens of these names, deleted ones included; of one owner, or of all. */
export async function findTokenIdsByName(
  db: Database,
  names: readonly string[],
  { userId, limit }: { readonly userId: number | undefined; readonly limit: number },
): Promise<number[]> {
  if (names.length === 0) return []
  const found = db.selectFrom('tokens').select('id').where('name', 'in', names).limit(limit)
  const rows = await (userId === undefined ? found : found.where('user_id', '=', userId)).execute()
  return rows.map(row => row.id)
}

export async function findUserIdsByName(db: Database, usernames: readonly string[]): Promise<number[]> {
  if (usernames.length === 0) return []
  const rows = await db.selectFrom('users').select('id').where('username', 'in', usernames).execute()
  return rows.map(row => row.id)
}
