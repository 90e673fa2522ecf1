import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Kysely, Migrator, sql } from 'kysely'
import { deleteSomeLogs } from '#features/logs/server/queries/delete-logs.ts'
import { findLog, listLogs } from '#features/logs/server/queries/log-reads.ts'
import { setClock } from '../../core/clock.ts'
import { migrations } from '../../testing/migrations.ts'
import { migrate, type OpenDatabase } from '../engine/database.ts'
import { buildLogRow, openEmptyTestDatabase } from '../testing.ts'
import { ALL_LOGS } from './log-filter.ts'
import { createLogMonths, listLogMonths } from './log-months.ts'
import { insertRequestLogs } from './log-writes.ts'

const at = (date: string): number => Date.parse(`${date}Z`) / 1000
const NOW = at('2026-11-22T12:00:00')

const ALL_TIME = { from: 0, until: Number.MAX_SAFE_INTEGER }

let opened: OpenDatabase
let restoreClock: () => void
beforeEach(async () => {
  opened = await openEmptyTestDatabase()
  restoreClock = setClock({ nowMs: () => NOW * 1000, elapsedMs: () => 0 })
})
afterEach(async () => {
  restoreClock()
  await opened.close()
})

const isPartitioned = () => opened.engine === 'postgres'
const months = async () => (isPartitioned() ? listLogMonths(opened.db) : [])

const rowsOf = (dates: readonly string[]) =>
  dates.map((date, index) =>
    buildLogRow({ request_id: `request-${date}-${index}`, created_at: at(date), content: date }),
  )

async function write(...dates: readonly string[]): Promise<void> {
  const rows = rowsOf(dates)
  await insertRequestLogs(
    opened.db,
    opened.engine,
    rows.map(row => ({ row, receipt: '{}' })),
  )
}

/** Writes rows with the columns of the first migrations. */
async function writeFormerRows(...dates: readonly string[]): Promise<void> {
  for (const { error: _, ...row } of rowsOf(dates)) {
    await opened.db.insertInto('logs').values(row).execute()
    await sql`insert into receipts (log_id, body) select max(id), '{}' from logs`.execute(opened.db)
  }
}

const read = async () =>
  (await listLogs(opened.db, ALL_LOGS, { range: ALL_TIME, offset: 0, limit: 100 })).map(row => row.content)

const receipts = async () => (await opened.db.selectFrom('receipts').select('log_id').execute()).length

const deleteAll = async (before: string, limit = 100): Promise<readonly number[]> => {
  const counts: number[] = []
  for (let count = -1; count !== 0; counts.push(count))
    count = await deleteSomeLogs(opened, at(before), limit)
  return counts.slice(0, -1)
}

test('keeps rows from before the migration to months and continues their ids', async () => {
  await migrateUntil('0006-usage-days')
  await writeFormerRows('2025-01-05T00:00:00', '2026-11-02T00:00:00')
  const former = await opened.db
    .selectFrom('logs')
    .select(['id', 'content'])
    .orderBy('id', 'desc')
    .executeTakeFirst()
  await migrate(opened)
  if (isPartitioned()) await createLogMonths(opened.db, { from: NOW, until: at('2027-01-02T00:00:00') })
  await write('2026-12-03T00:00:00')
  expect(await read()).toEqual(['2026-12-03T00:00:00', '2026-11-02T00:00:00', '2025-01-05T00:00:00'])
  const [newest] = await listLogs(opened.db, ALL_LOGS, { range: ALL_TIME, offset: 0, limit: 1 })
  expect(newest?.id).toBeGreaterThan(former?.id ?? Number.NaN)
  expect(await findLog(opened.db, former?.id ?? 0)).toMatchObject({ content: former?.content, receipt: '{}' })
  expect(await deleteAll('2026-12-01T00:00:00')).toEqual([2])
  expect(await read()).toEqual(['2026-12-03T00:00:00'])
})

test('moves existing rows into the partition of a new month, once', async () => {
  await migrate(opened)
  await write('2026-11-30T23:59:59', '2026-12-01T00:00:00', '2026-12-31T23:59:59', '2027-06-01T00:00:00')
  const range = { from: NOW, until: at('2027-01-01T00:00:00') }
  if (isPartitioned())
    await Promise.all([createLogMonths(opened.db, range), createLogMonths(opened.db, range)])
  if (isPartitioned()) await createLogMonths(opened.db, range)
  expect(await months()).toEqual(
    isPartitioned() ? [at('2026-11-01T00:00:00'), at('2026-12-01T00:00:00')] : [],
  )
  expect(await read()).toHaveLength(4)
  const inMonth = isPartitioned()
    ? (await sql<{ n: number }>`select count(*) as n from logs_2026_12`.execute(opened.db)).rows[0]?.n
    : 2
  expect(Number(inMonth)).toBe(2)
})

test('deletes old rows by month where tables are partitioned, else in batches, and keeps newer rows', async () => {
  await migrate(opened)
  const range = { from: at('2026-08-01T00:00:00'), until: NOW }
  if (isPartitioned()) await createLogMonths(opened.db, range)
  const old = ['2026-08-01T00:00:00', '2026-08-31T23:59:59', '2026-09-05T00:00:00', '2026-11-01T00:00:00']
  await write(...old, '2026-11-22T00:00:00')
  const counts = await deleteAll('2026-11-20T00:00:00', 3)
  expect(counts).toEqual(isPartitioned() ? [2, 1, 1] : [3, 1])
  expect(await read()).toEqual(['2026-11-22T00:00:00'])
  expect(await months()).toEqual(isPartitioned() ? [at('2026-11-01T00:00:00')] : [])
  if (!isPartitioned()) expect(await receipts()).toBe(1)
})

test('keeps a receipt that was dated before its row across the end of a month', async () => {
  await migrate(opened)
  if (isPartitioned()) await createLogMonths(opened.db, { from: at('2026-10-01T00:00:00'), until: NOW })
  await write('2026-10-05T00:00:00', '2026-11-01T00:00:01')
  if (isPartitioned())
    await sql`update receipts set written_at = ${at('2026-10-31T23:59:59')}`.execute(opened.db)
  await deleteAll('2026-11-01T00:00:00')
  const [row, ...others] = await listLogs(opened.db, ALL_LOGS, { range: ALL_TIME, offset: 0, limit: 9 })
  expect(row).toMatchObject({ content: '2026-11-01T00:00:01', receipt: '{}' })
  expect(others).toEqual([])
})

test('deletes row by row instead of waiting for a month that is being read', async () => {
  await migrate(opened)
  if (isPartitioned()) await createLogMonths(opened.db, { from: at('2026-09-01T00:00:00'), until: NOW })
  await write('2026-09-05T00:00:00', '2026-09-06T00:00:00')
  if (!isPartitioned()) return expect(await deleteAll('2026-10-01T00:00:00')).toEqual([2])
  await opened.db.transaction().execute(async reader => {
    await sql`select 1 from logs`.execute(reader)
    expect(await deleteSomeLogs(opened, at('2026-10-01T00:00:00'), 1)).toBe(1)
  })
  expect(await deleteAll('2026-10-01T00:00:00')).toEqual([1])
  expect(await read()).toEqual([])
})

/** Migrates to the schema of an older version. */
async function migrateUntil(last: string): Promise<void> {
  const steps = migrations
    .filter(({ name }) => name <= last)
    .map(({ name, up }) => [name, { up: (db: Kysely<unknown>) => up(db, opened.engine) }] as const)
  const migrator = new Migrator({
    db: opened.db,
    provider: { getMigrations: async () => Object.fromEntries(steps) },
  })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}
