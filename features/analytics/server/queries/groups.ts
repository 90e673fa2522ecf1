import { type RawBuilder, sql } from 'kysely'
import { NANOS_PER_UNIT } from '#server/core/money.ts'
import { addSketchText, GAMMA, type Sketch } from '#server/core/sketch.ts'
import type { AnalyticsSums } from '#server/db/engine/analytics-tables.ts'
import type { Database } from '#server/db/engine/database.ts'
import {
  type AnalyticsDimension,
  columnValue,
  DIMENSION_COLUMNS,
  totalsColumn,
} from '#server/db/usage/analytics-source.ts'
import { type SlotSize, slotStart } from '#server/db/usage/local-slots.ts'
import { NO_SUMS, SUM_COLUMNS, TOKEN_COLUMNS } from '#server/db/usage/totals.ts'
import { type ReportSourceQuery, reportSource } from './tagged-source.ts'

type Sums = Readonly<AnalyticsSums>

/** The sums of one combination of values; ids are texts too. */
interface AnalyticsGroup {
  readonly values: readonly string[]
  readonly sums: Sums
}

export interface GroupedTotals {
  /** The largest groups, largest first. */
  readonly groups: readonly AnalyticsGroup[]
  readonly total: Sums
  /** The largest values of the first dimension, largest first. */
  readonly leaders: readonly string[]
  /** Whether there are more groups. */
  readonly isCut: boolean
}

/** Ranking of groups. */
export type RankColumn = 'margin' | 'tokens' | 'audio_tokens' | keyof AnalyticsSums

interface GroupQuery extends Omit<ReportSourceQuery, 'dimensions'> {
  /** One or two. */
  readonly dimensions: readonly AnalyticsDimension[]
  readonly rankBy: RankColumn
  readonly limit: number
  readonly leaderLimit: number
}

/** Rows of one statement, which differ by their kind. */
type GroupRow = Sums & { readonly kind: string; readonly value_0: string; readonly value_1: string }

interface SlotQuery extends Omit<ReportSourceQuery, 'dimensions'> {
  /** Only the given values of a dimension, each by itself; undefined: all requests together. */
  readonly split?: { readonly dimension: AnalyticsDimension; readonly values: readonly (string | number)[] }
  readonly slot: SlotSize
}

interface SlotTotals {
  /** The slot's start in local time. */
  readonly start: number
  /** Empty without a split. */
  readonly value: string
  readonly sums: Sums
}

/** Milliseconds; null without charged requests that say them. */
export interface Percentiles {
  readonly firstTokenP50: number | null
  readonly firstTokenP95: number | null
  readonly durationP50: number | null
  readonly durationP95: number | null
}

const MEDIAN = 0.5

interface SketchRow {
  readonly key_0: string
  readonly key_1: string
  readonly first_token: string
  readonly duration: string
}

/** The order of groups: by a row of sums, or by the sum of several rows. */
function rankOf(name: RankColumn, of: 'row' | 'sum' = 'row'): RawBuilder<unknown> {
  const value = (column: keyof AnalyticsSums) =>
    of === 'sum' ? sql`sum(${sql.ref(column)})` : sql.ref(column)
  if (name === 'margin')
    return sql`${value('costed_quota')} * ${sql.lit(NANOS_PER_UNIT)} - ${value('cost_nanos')}`
  if (name === 'audio_tokens') return sql`${value('audio_input_tokens')} + ${value('audio_output_tokens')}`
  if (name !== 'tokens') return value(name)
  return sql.join(TOKEN_COLUMNS.map(value), sql` + `)
}

const SUMMED_COLUMNS = sql.join(SUM_COLUMNS.map(name => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))

const COLUMN_LIST = sql.join(SUM_COLUMNS.map(name => sql.ref(name)))

/** The sums with the columns of dimensions. Owners are looked up once for each user or token, not for each total. */
function sumSource(query: GroupQuery, columns: readonly string[]): RawBuilder<unknown> {
  const found = [...new Set(columns.map(totalsColumn))]
  const source = reportSource(query, [...found, ...SUM_COLUMNS])
  if (found.length === columns.length && found.every(name => columns.includes(name))) return source
  const keys = sql.join(found.map(name => sql.ref(name)))
  const values = columns.map(name =>
    found.includes(name) ? sql.ref(name) : sql`${columnValue(name)} as ${sql.ref(name)}`,
  )
  return sql`(select ${sql.join(values)}, ${COLUMN_LIST} from
    (select ${keys}, ${SUMMED_COLUMNS} from ${source} group by ${keys}) as totals) as owned`
}

/** Sums up the requests of each combination of the dimensions' values. */
export async function groupTotals(db: Database, query: GroupQuery): Promise<GroupedTotals> {
  const columns = query.dimensions.map(name => DIMENSION_COLUMNS[name])
  const keys = columns.map(name => sql.ref(name))
  const [first = sql`''`, second = sql`''`] = keys.map(key => sql`cast(${key} as text)`)
  const rank = rankOf(query.rankBy)
  const { rows } = await sql<GroupRow>`
    with sums as materialized (select ${sql.join(keys)}, ${SUMMED_COLUMNS} from ${sumSource(query, columns)}
      group by ${sql.join(keys)} having sum(requests) <> 0)
    select 'total' as kind, '' as value_0, '' as value_1, ${SUMMED_COLUMNS} from sums
    union all select * from (select 'group' as kind, ${first} as value_0, ${second} as value_1, ${COLUMN_LIST}
      from sums order by ${rank} desc, ${sql.join(keys)} limit ${query.limit + 1}) as largest
    union all select * from (select 'leader' as kind, ${first} as value_0, '' as value_1, ${SUMMED_COLUMNS}
      from sums group by ${keys[0] ?? sql`1`} order by ${rankOf(query.rankBy, 'sum')} desc, 2
      limit ${query.leaderLimit}) as leaders`.execute(db)
  const groups = rows
    .filter(({ kind }) => kind === 'group')
    .map(row => ({ values: [row.value_0, row.value_1].slice(0, columns.length), sums: toSums(row) }))
  return {
    groups: groups.slice(0, query.limit),
    leaders: rows.filter(({ kind }) => kind === 'leader').map(row => row.value_0),
    total: toSums(rows.find(({ kind }) => kind === 'total')),
    isCut: groups.length > query.limit,
  }
}

/** PostgreSQL returns sums as text, and null for no rows. */
function toSums(row: Partial<Sums> | undefined): Sums {
  const sums: Partial<Record<keyof AnalyticsSums, number>> = {}
  for (const column of SUM_COLUMNS) sums[column] = Number(row?.[column] ?? 0)
  return { ...NO_SUMS, ...sums }
}

/** Sums up requests by slot, in order. Slots without requests are missing. */
export async function sumBySlot(db: Database, query: SlotQuery): Promise<SlotTotals[]> {
  const { split, slot } = query
  const column = split && DIMENSION_COLUMNS[split.dimension]
  const source = reportSource(narrow(query), [...(column ? [column] : []), ...SUM_COLUMNS])
  const value = column ? sql`cast(${sql.ref(column)} as text)` : sql`''`
  const { rows } = await sql<Sums & { start: number; value: string }>`
    select ${slotStart('time', slot)} as start, ${value} as value, ${SUMMED_COLUMNS} from ${source}
    group by 1, 2 order by 1, 2`.execute(db)
  return rows.map(row => ({ start: Number(row.start), value: row.value, sums: toSums(row) }))
}

function narrow({ split, slot: _, ...query }: SlotQuery): ReportSourceQuery {
  if (!split) return { ...query, dimensions: [] }
  const { dimension, values } = split
  return { ...query, filter: { ...query.filter, [dimension]: values }, dimensions: [dimension] }
}

const P95 = 0.95

/** The percentiles of each combination of the dimensions' values, by the values joined with NUL. */
export function groupPercentiles(
  db: Database,
  query: ReportSourceQuery,
): Promise<ReadonlyMap<string, Percentiles>> {
  const keys = query.dimensions.map(name => sql`cast(${sql.ref(DIMENSION_COLUMNS[name])} as text)`)
  return readPercentiles(db, query, keys)
}

/** The percentiles of each slot, by its start. */
export function percentilesBySlot(db: Database, query: SlotQuery): Promise<ReadonlyMap<string, Percentiles>> {
  const { split } = query
  const value = split ? [sql`cast(${sql.ref(DIMENSION_COLUMNS[split.dimension])} as text)`] : []
  return readPercentiles(db, narrow(query), [sql`cast(${slotStart('time', query.slot)} as text)`, ...value])
}

async function readPercentiles(
  db: Database,
  query: ReportSourceQuery,
  [first = sql`''`, second]: readonly RawBuilder<unknown>[],
): Promise<ReadonlyMap<string, Percentiles>> {
  const columns = query.dimensions.map(name => DIMENSION_COLUMNS[name])
  const source = reportSource(query, [...columns, 'first_token', 'duration'])
  const { rows } = await sql<SketchRow>`select ${first} as key_0, ${second ?? sql`''`} as key_1,
    first_token, duration from ${source} where duration <> ''`.execute(db)
  const merged = new Map<
    string,
    { readonly firstToken: Map<number, number>; readonly duration: Map<number, number> }
  >()
  for (const row of rows) {
    const key = second ? `${row.key_0}\0${row.key_1}` : row.key_0
    const found = merged.get(key) ?? { firstToken: new Map(), duration: new Map() }
    addSketchText(found.firstToken, row.first_token)
    addSketchText(found.duration, row.duration)
    merged.set(key, found)
  }
  return new Map(
    [...merged].map(([key, { firstToken, duration }]) => [key, toPercentiles(firstToken, duration)]),
  )
}

const toPercentiles = (
  firstToken: ReadonlyMap<number, number>,
  duration: ReadonlyMap<number, number>,
): Percentiles => ({
  firstTokenP50: rounded(quantile(firstToken, MEDIAN)),
  firstTokenP95: rounded(quantile(firstToken, P95)),
  durationP50: rounded(quantile(duration, MEDIAN)),
  durationP95: rounded(quantile(duration, P95)),
})

const rounded = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms))

/** The value that the given share (0 to 1) of all values does not exceed; undefined for an empty sketch. */
export function quantile(sketch: Sketch, share: number): number | undefined {
  let total = 0
  for (const count of sketch.values()) total += count
  if (total === 0) return undefined
  const rank = Math.max(1, Math.ceil(share * total))
  let counted = 0
  for (const [bucket, count] of [...sketch].sort(([a], [b]) => a - b)) {
    counted += count
    if (counted >= rank) return middleOf(bucket)
  }
  return undefined
}

const middleOf = (bucket: number): number => (2 * GAMMA ** bucket) / (GAMMA + 1)
