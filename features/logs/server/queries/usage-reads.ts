import { type RawBuilder, sql } from 'kysely'
import { instantOf } from '#server/core/time-zone.ts'
import type { Database } from '#server/db/engine/database.ts'
import {
  isCall,
  isFailure,
  isForAllUsers,
  type LogFilter,
  rowSource,
  selectsRows,
  sharedConditions,
  type TimeRange,
} from '#server/db/logs/log-filter.ts'
import { type SlotSize, slotStart } from '#server/db/usage/local-slots.ts'
import { type DayTable, trafficSource, unionOfRanges } from '#server/db/usage/usage-days.ts'
import { HOUR_SECONDS, hourSource } from '#server/db/usage/usage-hours.ts'

interface HourCount {
  /** Unix seconds of the hour's start. */
  readonly hour: number
  readonly count: number
}

export interface BucketRow {
  /** Unix seconds. */
  readonly start: number
  readonly name: string
  readonly count: number
  readonly quota: number
  readonly tokens: number
}

/** A time range with its whole hours, which are summed up, and the rest at both ends. */
export interface ExactRange extends TimeRange {
  readonly hours: TimeRange
  readonly edges: readonly TimeRange[]
}

export interface Buckets {
  readonly range: ExactRange
  readonly slot: SlotSize
  readonly split: 'outcome' | 'model'
}

export type FacetColumn = 'model_name' | 'group' | 'type' | 'token_id' | 'channel_id' | 'user_id'

export interface FacetRow {
  /** Ids are texts too. */
  readonly value: string
  readonly count: number
}

interface FacetRequest {
  readonly column: FacetColumn
  /** The filter without its condition on this column. */
  readonly filter: LogFilter
}

interface FacetRequests {
  readonly facets: readonly FacetRequest[]
  readonly range: ExactRange
  /** The maximum number of values per column. */
  readonly limit: number
}

/** Columns that are counted in one scan of the same rows. */
interface FacetScan {
  readonly columns: readonly FacetColumn[]
  readonly isByOwner: boolean
  readonly filter: LogFilter
}

interface DayCount {
  /** Unix seconds of the day's start, UTC. */
  readonly day: number
  readonly count: number
}

/** Counts the matching log rows in each whole hour of the range, newest hour first. */
export async function countByHour(db: Database, filter: LogFilter, range: TimeRange): Promise<HourCount[]> {
  const { rows } =
    await sql<HourCount>`select hour - hour % ${sql.lit(HOUR_SECONDS)} as hour, sum(count) as count
    from ${await hourSource(db, filter, range)} group by 1 having sum(count) > 0 order by 1 desc`.execute(db)
  return rows.map(({ hour, count }) => ({ hour, count: Number(count) }))
}

/** Sums up model calls in time buckets, by outcome (`success`, `error`) or by model. The numbers must be integers. */
export async function sumByBucket(db: Database, filter: LogFilter, buckets: Buckets): Promise<BucketRow[]> {
  const name =
    buckets.split === 'model' ? sql`model_name` : sql`case when ${isFailure} then 'error' else 'success' end`
  const { rows } =
    await sql<BucketRow>`select ${slotStart('hour', buckets.slot)} as start, ${name} as name, sum(count) as count,
      sum(quota) as quota, sum(prompt_tokens + completion_tokens) as tokens
    from ${await exactSource(filter, buckets.range, {
      columns: sql`hour, model_name, type, count, quota, prompt_tokens, completion_tokens`,
      ofHours: hours => hourSource(db, filter, hours),
    })}
    where ${isCall}
    group by 1, 2 having sum(count) > 0 order by 1, 2`.execute(db)
  return rows.map(row => ({
    start: instantOf(Number(row.start), buckets.slot.offsets),
    name: row.name,
    count: Number(row.count),
    quota: Number(row.quota),
    tokens: Number(row.tokens),
  }))
}

/** Counts the rows of each value of the columns, most frequent first. */
export async function countByValues(
  db: Database,
  { facets, range, limit }: FacetRequests,
): Promise<ReadonlyMap<FacetColumn, readonly FacetRow[]>> {
  const scans = await Promise.all(
    groupIntoScans(facets).map((scan, index) => buildScan(db, scan, { range, limit, index })),
  )
  const { rows } = await sql<
    FacetRow & { facet: FacetColumn }
  >`with ${sql.join(scans.map(({ sums }) => sums))}
    ${sql.join(
      scans.flatMap(({ selects }) => selects),
      sql` union all `,
    )}`.execute(db)
  const counted = rows.map(({ facet, value, count }) => ({ facet, value, count: Number(count) }))
  return Map.groupBy(
    counted.toSorted((a, b) => b.count - a.count),
    ({ facet }) => facet,
  )
}

/** The first hour with usage; undefined when there is none. */
export async function findFirstUsageHour(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('usage_hours').select('hour').orderBy('hour').limit(1).executeTakeFirst()
  return row?.hour
}

/** Counts the matching log rows in each rolled-up day of the range, newest day first. */
export async function countByDay(
  db: Database,
  filter: LogFilter,
  { from, until }: TimeRange,
): Promise<DayCount[]> {
  const { rows } =
    await sql<DayCount>`select day, sum(count) as count from ${sql.table(chooseDayTable(filter))}
    where day >= ${from} and day < ${until} and ${sharedConditions(filter)}
    group by day order by day desc`.execute(db)
  return rows.map(({ day, count }) => ({ day, count: Number(count) }))
}

const OWNER_COLUMNS: readonly FacetColumn[] = ['user_id', 'token_id']

/** Separates users and tokens from all other columns, for which totals over all users are far fewer rows. */
function groupIntoScans(facets: readonly FacetRequest[]): readonly FacetScan[] {
  const scans = new Map<string, FacetScan>()
  for (const { column, filter } of facets) {
    const isByOwner = OWNER_COLUMNS.includes(column)
    const key = JSON.stringify([isByOwner, filter])
    scans.set(key, { columns: [...(scans.get(key)?.columns ?? []), column], isByOwner, filter })
  }
  return [...scans.values()]
}

async function buildScan(
  db: Database,
  { columns, isByOwner, filter }: FacetScan,
  { range, limit, index }: { readonly range: ExactRange; readonly limit: number; readonly index: number },
) {
  const name = sql.table(`sums_${index}`)
  const keys = sql.join(columns.map(column => sql.ref(column)))
  const source = await exactSource(filter, range, {
    columns: sql`${keys}, count`,
    ofHours: hours => (isByOwner ? ownerCountSource : trafficSource)(db, filter, hours),
  })
  return {
    sums: sql`${name} as materialized (select ${keys}, sum(count) as count from ${source} group by ${keys})`,
    selects: columns.map(
      column => sql`select * from (
        select cast(${sql.lit(column)} as text) as facet, cast(${sql.ref(column)} as text) as value,
          sum(count) as count
        from ${name} group by ${sql.ref(column)} order by 3 desc, ${sql.ref(column)} limit ${limit})
        as ${sql.ref(`by_${column}`)}`,
    ),
  }
}

interface HourReading {
  readonly columns: RawBuilder<unknown>
  ofHours(hours: TimeRange): Promise<RawBuilder<unknown>>
}

/** Exactly the rows of the range as `selected`: what is stored for its whole hours, and single rows of the rest. */
async function exactSource(
  filter: LogFilter,
  { hours, edges, from, until }: ExactRange,
  { columns, ofHours }: HourReading,
): Promise<RawBuilder<unknown>> {
  const sources =
    filter.requestId === ''
      ? [await ofHours(hours), ...edges.map(edge => rowSource(filter, edge))]
      : [rowSource(filter, { from, until })]
  return sql`(${sql.join(
    sources.map(source => sql`select ${columns} from ${source}`),
    sql` union all `,
  )}) as selected`
}

/**
 * Like `usageSource`, but only the count of each user and token per hour or day. Both engines read these rows in the order
 * of an index, so the grouping needs hardly any sorting.
 */
export async function ownerCountSource(
  db: Database,
  filter: LogFilter,
  range: TimeRange,
): Promise<RawBuilder<unknown>> {
  if (selectsRows(filter)) return rowSource(filter, range)
  const matching = sharedConditions(filter)
  return unionOfRanges(
    db,
    range,
    ({ table, time, isInside }) => sql`select user_id, token_id, sum(count) as count
    from ${table} where ${isInside} and ${matching} group by ${time}, user_id, token_id`,
  )
}

/** The smallest table that has all columns of the filter. */
export const chooseDayTable = (filter: LogFilter): DayTable =>
  isForAllUsers(filter) ? 'gateway_days' : 'usage_days'
