import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { nowMs } from '../../core/clock.ts'
import { migrations } from '../../testing/migrations.ts'
import { openEmptyTestDatabase, openTestDatabase } from '../testing.ts'
import { openDatabase } from './database.ts'
import { inspectDatabase } from './inspect.ts'

const CLOCK_TOLERANCE_MS = 60_000

test('a migrated database has nothing pending and accepts writes', async () => {
  const database = await openTestDatabase()
  const inspection = await inspectDatabase(database)
  await database.close()
  expect(inspection).toMatchObject({ pending: [], isEmpty: false, unknown: [], isWritable: true })
  expect(inspection.version).toMatch(/^(SQLite|PostgreSQL) \d+\.\d+/)
  if (database.engine === 'postgres')
    expect(Math.abs((inspection.serverMs ?? 0) - nowMs())).toBeLessThan(CLOCK_TOLERANCE_MS)
})

test('an empty database has every migration pending and stays empty', async () => {
  const database = await openEmptyTestDatabase()
  const first = await inspectDatabase(database)
  const second = await inspectDatabase(database)
  await database.close()
  expect(first).toMatchObject({ isEmpty: true, unknown: [], isWritable: true })
  expect(first.pending.length).toBeGreaterThan(1)
  expect(second.pending).toEqual(first.pending)
})

test('lists pending migrations and migrations of a newer version', async () => {
  const database = await openTestDatabase()
  const { db } = database
  await sql`update kysely_migration set name = '9999-newer' where name = '0018-charge-hours'`.execute(db)
  const inspection = await inspectDatabase(database)
  await database.close()
  expect(inspection.unknown).toEqual(['9999-newer'])
  expect(inspection.pending).toHaveLength(1)
})

test('a database that only reads is reported as such', async () => {
  const { db, location, engine, close } = await openTestDatabase()
  if (engine === 'postgres') {
    const name = sql.id(new URL(location.url).pathname.slice(1))
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(db)
    const database = openDatabase({ ...location, connections: 1 }, migrations)
    expect(await inspectDatabase(database)).toMatchObject({ isWritable: false })
    await database.close()
  }
  await close()
})
