import type { Histogram } from '#contract/logs/logs.ts'
import { nowSeconds } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { type BucketRow, findFirstUsageHour, sumByBucket } from '../../db/usage-reads.ts'
import type { Wanted } from './filter-of.ts'
import { HOUR_SECONDS, touchedHours } from './range.ts'

const DAY_SECONDS = 24 * HOUR_SECONDS
/** Up to this span a bucket is an hour, up to the next a day, beyond it a week. */
const HOURLY_SECONDS_MAX = 3 * DAY_SECONDS
const DAILY_SECONDS_MAX = 200 * DAY_SECONDS
const MODELS_SHOWN_MAX = 8
const OTHER_MODELS = ''
const UTC_OFFSET_MINUTES_MAX = 14 * 60

interface HistogramQuery {
  readonly split: 'outcome' | 'model'
  readonly utc_offset_minutes: number
}

/** Model calls over time. */
export async function histogramOf(
  db: Database,
  { filter, range }: Wanted,
  query: HistogramQuery,
): Promise<Histogram> {
  const asked = touchedHours(range)
  const from = Math.max(asked.from, (await findFirstUsageHour(db)) ?? 0)
  const span = Math.min(asked.until, nowSeconds()) - from
  const bucketSeconds =
    span <= HOURLY_SECONDS_MAX ? HOUR_SECONDS : span <= DAILY_SECONDS_MAX ? DAY_SECONDS : 7 * DAY_SECONDS
  const minutes = Math.max(
    -UTC_OFFSET_MINUTES_MAX,
    Math.min(query.utc_offset_minutes, UTC_OFFSET_MINUTES_MAX),
  )
  const rows = await sumByBucket(db, filter, {
    from,
    until: asked.until,
    bucketSeconds,
    utcOffsetSeconds: minutes * 60,
    split: query.split,
  })
  return { bucket_seconds: bucketSeconds, points: query.split === 'model' ? withFewModels(rows) : rows }
}

/** Keeps the models with the most requests and sums the others under an empty name. */
function withFewModels(rows: readonly BucketRow[]): BucketRow[] {
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
    points.set(key, summed({ ...row, name }, points.get(key)))
  }
  return [...points.values()]
}

const summed = (row: BucketRow, other: BucketRow | undefined): BucketRow =>
  other
    ? {
        ...row,
        count: row.count + other.count,
        quota: row.quota + other.quota,
        tokens: row.tokens + other.tokens,
      }
    : row
