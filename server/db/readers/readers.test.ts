import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { elapsedMs } from '../../core/clock.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { openTestDatabaseFile } from '../testing.ts'
import { openReaders, type Readers } from './readers.ts'

const QUERY_MS_MAX = 300
const CALLER = { key: '1' }

let folder: ReturnType<typeof makeTemporaryFolder>
let database: OpenDatabase
let readers: Readers
beforeEach(async () => {
  folder = makeTemporaryFolder()
  database = await openTestDatabaseFile(folder.path)
  readers = openReaders(database, QUERY_MS_MAX)
})
afterEach(async () => {
  await readers.close()
  await database.close()
  folder.remove()
})

const endless = () =>
  database.engine === 'postgres'
    ? sql`select pg_sleep(60)`
    : sql`with recursive numbers(n) as (select 0 union all select n + 1 from numbers) select count(*) from numbers`

const addOption = (key: string) => database.db.insertInto('options').values({ key, value: 'x' }).execute()
const readOptions = async () =>
  (await readers.forCaller(CALLER).selectFrom('options').select('key').orderBy('key').execute()).map(
    ({ key }) => key,
  )

test('reads everything committed before the query', async () => {
  expect(await readOptions()).toEqual([])
  await addOption('a')
  await addOption('b')
  expect(await readOptions()).toEqual(['a', 'b'])
})

test('returns large numbers, nulls and texts of any characters unchanged', async () => {
  const { rows } =
    await sql<object>`select cast(9007199254740991 as bigint) as large, null as absent, ${'“中”\n'} as text`.execute(
      readers.forCaller(CALLER),
    )
  expect(rows.map(row => ({ ...row }))).toEqual([{ large: 9007199254740991, absent: null, text: '“中”\n' }])
})

test('rejects statements that write', async () => {
  const writing = readers.forCaller(CALLER).insertInto('options').values({ key: 'a', value: 'x' }).execute()
  await expect(writing).rejects.toThrow(/read.?only/)
  expect(await readOptions()).toEqual([])
})

test('stops a query at its time limit and continues with the next', async () => {
  const startedMs = elapsedMs()
  const slow = endless().execute(readers.forCaller(CALLER))
  await expect(slow).rejects.toMatchObject({ code: 'query.too_slow', status: 504 })
  expect(elapsedMs() - startedMs).toBeLessThan(10 * QUERY_MS_MAX)
  expect(await readOptions()).toEqual([])
})

test('lets other callers and writers continue while a query runs', async () => {
  await readOptions()
  const slow = endless().execute(readers.forCaller({ key: '2' }))
  slow.catch(() => undefined)
  await addOption('a')
  expect(await readOptions()).toEqual(['a'])
  expect(readers.stats()).toEqual({ running: 1, waiting: 0 })
  await expect(slow).rejects.toMatchObject({ code: 'query.too_slow' })
})

test('reports an error of the statement and continues', async () => {
  await expect(sql`select * from nowhere`.execute(readers.forCaller(CALLER))).rejects.toThrow('nowhere')
  expect(await readOptions()).toEqual([])
})

test('ends queries in progress when it closes, and rejects further ones', async () => {
  const slow = endless().execute(readers.forCaller(CALLER))
  slow.catch(() => undefined)
  await waitUntil({ description: 'a running query', timeoutMs: 5000 }, () => readers.stats().running === 1)
  await readers.close()
  await expect(slow).rejects.toThrow()
  await expect(readOptions()).rejects.toMatchObject({ code: 'query.busy' })
})
