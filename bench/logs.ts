import { parseArgs } from 'node:util'
import { USAGE_ROWS_MAX } from '#features/dashboard/contract.ts'
import { listModelHours } from '#features/dashboard/server/queries.ts'
import type { LogFilters } from '#features/logs/contract/log-filters.ts'
import { selectAllLogs, selectOwnLogs } from '#features/logs/server/filter.ts'
import { listLogPage } from '#features/logs/server/list.ts'
import { findOldestLogTime } from '#features/logs/server/queries/log-reads.ts'
import { getHistogram, getStat, listErrors, listFacets } from '#features/logs/server/statistics.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type Database, migrate, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { fillLogs } from '#server/testing/fill-logs.ts'
import { migrations } from '#server/testing/migrations.ts'
import { openPostgres } from '../tests/harness/open-postgres.ts'
import { median } from './percentiles.ts'
import { rollUpLog } from './roll-up-log.ts'

const SQLITE_FILE = 'test-results/logs.db'
const ROUNDS = 5
const PAGE = 20
const FIRST_PAGE_MS_MAX = 200
const FACETS_MS_MAX = 300
const DAY_SECONDS = 24 * 3600
const MONTH_DAYS = 30

interface Figure {
  readonly name: string
  readonly ms: number
  readonly msMax?: number
}

/**
 * Times the queries of the log screen on a database with many rows, on SQLite and on a PostgreSQL from npm
 * (`TEST_DATABASE_URL` sets another server). `--url` sets a single file or server instead, which is filled first if it is
 * empty. Exits with 1 when a query exceeds its limit.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { rows: { type: 'string', default: '10000000' }, url: { type: 'string' } },
  })
  const rows = Number(values.rows)
  const figures =
    values.url !== undefined
      ? await benchmarkDatabase(values.url, rows)
      : [...(await benchmarkDatabase(SQLITE_FILE, rows)), ...(await benchmarkPostgres(rows))]
  return figures.every(({ ms, msMax }) => msMax === undefined || ms <= msMax) ? 0 : 1
}

async function benchmarkPostgres(rows: number): Promise<readonly Figure[]> {
  const server = await openPostgres()
  try {
    return await benchmarkDatabase(server.url, rows)
  } finally {
    await server.stop()
  }
}

async function benchmarkDatabase(url: string, rows: number): Promise<readonly Figure[]> {
  const database = openDatabase({ url, durability: 'process' }, migrations)
  try {
    print(database.engine)
    await fill(database, rows)
    const figures = await measure(database)
    for (const { name, ms, msMax } of figures)
      print(`${name.padEnd(44)} ${ms.toFixed(0).padStart(6)} ms${msMax ? `  (at most ${msMax})` : ''}`)
    return figures
  } finally {
    await database.close()
  }
}

async function fill(database: OpenDatabase, rows: number): Promise<void> {
  await migrate(database)
  if ((await findOldestLogTime(database.db)) === undefined)
    await timed(`${rows} rows`, () => fillLogs(database, rows))
  await timed('rolling up hours and days', () => rollUpLog(database.db))
}

async function measure({ db }: OpenDatabase): Promise<readonly Figure[]> {
  const now = nowSeconds()
  const all = {
    type: 0,
    start_timestamp: now - MONTH_DAYS * DAY_SECONDS,
    end_timestamp: now + 3600,
    token_name: '',
    model_name: '',
    group: '',
    request_id: '',
    tag: '',
    error: '',
    username: '',
    channel: 0,
    not_type: '',
    not_model_name: '',
    not_token_name: '',
    not_group: '',
    not_username: '',
    not_channel: '',
  }
  return [
    ...(await measurePages(db, all)),
    ...(await measureFacets(db, all)),
    ...(await measureCharts(db, all)),
  ]
}

async function measurePages(db: Database, all: LogFilters): Promise<readonly Figure[]> {
  const first = { offset: 0, limit: PAGE }
  const page =
    (query: Partial<LogFilters>, slice = first) =>
    async () =>
      listLogPage(db, await selectAllLogs(db, { ...all, ...query }), slice)
  return [
    await timeQuery('first page of the last 30 days', page({}), FIRST_PAGE_MS_MAX),
    await timeQuery('first page of all time', page({ start_timestamp: 0 }), FIRST_PAGE_MS_MAX),
    await timeQuery('first page of one model', page({ model_name: 'model-3' }), FIRST_PAGE_MS_MAX),
    await timeQuery('first page of failed requests', page({ type: 5 }), FIRST_PAGE_MS_MAX),
    await timeQuery('first page of one error', page({ error: '429 rate_limit_exceeded' }), FIRST_PAGE_MS_MAX),
    await timeQuery(
      'first page of one user, as administrator',
      page({ username: 'user-7' }),
      FIRST_PAGE_MS_MAX,
    ),
    await timeQuery(
      'first page of one’s own rows',
      async () => listLogPage(db, await selectOwnLogs(db, all, { id: 7 }), first),
      FIRST_PAGE_MS_MAX,
    ),
    await timeQuery('page 5,000', page({ start_timestamp: 0 }, { offset: 4999 * PAGE, limit: PAGE })),
  ]
}

async function measureFacets(db: Database, all: LogFilters): Promise<readonly Figure[]> {
  return [
    await timeQuery('totals of the last 30 days', async () => getStat(db, await selectAllLogs(db, all))),
    await timeQuery(
      'filter values of the last 30 days',
      async () => listFacets(db, await selectAllLogs(db, all), 'admin'),
      FACETS_MS_MAX,
    ),
    await timeQuery(
      'filter values of one’s own rows',
      async () => listFacets(db, await selectOwnLogs(db, all, { id: 7 }), 'self'),
      FACETS_MS_MAX,
    ),
    await timeQuery(
      'filter values of one error',
      async () => listFacets(db, await selectAllLogs(db, { ...all, error: '429%' }), 'admin'),
      FACETS_MS_MAX,
    ),
    await timeQuery(
      'errors of the last 30 days',
      async () => listErrors(db, await selectAllLogs(db, all), 'admin'),
      FACETS_MS_MAX,
    ),
    await timeQuery(
      'errors of one’s own rows',
      async () => listErrors(db, await selectOwnLogs(db, all, { id: 7 }), 'self'),
      FACETS_MS_MAX,
    ),
  ]
}

async function measureCharts(db: Database, all: LogFilters): Promise<readonly Figure[]> {
  const chart = (query: Partial<LogFilters>) => async () =>
    getHistogram(db, await selectAllLogs(db, { ...all, ...query }), {
      split: 'model',
      utc_offset_minutes: 480,
      time_zone: '',
      ownZone: '',
    })
  const { start_timestamp: from, end_timestamp: to } = all
  return [
    await timeQuery('histogram by model, 30 days', chart({})),
    await timeQuery('the same without one user', chart({ not_username: 'user-7' })),
    await timeQuery('the same for one token', chart({ token_name: 'token-7' })),
    await timeQuery('usage by model and hour, 30 days', () =>
      listModelHours(db, { userId: undefined, from, to, limit: USAGE_ROWS_MAX }),
    ),
  ]
}

async function timeQuery(name: string, work: () => Promise<unknown>, msMax?: number): Promise<Figure> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now()
    await work()
    times.push(performance.now() - startedMs)
  }
  return { name, ms: median(times), ...(msMax !== undefined && { msMax }) }
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now()
  await work()
  print(`${name}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())
