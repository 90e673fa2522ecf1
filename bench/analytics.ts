import { parseArgs } from 'node:util'
import { ANALYTICS_DIMENSIONS, type AnalyticsDimension, type AnalyticsMeasure } from '#contract/enums.ts'
import { nameFindersOf } from '#features/analytics/server/queries/names.ts'
import { buildReport } from '#features/analytics/server/report.ts'
import { selectPeriod } from '#features/analytics/server/selection.ts'
import { findOldestLogTime } from '#features/logs/server/queries/log-reads.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type Database, migrate, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { fillAnalytics } from '#server/testing/fill-analytics.ts'
import { fillLogs } from '#server/testing/fill-logs.ts'
import { migrations } from '#server/testing/migrations.ts'
import { openPostgres } from '../tests/harness/open-postgres.ts'
import { median } from './percentiles.ts'

const SQLITE_FILE = 'test-results/analytics.db'
const ROUNDS = 5
const REPORT_MS_MAX = 300
const GROUPS = 50
const DAY_SECONDS = 24 * 3600
const MONTH_DAYS = 30

/**
 * Times reports by every two dimensions over 30 days, with the largest values by day, on a database with many rows, on SQLite and on a PostgreSQL from npm.
 * `--url` sets a single file or server instead. Exits with 1 when a report exceeds its limit on SQLite.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { rows: { type: 'string', default: '10000000' }, url: { type: 'string' } },
  })
  const rows = Number(values.rows)
  if (values.url !== undefined) return (await benchmark(values.url, rows)) ? 0 : 1
  const isFast = await benchmark(SQLITE_FILE, rows)
  const server = await openPostgres()
  try {
    await benchmark(server.url, rows)
  } finally {
    await server.stop()
  }
  return isFast ? 0 : 1
}

async function benchmark(url: string, rows: number): Promise<boolean> {
  const database = openDatabase({ url, durability: 'process' }, migrations)
  try {
    print(database.engine)
    await fill(database, rows)
    return await measure(database.db)
  } finally {
    await database.close()
  }
}

async function fill(database: OpenDatabase, rows: number): Promise<void> {
  await migrate(database)
  if ((await findOldestLogTime(database.db)) !== undefined) return
  await timed(`${rows} rows`, () => fillLogs(database, rows))
  await timed('their totals', () => fillAnalytics(database))
}

const PERIOD = { bucket: 'day', utc_offset: 480, time_zone: '' } as const

async function measure(db: Database): Promise<boolean> {
  const now = nowSeconds()
  const period = { ...PERIOD, start_timestamp: now - MONTH_DAYS * DAY_SECONDS, end_timestamp: now }
  const timeReport = (
    by: AnalyticsDimension,
    second: AnalyticsDimension | '',
    measured: AnalyticsMeasure,
  ) => {
    const query = { by, second, measure: measured, compare: false, limit: GROUPS }
    return timeQuery(() =>
      buildReport(
        db,
        selectPeriod(
          { ...period, by, second },
          {},
          { now, ownZone: '', hoursFrom: now - MONTH_DAYS * DAY_SECONDS, tags: undefined },
        ),
        query,
        nameFindersOf(),
      ),
    )
  }
  let isFast = true
  for (const [index, by] of ANALYTICS_DIMENSIONS.entries())
    for (const second of ['', ...ANALYTICS_DIMENSIONS.slice(index + 1)] as const) {
      const ms = await timeReport(by, second, 'requests')
      const percentileMs = await timeReport(by, second, 'duration_p95')
      isFast &&= ms <= REPORT_MS_MAX
      print(`${`${by} × ${second}`.padEnd(20)} ${inMs(ms)}  with percentiles ${inMs(percentileMs)}`)
    }
  return isFast
}

const inMs = (ms: number): string => `${ms.toFixed(0).padStart(6)} ms`

async function timeQuery(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now()
    await work()
    times.push(performance.now() - startedMs)
  }
  return median(times)
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now()
  await work()
  print(`${name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())
