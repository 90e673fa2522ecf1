import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrations } from '#server/testing/migrations.ts'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { openTestDatabase } from '../testing.ts'
import {
  inRawTransaction,
  inTransaction,
  lockDatabaseFile,
  migrate,
  type OpenDatabase,
  openDatabase,
  unlessUnchanged,
} from './database.ts'

const MIB = 1024 * 1024
const LARGE = 9_007_199_254_740_991
const DUPLICATE_KEY_CODES = { sqlite: 'SQLITE_CONSTRAINT_PRIMARYKEY', postgres: '23505' } as const

let opened: OpenDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

test('returns 64-bit integers as numbers and texts of digits as texts', async () => {
  const { rows } = await sql<unknown>`select cast(${LARGE} as bigint) as large, count(*) as many,
    cast('12' as text) as digits, cast(null as bigint) as absent`.execute(opened.db)
  expect(rows).toEqual([{ large: LARGE, many: 1, digits: '12', absent: null }])
})

test('exposes the error code of the database, which decides about retries', async () => {
  const insert = () => opened.db.insertInto('topics').values({ topic: 'test', version: 1 }).execute()
  await insert()
  await expect(insert()).rejects.toMatchObject({ code: DUPLICATE_KEY_CODES[opened.engine] })
})

test('limits the idle time within a transaction to 15 s', async () => {
  if (opened.engine === 'sqlite') return
  const limit = sql<Record<string, string>>`show idle_in_transaction_session_timeout`
  const inside = await inTransaction(opened.db, tx => limit.execute(tx))
  const raw = await inRawTransaction(opened, connection => connection.executeQuery(limit.compile(opened.db)))
  const afterwards = await limit.execute(opened.db)
  expect([inside, raw, afterwards].map(({ rows }) => rows)).toEqual(
    ['15s', '15s', '0'].map(found => [{ idle_in_transaction_session_timeout: found }]),
  )
})

describe('work that depends on the database alone', () => {
  let folder: ReturnType<typeof makeTemporaryFolder>
  let own: OpenDatabase
  let other: OpenDatabase
  let runs: number
  let work: () => Promise<void>
  beforeEach(async () => {
    folder = makeTemporaryFolder()
    const location = { url: join(folder.path, 'tollgate.db'), durability: 'process' } as const
    own = openDatabase(location, migrations)
    other = openDatabase(location, migrations)
    await migrate(own)
    runs = 0
    work = unlessUnchanged(own, async () => {
      runs += 1
    })
    await work()
  })
  afterEach(async () => {
    await own.close()
    await other.close()
    folder.remove()
  })
  const change = ({ db }: OpenDatabase, topic: string) =>
    db.insertInto('topics').values({ topic, version: 1 }).execute()

  test('is skipped while nothing has changed on SQLite', async () => {
    await work()
    expect(runs).toBe(1)
  })

  test('runs again after a change of this process and of another one', async () => {
    await change(own, 'own')
    await work()
    expect(runs).toBe(2)
    await change(other, 'other')
    await work()
    expect(runs).toBe(3)
    await sql`create table moved (id integer)`.execute(other.db)
    await work()
    await work()
    expect(runs).toBe(4)
  })

  test('runs again after a change during it', async () => {
    const changing = unlessUnchanged(own, async () => {
      runs += 1
      if (runs === 2) await change(other, 'meanwhile')
    })
    for (let call = 0; call < 3; call += 1) await changing()
    expect(runs).toBe(3)
  })

  test('runs again after it has failed', async () => {
    const failing = unlessUnchanged(own, async () => {
      runs += 1
      if (runs === 2) throw new Error('no')
    })
    await expect(failing()).rejects.toThrow('no')
    await failing()
    await failing()
    expect(runs).toBe(3)
  })

  test('leaves nothing open that keeps the journal', async () => {
    await change(other, 'other')
    await other.close()
    await own.close()
    expect(readdirSync(folder.path)).not.toContain('tollgate.db-wal')
  })
})

test('returns the space of a journal that grew beyond 64 MiB once it starts over', async () => {
  const folder = makeTemporaryFolder()
  const url = join(folder.path, 'tollgate.db')
  const file = openDatabase({ url, durability: 'process' })
  const journalMib = () => statSync(`${url}-wal`).size / MIB
  try {
    await sql`create table texts (body blob)`.execute(file.db)
    await sql`insert into texts values (zeroblob(${80 * MIB}))`.execute(file.db)
    expect(journalMib()).toBeGreaterThan(80)
    await sql`pragma wal_checkpoint`.execute(file.db)
    await sql`insert into texts values ('')`.execute(file.db)
    expect(journalMib()).toBeLessThanOrEqual(64)
  } finally {
    await file.close()
    folder.remove()
  }
})

test('names a file that is not a database, with the reason', () => {
  const folder = makeTemporaryFolder()
  const url = join(folder.path, 'tollgate.db')
  writeFileSync(url, 'This file is not a database.'.repeat(100))
  expect(() => openDatabase({ url, durability: 'process' }, migrations)).toThrow(
    `the database file ${url} cannot be used: file is not a database`,
  )
  folder.remove()
})

test('reports why the migrations cannot be applied', async () => {
  const unreachable = openDatabase(
    { url: 'postgres://nobody@127.0.0.1:1/none', durability: 'process' },
    migrations,
  )
  await expect(migrate(unreachable)).rejects.toThrow(/could not be brought up to date: .*connect/i)
  await unreachable.close()
})

const folder = mkdtempSync(join(tmpdir(), 'tollgate-claim-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('rejects a second server on the same file until the first releases the lock', () => {
  const path = join(folder, 'made', 'tollgate.db')
  const release = lockDatabaseFile(path)
  expect(() => lockDatabaseFile(path)).toThrow(`another Tollgate already serves from ${path}`)
  release()
  lockDatabaseFile(path)()
})

test('names a path that cannot hold a database, with the reason', () => {
  const path = join(folder, 'a-file', 'tollgate.db')
  writeFileSync(join(folder, 'a-file'), '')
  expect(() => lockDatabaseFile(path)).toThrow(`the database file ${path} cannot be used: `)
})

test('opens database and journals to their owner only, also files of an earlier start', async () => {
  const folder = makeTemporaryFolder()
  const data = join(folder.path, 'data')
  const paths = () => [data, ...readdirSync(data).map(name => join(data, name))]
  const modes = () => paths().map(path => (statSync(path).mode & 0o777).toString(8))
  const open = async () => {
    const unlock = lockDatabaseFile(join(data, 'tollgate.db'))
    const { db, close } = openDatabase({ url: join(data, 'tollgate.db'), durability: 'process' }, migrations)
    await sql`create table if not exists opened (id integer)`.execute(db)
    return async () => {
      await close()
      unlock()
    }
  }
  const firstClose = await open()
  expect(paths()).toContain(join(data, 'tollgate.db-wal'))
  expect(new Set(modes())).toEqual(new Set(['700', '600']))
  await firstClose()
  for (const path of paths()) chmodSync(path, 0o755)
  const secondClose = await open()
  expect(new Set(modes())).toEqual(new Set(['700', '600']))
  await secondClose()
  folder.remove()
})
