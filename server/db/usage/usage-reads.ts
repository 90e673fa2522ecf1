import { sql } from 'kysely'
import { LOG_TYPE } from '#contract/enums.ts'
import { instantOf } from '../../core/time-zone.ts'
import type { Database } from '../engine/database.ts'
import { ALL_LOGS, type LogFilter, type TimeRange } from '../logs/log-filter.ts'
import { type SlotSize, slotStart } from './local-slots.ts'
import { ownerCountSource, trafficSource } from './usage-days.ts'
import { HOUR_SECONDS, hourSource } from './usage-hours.ts'

/** Log rows of model calls. */
const CALL_TYPES = sql.join([LOG_TYPE.consumption, LOG_TYPE.failure].map(sql.lit))
const FAILURE = sql.lit(LOG_TYPE.failure)

export interface HourCount {
  /** Unix seconds of the hour's start. */
  readonly hour: number
  readonly count: number
}

/** Counts the matching log rows in each whole hour of the range, newest hour first. */
export async function countByHour(db: Database, filter: LogFilter, range: TimeRange): Promise<HourCount[]> {
  const { rows } =
    await sql<HourCount>`select hour - hour % ${sql.lit(HOUR_SECONDS)} as hour, sum(count) as count
    from ${await hourSource(db, filter, range)} group by 1 having sum(count) > 0 order by 1 desc`.execute(db)
  return rows.map(({ hour, count }) => ({ hour, count: Number(count) }))
}

export interface CallTotals {
  /** Charged units. */
  readonly quota: number
  readonly count: number
  readonly errors: number
  readonly tokens: number
}

/** Sums up the model calls in the whole hours of the range. */
export async function sumUsage(db: Database, filter: LogFilter, range: TimeRange): Promise<CallTotals> {
  const { rows } = await sql<Record<keyof CallTotals, number | null>>`select
      sum(quota) as quota, sum(count) as count, sum(prompt_tokens + completion_tokens) as tokens,
      sum(case when type = ${FAILURE} then count else 0 end) as errors
    from ${await trafficSource(db, filter, range)}
    where type in (${CALL_TYPES})`.execute(db)
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
  readonly slot: SlotSize
  readonly split: 'outcome' | 'model'
}

/** Sums up model calls in time buckets, by outcome (`success`, `error`) or by model. The numbers must be integers. */
export async function sumByBucket(db: Database, filter: LogFilter, buckets: Buckets): Promise<BucketRow[]> {
  const name =
    buckets.split === 'model'
      ? sql`model_name`
      : sql`case when type = ${FAILURE} then 'error' else 'success' end`
  const { rows } =
    await sql<BucketRow>`select ${slotStart('hour', buckets.slot)} as start, ${name} as name, sum(count) as count,
      sum(quota) as quota, sum(prompt_tokens + completion_tokens) as tokens
    from ${await hourSource(db, filter, buckets)}
    where type in (${CALL_TYPES})
    group by 1, 2 having sum(count) > 0 order by 1, 2`.execute(db)
  return rows.map(row => ({
    start: instantOf(Number(row.start), buckets.slot.offsets),
    name: row.name,
    count: Number(row.count),
    quota: Number(row.quota),
    tokens: Number(row.tokens),
  }))
}

/** The first hour with usage; undefined when there is none. */
export async function findFirstUsageHour(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('usage_hours').select('hour').orderBy('hour').limit(1).executeTakeFirst()
  return row?.hour
}

export interface ModelHour {
  readonly model_name: string
  /** Unix seconds of the hour's start. */
  readonly hour: number
  readonly tokens: number
  readonly count: number
  readonly quota: number
}

interface ModelHourQuery {
  /** Undefined: all users together. */
  readonly userId: number | undefined
  /** Unix seconds, both included. */
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** The usage of each model in each hour, oldest first. Beyond `limit` rows only the newest hours are returned. */
export async function listModelHours(
  db: Database,
  { userId, from, to, limit }: ModelHourQuery,
): Promise<ModelHour[]> {
  const userIds = userId === undefined ? undefined : [userId]
  const filter = { ...ALL_LOGS, types: [LOG_TYPE.consumption], userIds }
  const hours = await hourSource(db, filter, { from, until: to + 1 })
  const { rows } =
    await sql<ModelHour>`select model_name, hour, sum(prompt_tokens + completion_tokens) as tokens,
      sum(count) as count, sum(quota) as quota
    from ${hours} group by model_name, hour order by hour desc, model_name desc limit ${limit}`.execute(db)
  return rows.toReversed().map(row => ({
    model_name: row.model_name,
    hour: Number(row.hour),
    tokens: Number(row.tokens),
    count: Number(row.count),
    quota: Number(row.quota),
  }))
}

interface ChannelOutcomesRow {
  readonly id: number
  readonly succeeded: number
  readonly failed: number
}

/** Successful and failed requests of each channel in the whole hours of the range. Channels without any are missing. */
export async function countOutcomesByChannel(db: Database, range: TimeRange): Promise<ChannelOutcomesRow[]> {
  const { rows } = await sql<ChannelOutcomesRow>`select channel_id as id,
      sum(case when type = ${sql.lit(LOG_TYPE.consumption)} then count else 0 end) as succeeded,
      sum(case when type = ${FAILURE} then count else 0 end) as failed
    from ${await trafficSource(db, ALL_LOGS, range)}
    where type in (${CALL_TYPES}) and channel_id > 0
    group by channel_id order by channel_id`.execute(db)
  return rows.map(row => ({
    id: Number(row.id),
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
  }))
}

export type FacetColumn = 'model_name' | 'group' | 'type' | 'token_id' | 'channel_id' | 'user_id'

export interface FacetRow {
  /** Ids are texts too. */
  readonly value: string
  readonly count: number
}

export interface FacetRequest {
  readonly column: FacetColumn
  /** The filter without its condition on this column. */
  readonly filter: LogFilter
}

interface FacetRequests {
  readonly facets: readonly FacetRequest[]
  readonly range: TimeRange
  /** The maximum number of values per column. */
  readonly limit: number
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

/** Columns that are counted in one scan of the same rows. */
interface FacetScan {
  readonly columns: readonly FacetColumn[]
  readonly isByOwner: boolean
  readonly filter: LogFilter
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
  { range, limit, index }: { readonly range: TimeRange; readonly limit: number; readonly index: number },
) {
  const name = sql.table(`sums_${index}`)
  const keys = sql.join(columns.map(column => sql.ref(column)))
  const source = await (isByOwner ? ownerCountSource : trafficSource)(db, filter, range)
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
