import { afterEach, beforeEach, expect, test } from 'bun:test'
import { noopLogger } from '../../core/logger.ts'
import { upsertOption } from '../system/options.ts'
import { openTestDatabase } from '../testing.ts'
import { bumpVersion, createCachedValue, readVersion, startCacheRefresh } from './cached-value.ts'
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

test('a value is read again when its topic has changed, and only then', async () => {
  const live = await open()
  await live.refresh()
  expect([live.current(), loads]).toEqual(['', 1])
  await change('a')
  expect(live.current()).toBe('')
  await live.refresh()
  expect([live.current(), loads]).toEqual(['a', 2])
})

test('a refresh asked for after a change shows it, even when another refresh is under way', async () => {
  const live = await open()
  await change('a')
  const early = live.refresh()
  await change('b')
  await Promise.all([early, live.refresh()])
  expect(live.current()).toBe('b')
})

test('a change that is rolled back tells nobody', async () => {
  const failing = inTransaction(database.db, async tx => {
    await bumpVersion(tx, 'options')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await readVersion(database.db, 'options')).toBe(0)
})

test('changes of other processes arrive by themselves', async () => {
  const live = await open()
  const stop = startCacheRefresh([live], noopLogger)
  await change('from elsewhere')
  for (let i = 0; i < 40 && live.current() === ''; i++) await Bun.sleep(50)
  await stop()
  expect(live.current()).toBe('from elsewhere')
})

test('a value that cannot be read again stays as it was, and a later refresh succeeds', async () => {
  let isBroken = false
  const load = async () => {
    if (isBroken) throw new Error('broken')
    return readNotice()
  }
  const live = await createCachedValue({ db: database.db, subject: 'options', load })
  await change('a')
  isBroken = true
  await expect(live.refresh()).rejects.toThrow('broken')
  expect(live.current()).toBe('')
  isBroken = false
  await live.refresh()
  expect(live.current()).toBe('a')
})
