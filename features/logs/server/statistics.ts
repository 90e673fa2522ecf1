import { LOG_TYPE } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { dayOffsets } from '#server/core/time-zone.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Exclusions, LogFilter } from '#server/db/logs/log-filter.ts'
import { findNames, type NamedTable } from '#server/db/logs/log-names.ts'
import { HOUR_SECONDS } from '#server/db/usage/usage-hours.ts'
import { type CallTotals, sumUsage, toCallTotals } from '#server/db/usage/usage-reads.ts'
import type { ErrorSummary } from '../contract/log-errors.ts'
import type { Facets, Histogram, LogStat } from '../contract/logs.ts'
import { type LogSelection, touchedHours } from './filter.ts'
import { countByError, summarizeErrors } from './queries/log-errors.ts'
import { sumLogs } from './queries/log-reads.ts'
import {
  type BucketRow,
  countByValues,
  type FacetColumn,
  type FacetRow,
  findFirstUsageHour,
  sumByBucket,
} from './queries/usage-reads.ts'
import type { Viewer } from './view.ts'

const DAY_SECONDS = 24 * HOUR_SECONDS

/** Buckets are hours up to this range, days up to the next one, and weeks beyond. */
const HOURLY_SECONDS_MAX = 3 * DAY_SECONDS
const DAILY_SECONDS_MAX = 200 * DAY_SECONDS
const MODELS_SHOWN_MAX = 8
const OTHER_MODELS = ''
const UTC_OFFSET_MINUTES_MAX = 14 * 60
const UTC = [{ from: Number.NEGATIVE_INFINITY, seconds: 0 }]

interface HistogramOptions {
  readonly split: 'outcome' | 'model'
  readonly utc_offset_minutes: number
  readonly time_zone: string
  /** The zone of a query that names none. */
  readonly ownZone: string
}

/** Sums up requests over time. */
export async function getHistogram(
  db: Database,
  { filter, range }: LogSelection,
  query: HistogramOptions,
): Promise<Histogram> {
  const hours = touchedHours(range)
  const from = Math.max(hours.from, (await findFirstUsageHour(db)) ?? 0)
  const span = Math.min(hours.until, nowSeconds()) - from
  const bucketSeconds =
    span <= HOURLY_SECONDS_MAX ? HOUR_SECONDS : span <= DAILY_SECONDS_MAX ? DAY_SECONDS : 7 * DAY_SECONDS
  const utc_offset = Math.max(
    -UTC_OFFSET_MINUTES_MAX,
    Math.min(query.utc_offset_minutes, UTC_OFFSET_MINUTES_MAX),
  )
  const days = { utc_offset, time_zone: query.time_zone }
  const offsets =
    bucketSeconds === HOUR_SECONDS ? UTC : dayOffsets(days, { from, until: from + span }, query.ownZone)
  const rows = await sumByBucket(db, filter, {
    range,
    slot: { seconds: bucketSeconds, offsets },
    split: query.split,
  })
  return { bucket_seconds: bucketSeconds, points: query.split === 'model' ? mergeSmallModels(rows) : rows }
}

/** Keeps the models with the most requests and sums up the others under an empty name. */
function mergeSmallModels(rows: readonly BucketRow[]): BucketRow[] {
  const counts = new Map<string, number>()
  for (const { name, count } of rows) counts.set(name, (counts.get(name) ?? 0) + count)
  const shown = new Set(
    [...counts]
      .sort((a, b) => b[1] - a[1])
      .slice(0, MODELS_SHOWN_MAX)
      .map(([name]) => name),
  )
  const points = new Map<string, BucketRow>()
  for (const row of rows) {
    const name = shown.has(row.name) ? row.name : OTHER_MODELS
    const key = `${row.start} ${name}`
    points.set(key, addBuckets({ ...row, name }, points.get(key)))
  }
  return [...points.values()]
}

const addBuckets = (row: BucketRow, other: BucketRow | undefined): BucketRow =>
  other
    ? {
        ...row,
        count: row.count + other.count,
        quota: row.quota + other.quota,
        tokens: row.tokens + other.tokens,
      }
    : row

const RECENT_SECONDS = 60

/** Totals of the selected requests, and the rate of the successful ones among them in the last minute. */
export async function getStat(db: Database, { filter, range }: LogSelection): Promise<LogStat> {
  const now = nowSeconds()
  const lastMinute = { from: now - RECENT_SECONDS, until: now + 1 }
  const [recent, ...parts] = await Promise.all([
    selectsSuccesses(filter)
      ? sumLogs(db, { ...filter, types: [LOG_TYPE.consumption] }, lastMinute)
      : toCallTotals(),
    ...(filter.requestId === ''
      ? [sumUsage(db, filter, range.hours), ...range.edges.map(edge => sumLogs(db, filter, edge))]
      : [sumLogs(db, filter, range)]),
  ])
  return { ...parts.reduce(plus), rpm: recent.count, tpm: recent.tokens }
}

const selectsSuccesses = ({ types }: LogFilter): boolean =>
  types.length === 0 || types.includes(LOG_TYPE.consumption)

const plus = (a: CallTotals, b: CallTotals): CallTotals => ({
  quota: a.quota + b.quota,
  count: a.count + b.count,
  errors: a.errors + b.errors,
  tokens: a.tokens + b.tokens,
})

const VALUES_MAX = 50

/** For each filter, the values that match all other filters, with their number of requests. */
export async function listFacets(
  db: Database,
  { filter, range, visibleTokenIds }: LogSelection,
  viewer: Viewer,
): Promise<Facets> {
  const isAdmin = viewer === 'admin'
  const found = await countByValues(db, {
    facets: UNFILTERED_COLUMNS.filter(([column]) => isAdmin || !ADMIN_COLUMNS.has(column)).map(
      ([column, filterReset, exclusionReset]) => ({
        column,
        filter: {
          ...filter,
          ...filterReset,
          ...(column === 'token_id' && { tokenIds: visibleTokenIds }),
          exclude: { ...filter.exclude, ...exclusionReset },
        },
      }),
    ),
    range,
    limit: VALUES_MAX,
  })
  const errors = await countByError(db, { ...filter, errors: [] }, { range, limit: VALUES_MAX })
  const rowsOf = (column: FacetColumn) => found.get(column) ?? []
  const [tokens, channels, users] = await Promise.all([
    toNamedFacetValues(db, 'tokens', rowsOf('token_id')),
    toNamedFacetValues(db, 'channels', rowsOf('channel_id')),
    toNamedFacetValues(db, 'users', rowsOf('user_id')),
  ])
  return {
    models: toFacetValues(rowsOf('model_name')),
    groups: toFacetValues(rowsOf('group')),
    types: toFacetValues(rowsOf('type')),
    errors: toFacetValues(errors),
    tokens,
    channels,
    users,
  }
}

type UnfilteredColumn = readonly [FacetColumn, Partial<LogFilter>, Partial<Exclusions>]

/** Each column with the filters and exclusions of its own, which must not narrow its list of values. */
const UNFILTERED_COLUMNS: readonly UnfilteredColumn[] = [
  ['model_name', { models: [] }, { models: [] }],
  ['group', { group: '' }, { groups: [] }],
  ['type', { types: [] }, { types: [] }],
  ['token_id', { tokenIds: undefined }, { tokenIds: [], playgroundGroups: [] }],
  ['channel_id', { channelId: 0 }, { channelIds: [] }],
  ['user_id', { userIds: undefined }, { userIds: [] }],
]

const ADMIN_COLUMNS: ReadonlySet<FacetColumn> = new Set(['channel_id', 'user_id'])

const toFacetValues = (rows: readonly FacetRow[]) =>
  rows.filter(({ value }) => value !== '').map(({ value, count }) => ({ value, count }))

/** Omits rows without a name (no token, a deleted channel), because they cannot be selected by name. */
async function toNamedFacetValues(db: Database, table: NamedTable, rows: readonly FacetRow[]) {
  const names = await findNames(
    db,
    table,
    rows.map(({ value }) => Number(value)),
  )
  return rows.flatMap(({ value, count }) => {
    const name = names.get(Number(value))
    return name === undefined ? [] : [{ id: Number(value), value: name, count }]
  })
}

/** The failed requests of the selection by status and code, most frequent first. */
export async function listErrors(
  db: Database,
  { filter, range }: LogSelection,
  viewer: Viewer,
): Promise<ErrorSummary[]> {
  const isAdmin = viewer === 'admin'
  const rows = await summarizeErrors(db, filter, { range, limit: VALUES_MAX })
  const ids = isAdmin ? [...new Set(rows.flatMap(row => row.channels.map(({ value }) => Number(value))))] : []
  const names = await findNames(db, 'channels', ids)
  const toChannels = (channels: readonly FacetRow[]) =>
    channels.map(({ value, count }) => ({ id: Number(value), value: names.get(Number(value)) ?? '', count }))
  return rows.map(({ error, count, lastAt, users, channels, models }) => ({
    error,
    ...splitError(error),
    count,
    last_at: lastAt,
    users: isAdmin ? users : 0,
    channels: isAdmin ? toChannels(channels.filter(({ value }) => value !== '0')) : [],
    models: toFacetValues(models),
  }))
}

function splitError(error: string): Pick<ErrorSummary, 'status' | 'code'> {
  const [status = '', ...code] = error.split(' ')
  return { status: Number(status), code: code.join(' ') }
}
