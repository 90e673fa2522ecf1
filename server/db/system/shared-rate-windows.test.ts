import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { noopLogger } from '../../core/logger.ts'
import { createLocalRateLimiter, type RateLimit, type RateLimiter } from '../../core/rate-limit.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { openTestDatabase } from '../testing.ts'
import { openSharedRateWindows } from './shared-rate-windows.ts'

const LIMIT: RateLimit = { name: 'calls', limit: 20, windowMs: 60_000 }

let database: OpenDatabase
let windows: RateLimiter
let now: number
let restore: () => void
beforeEach(async () => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  database = await openTestDatabase()
  windows =
    database.engine === 'postgres' ? openSharedRateWindows(database.db, noopLogger) : createLocalRateLimiter()
})
afterEach(async () => {
  restore()
  await windows.close()
  await database.close()
})

const take = () => windows.take(LIMIT, 'anna')
const takeMany = async (count: number) => {
  const places = await Promise.all(Array.from({ length: count }, take))
  return places.filter(place => place.isAllowed).length
}

test('a hundred who ask at once get as many places as there are', async () => {
  expect(await takeMany(100)).toBe(20)
})

test('places come free as their events leave the window', async () => {
  expect(await takeMany(15)).toBe(15)
  now += 30_000
  expect(await takeMany(15)).toBe(5)
  const { retryAfterMs } = await take()
  now += retryAfterMs
  expect(await takeMany(30)).toBe(15)
})

test('says how many places are left, and how long to wait when there are none', async () => {
  expect(await take()).toMatchObject({ isAllowed: true, remaining: 19, retryAfterMs: 0 })
  expect(await take()).toMatchObject({ isAllowed: true, remaining: 18 })
  await takeMany(18)
  const full = await take()
  expect(full).toMatchObject({ isAllowed: false, remaining: 0 })
  expect(full.retryAfterMs).toBeWithin(60_000, 61_001)
})

test('a clock that is set back by a day locks nobody out', async () => {
  expect(await takeMany(30)).toBe(20)
  now -= 24 * 3600 * 1000
  expect(await takeMany(30)).toBe(20)
})

test('a place that is given back can be taken again, once', async () => {
  const place = await take()
  await takeMany(19)
  await windows.putBack(LIMIT, 'anna', place)
  expect(await takeMany(5)).toBe(1)
})

test('subjects and limits are counted apart', async () => {
  await takeMany(20)
  expect((await windows.take(LIMIT, 'bert')).remaining).toBe(19)
  expect((await windows.take({ ...LIMIT, name: 'mails' }, 'anna')).remaining).toBe(19)
})

test('looking tells what taking would give, and takes nothing', async () => {
  expect(await windows.peek(LIMIT, 'anna')).toMatchObject({ isAllowed: true, remaining: 19 })
  expect(await takeMany(20)).toBe(20)
  expect(await windows.peek(LIMIT, 'anna')).toMatchObject({ isAllowed: false, remaining: 0 })
})
