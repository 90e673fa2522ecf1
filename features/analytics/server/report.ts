import type { AnalyticsDimension, AnalyticsMeasure } from '#contract/enums.ts'
import { instantOf, type OffsetChange } from '#server/core/time-zone.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { getCursor } from '#server/db/usage/cursors.ts'
import { NO_SUMS } from '#server/db/usage/totals.ts'
import type { AnalyticsReport } from '../contract.ts'
import { isPercentile, measureOf, percentileOf, rankOf, toFigures } from './figures.ts'
import {
  type GroupedTotals,
  groupPercentiles,
  groupTotals,
  type Percentiles,
  percentilesBySlot,
  sumBySlot,
} from './queries/groups.ts'
import type { NameFinders } from './queries/names.ts'
import { type AnalyticsSelection, BUCKET_SECONDS } from './selection.ts'

export interface ReportQuery {
  readonly by: AnalyticsDimension
  readonly second: AnalyticsDimension | ''
  readonly measure: AnalyticsMeasure
  readonly compare: boolean
  readonly limit: number
}

/** Values of the first dimension with a line of their own. */
const SERIES_MAX = 8
/** Groups of the period by one or two dimensions, and the measure over time. */
export async function buildReport(
  db: Database,
  selection: AnalyticsSelection,
  query: ReportQuery,
  finders: NameFinders,
): Promise<AnalyticsReport> {
  const groups = await readGroups(db, selection, query)
  const { done } = await getCursor(db, 'earlier')
  const names = await findAllNames(db, dimensionsOf(query), { finders, found: groups.current })
  const { range, bucket } = selection
  return {
    start_timestamp: range.from,
    end_timestamp: range.until,
    bucket,
    is_complete: done === 0,
    ...toGroups(groups, query, names),
    has_more: groups.current.isCut,
    ...(await readSeries(db, { selection, query, leaders: groups.current.leaders, names })),
  }
}

interface ReadGroups {
  readonly current: GroupedTotals
  readonly previous: GroupedTotals | undefined
  readonly percentiles: ReadonlyMap<string, Percentiles> | undefined
  readonly totalPercentiles: Percentiles | undefined
}

const dimensionsOf = ({ by, second }: ReportQuery): readonly AnalyticsDimension[] =>
  second === '' || second === by ? [by] : [by, second]

const keyOf = (values: readonly string[]): string => values.join('\0')

const ID_DIMENSIONS: ReadonlySet<string> = new Set<AnalyticsDimension>([
  'user',
  'channel',
  'token',
  'organization',
  'member',
  'project',
])

/** Ids are numbers in the database. */
const toFilter = (dimension: AnalyticsDimension, values: readonly string[]) =>
  ID_DIMENSIONS.has(dimension) ? values.map(Number) : values

async function readGroups(
  db: Database,
  { range, previous, grain, filter, tags }: AnalyticsSelection,
  query: ReportQuery,
): Promise<ReadGroups> {
  const dimensions = dimensionsOf(query)
  const rankBy = rankOf(query.measure)
  const totalsOf = (part: TimeRange, limit: number, narrowed = filter) =>
    groupTotals(db, {
      range: part,
      grain,
      filter: narrowed,
      tags,
      dimensions,
      rankBy,
      limit,
      leaderLimit: SERIES_MAX,
    })
  const current = await totalsOf(range, query.limit)
  const narrowed = { ...filter, ...shownValues(dimensions, current) }
  const previousReads = {
    total: () => totalsOf(previous, 1),
    groups: () => totalsOf(previous, PREVIOUS_GROUPS_MAX, narrowed),
  }
  const found = { current, previous: query.compare ? await readPrevious(previousReads) : undefined }
  if (!isPercentile(query.measure)) return { ...found, percentiles: undefined, totalPercentiles: undefined }
  const totals = await groupPercentiles(db, { range, grain, filter, tags, dimensions: [] })
  return {
    ...found,
    percentiles: await groupPercentiles(db, { range, grain, filter: narrowed, tags, dimensions }),
    totalPercentiles: totals.get(''),
  }
}

/** The values of the groups, so that only these are read again. */
const shownValues = (dimensions: readonly AnalyticsDimension[], { groups }: GroupedTotals) =>
  Object.fromEntries(
    dimensions.map((dimension, index) => [
      dimension,
      toFilter(dimension, [...new Set(groups.map(group => group.values[index] ?? ''))]),
    ]),
  )

/** Groups of the previous period are found by the values of this one, in any order. */
const PREVIOUS_GROUPS_MAX = 5000

interface PreviousReads {
  readonly total: () => Promise<GroupedTotals>
  readonly groups: () => Promise<GroupedTotals>
}

async function readPrevious(reads: PreviousReads): Promise<GroupedTotals> {
  const { total } = await reads.total()
  return { ...(await reads.groups()), total }
}

type Names = ReadonlyMap<AnalyticsDimension, ReadonlyMap<number, string>>

async function findAllNames(
  db: Database,
  dimensions: readonly AnalyticsDimension[],
  { finders, found: { groups, leaders } }: { readonly finders: NameFinders; readonly found: GroupedTotals },
): Promise<Names> {
  const found = new Map<AnalyticsDimension, ReadonlyMap<number, string>>()
  for (const [index, dimension] of dimensions.entries()) {
    const find = finders[dimension]
    if (!find) continue
    const values = [...groups.map(group => group.values[index]), ...(index === 0 ? leaders : [])]
    const ids = new Set(values.map(Number).filter(id => id > 0))
    found.set(dimension, await find(db, [...ids]))
  }
  return found
}

/** Ids without a name are of deleted records; 0 is of none. */
function nameOf(names: Names, dimension: AnalyticsDimension | '', value: string): string {
  if (dimension === '' || !ID_DIMENSIONS.has(dimension)) return value
  return names.get(dimension)?.get(Number(value)) ?? ''
}

function toGroups(
  { current, previous, percentiles, totalPercentiles }: ReadGroups,
  query: ReportQuery,
  names: Names,
) {
  const { by } = query
  const second = dimensionsOf(query)[1] ?? ''
  const earlier = new Map(previous?.groups.map(group => [keyOf(group.values), group.sums]))
  return {
    total: toFigures(current.total, totalPercentiles),
    previous_total: previous ? toFigures(previous.total, undefined) : null,
    groups: current.groups.map(({ values, sums }) => {
      const [value = '', secondValue = ''] = values
      return {
        value,
        name: nameOf(names, by, value),
        second_value: secondValue,
        second_name: nameOf(names, second, secondValue),
        figures: toFigures(sums, percentiles?.get(keyOf(values))),
        previous: previous ? toFigures(earlier.get(keyOf(values)) ?? NO_SUMS, undefined) : null,
      }
    }),
  }
}

interface SeriesInput {
  readonly selection: AnalyticsSelection
  readonly query: ReportQuery
  readonly leaders: readonly string[]
  readonly names: Names
}

type SeriesPart = Pick<AnalyticsReport, 'slots' | 'series'>

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS

/** The epoch is a Thursday, and weeks begin on Monday. */
const MONDAY_OFFSET_SECONDS = 3 * DAY_SECONDS

interface Slot {
  /** In local time, as the database counts. */
  readonly local: number
  readonly start: number
}

function listSlots({ range, bucket }: AnalyticsSelection, offsets: readonly OffsetChange[]): Slot[] {
  const seconds = BUCKET_SECONDS[bucket]
  const shift = seconds === WEEK_SECONDS ? MONDAY_OFFSET_SECONDS : 0
  const first = localOf(range.from, offsets)
  const slots: Slot[] = []
  for (let local = first - ((first + shift) % seconds); ; local += seconds) {
    const start = instantOf(local, offsets)
    if (start >= range.until) return slots
    slots.push({ local, start })
  }
}

const UTC: readonly OffsetChange[] = [{ from: Number.NEGATIVE_INFINITY, seconds: 0 }]

/** Roll-ups have the hours and days of UTC. */
const offsetsOf = ({ bucket, slotGrain, offsets }: AnalyticsSelection): readonly OffsetChange[] =>
  slotGrain === 'day' || BUCKET_SECONDS[bucket] < DAY_SECONDS ? UTC : offsets

async function readSeries(
  db: Database,
  { selection, query, leaders: values, names }: SeriesInput,
): Promise<SeriesPart> {
  const { range, slotGrain, filter, tags, bucket } = selection
  const { by, measure } = query
  const seconds = BUCKET_SECONDS[bucket]
  const offsets = offsetsOf(selection)
  const slots = listSlots(selection, offsets)
  const slot = { seconds, offsets }
  const all = { range, grain: slotGrain, filter, tags, slot }
  const split = { ...all, split: { dimension: by, values: toFilter(by, values) } }
  const series = (value: string, numbers: readonly (number | null)[]) => ({
    value,
    name: nameOf(names, by, value),
    is_other: false,
    numbers: [...numbers],
  })
  if (isPercentile(measure)) {
    const found = await percentilesBySlot(db, split)
    return {
      slots: slots.map(({ start }) => start),
      series: values.map(value =>
        series(
          value,
          slots.map(({ local }) => percentileOf(found.get(keyOf([String(local), value])), measure)),
        ),
      ),
    }
  }
  const [totals, parts] = [await sumBySlot(db, all), await sumBySlot(db, split)]
  const bySlot = new Map(
    parts.map(({ start, value, sums }) => [keyOf([String(start), value]), measureOf(sums, measure)]),
  )
  const total = new Map(totals.map(({ start, sums }) => [start, measureOf(sums, measure)]))
  const leading = values.map(value =>
    series(
      value,
      slots.map(({ local }) => bySlot.get(keyOf([String(local), value])) ?? 0),
    ),
  )
  const other = slots.map(
    ({ local }, index) =>
      (total.get(local) ?? 0) - leading.reduce((sum, { numbers }) => sum + (numbers[index] ?? 0), 0),
  )
  const rest = { value: '', name: '', is_other: true, numbers: other }
  return {
    slots: slots.map(({ start }) => start),
    series: other.some(number => number !== 0) ? [...leading, rest] : leading,
  }
}

/** The local time of an instant. */
const localOf = (instant: number, offsets: readonly OffsetChange[]): number =>
  instant + (offsets.findLast(({ from }) => from <= instant)?.seconds ?? 0)
