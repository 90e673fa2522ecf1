import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { makeTemporaryFolder } from '../../tests/harness/temporary-folder.ts'
import { inBareTransaction, inTransaction, migrate, type OpenDatabase, openDatabase } from './database.ts'
import { openTestDatabase } from './testing.ts'

const LARGE = 9_007_199_254_740_991
const TAKEN = { sqlite: 'SQLITE_CONSTRAINT_PRIMARYKEY', postgres: '23505' } as const

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

test('whole numbers of 64 bits are numbers, and texts of digits stay texts', async () => {
  const { rows } = await sql<unknown>`select cast(${LARGE} as bigint) as large, count(*) as many,
    cast('12' as text) as digits, cast(null as bigint) as absent`.execute(opened.db)
  expect(rows).toEqual([{ large: LARGE, many: 1, digits: '12', absent: null }])
})

test('an error tells the code of the database, by which a transaction is tried again or not', async () => {
  const insert = () => opened.db.insertInto('topics').values({ topic: 'test', version: 1 }).execute()
  await insert()
  await expect(insert()).rejects.toMatchObject({ code: TAKEN[opened.engine] })
})

test('a process that stands still in the middle of a transaction keeps its rows from others for 15 s at most', async () => {
  if (opened.engine === 'sqlite') return
  const limit = sql<Record<string, string>>`show idle_in_transaction_session_timeout`
  const inside = await inTransaction(opened.db, tx => limit.execute(tx))
  const bare = await inBareTransaction(opened, session => session.executeQuery(limit.compile(opened.db)))
  const outside = await limit.execute(opened.db)
  expect([inside, bare, outside].map(({ rows }) => rows)).toEqual(
    ['15s', '15s', '0'].map(found => [{ idle_in_transaction_session_timeout: found }]),
  )
})

test('a file that is no database is named, and why it cannot be used', () => {
  const folder = makeTemporaryFolder()
  const url = join(folder.path, 'tollgate.db')
  writeFileSync(url, 'This is a letter to my aunt, of some length.'.repeat(100))
  expect(() => openDatabase({ url, durability: 'process' })).toThrow(
    `the database file ${url} cannot be used: file is not a database`,
  )
  folder.remove()
})

test('a schema that cannot be brought up to date says why', async () => {
  const unreachable = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', durability: 'process' })
  await expect(migrate(unreachable)).rejects.toThrow(/could not be brought up to date: .*connect/i)
  await unreachable.close()
})
