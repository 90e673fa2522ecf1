import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { noopLogger } from '../../core/logger.ts'
import { upsertOption } from '../system/options.ts'
import { openTestDatabase } from '../testing.ts'
import {
  bumpVersion,
  createCachedValue,
  createSharedRefresh,
  readVersion,
  startCacheRefresh,
} from './cached-value.ts'
import { inTransaction, type OpenDatabase } from './database.ts'

let database: OpenDatabase
let loads: number
beforeEach(async () => {
  database = await openTestDatabase()
  loads = 0
})
afterEach(() => database.close())

const readNotice = async () => {
  loads++
  const row = await database.db
    .selectFrom('options')
    .select('value')
    .where('key', '=', 'Notice')
    .executeTakeFirst()
  return row?.value ?? ''
}
const open = () => createCachedValue({ db: database.db, subject: 'options', load: readNotice })
const change = (value: string) =>
  inTransaction(database.db, async tx => {
    await upsertOption(tx, { key: 'Notice', value })
    await bumpVersion(tx, 'options')
  })

test('loads a value again only after its version has changed', async () => {
  const cached = await open()
  await cached.refresh()
  expect([cached.current(), loads]).toEqual(['', 1])
  await change('a')
  expect(cached.current()).toBe('')
  await cached.refresh()
  expect([cached.current(), loads]).toEqual(['a', 2])
})

test('a change after a failover that lost the newest version is loaded', async () => {
  const cached = await open()
  await change('kept')
  const kept = await readVersion(database.db, 'options')
  await change('lost')
  await cached.refresh()
  await database.db.updateTable('topics').set({ version: kept }).execute()
  const restore = setClock({ nowMs: () => Date.now() + 1000, elapsedMs: () => performance.now() })
  await change('later').finally(restore)
  await cached.refresh()
  expect(cached.current()).toBe('later')
})

test('a refresh after a change reflects it, even while another refresh is running', async () => {
  const cached = await open()
  await change('a')
  const early = cached.refresh()
  await change('b')
  await Promise.all([early, cached.refresh()])
  expect(cached.current()).toBe('b')
})

test('does not change the version when the transaction rolls back', async () => {
  const failing = inTransaction(database.db, async tx => {
    await bumpVersion(tx, 'options')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await readVersion(database.db, 'options')).toBe(0)
})

test('picks up changes of other processes without a call', async () => {
  const cached = await open()
  const stop = startCacheRefresh([cached], { database, log: noopLogger })
  await change('from elsewhere')
  for (let i = 0; i < 40 && cached.current() === ''; i++) await Bun.sleep(50)
  await stop()
  expect(cached.current()).toBe('from elsewhere')
})

test('keeps the value when loading fails, and loads it with a later refresh', async () => {
  let isBroken = false
  const load = async () => {
    if (isBroken) throw new Error('broken')
    return readNotice()
  }
  const cached = await createCachedValue({ db: database.db, subject: 'options', load })
  await change('a')
  isBroken = true
  await expect(cached.refresh()).rejects.toThrow('broken')
  expect(cached.current()).toBe('')
  isBroken = false
  await cached.refresh()
  expect(cached.current()).toBe('a')
})

test('refreshes for misses at most once a second, each time after the calls that share it', async () => {
  const cached = await open()
  let refreshes = 0
  const counted = {
    current: cached.current,
    refresh: () => {
      refreshes++
      return cached.refresh()
    },
  }
  const refreshShared = createSharedRefresh([counted])
  await change('a')
  await Promise.all([refreshShared(), refreshShared()])
  expect([cached.current(), refreshes]).toEqual(['a', 1])
  await change('b')
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: 50 }, refreshShared))
  expect([cached.current(), refreshes]).toEqual(['b', 2])
  expect(performance.now() - startedMs).toBeGreaterThan(900)
})
