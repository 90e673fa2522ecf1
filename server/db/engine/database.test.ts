import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { openTestDatabase } from '../testing.ts'
import {
  inRawTransaction,
  inTransaction,
  lockDatabaseFile,
  migrate,
  type OpenDatabase,
  openDatabase,
} from './database.ts'

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
  const bare = await inRawTransaction(opened, session => session.executeQuery(limit.compile(opened.db)))
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

const folder = mkdtempSync(join(tmpdir(), 'tollgate-claim-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a second server on the same file is turned away until the first lets go', () => {
  const path = join(folder, 'made', 'tollgate.db')
  const letGo = lockDatabaseFile(path)
  expect(() => lockDatabaseFile(path)).toThrow(`another Tollgate already serves from ${path}`)
  letGo()
  lockDatabaseFile(path)()
})

test('a place that can hold no database is named, and why', () => {
  const path = join(folder, 'a-file', 'tollgate.db')
  writeFileSync(join(folder, 'a-file'), '')
  expect(() => lockDatabaseFile(path)).toThrow(`the database file ${path} cannot be used: `)
})
