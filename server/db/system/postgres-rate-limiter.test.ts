import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import { noopLogger } from '../../core/logger.ts'
import { createLocalRateLimiter, type RateLimit, type RateLimiter } from '../../core/rate-limit.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { openTestDatabase } from '../testing.ts'
import { createPostgresRateLimiter } from './postgres-rate-limiter.ts'

const LIMIT: RateLimit = { name: 'calls', limit: 20, windowMs: 60_000 }

let database: OpenDatabase
let limiter: RateLimiter
let now: number
let restore: () => void
beforeEach(async () => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  database = await openTestDatabase()
  limiter =
    database.engine === 'postgres'
      ? createPostgresRateLimiter(database.db, noopLogger)
      : createLocalRateLimiter()
})
afterEach(async () => {
  restore()
  await limiter.close()
  await database.close()
})

const take = () => limiter.take(LIMIT, 'anna')
const takeMany = async (count: number) => {
  const slots = await Promise.all(Array.from({ length: count }, take))
  return slots.filter(slot => slot.isAllowed).length
}

test('grants exactly the limit to a hundred concurrent calls', async () => {
  expect(await takeMany(100)).toBe(20)
})

test('frees slots as their events leave the window', async () => {
  expect(await takeMany(15)).toBe(15)
  now += 30_000
  expect(await takeMany(15)).toBe(5)
  const { retryAfterMs } = await take()
  now += retryAfterMs
  expect(await takeMany(30)).toBe(15)
})

test('returns the remaining slots, and the time to wait when there are none', async () => {
  expect(await take()).toMatchObject({ isAllowed: true, remaining: 19, retryAfterMs: 0 })
  expect(await take()).toMatchObject({ isAllowed: true, remaining: 18 })
  await takeMany(18)
  const full = await take()
  expect(full).toMatchObject({ isAllowed: false, remaining: 0 })
  expect(full.retryAfterMs).toBeWithin(60_000, 61_001)
})

test('does not lock a subject out when the clock is set back by a day', async () => {
  expect(await takeMany(30)).toBe(20)
  now -= 24 * 3600 * 1000
  expect(await takeMany(30)).toBe(20)
})

test('grants a slot that was put back exactly once more', async () => {
  const slot = await take()
  await takeMany(19)
  await limiter.putBack(LIMIT, 'anna', slot)
  expect(await takeMany(5)).toBe(1)
})

test('counts subjects and limits separately', async () => {
  await takeMany(20)
  expect((await limiter.take(LIMIT, 'bert')).remaining).toBe(19)
  expect((await limiter.take({ ...LIMIT, name: 'mails' }, 'anna')).remaining).toBe(19)
})

const BUDGET = { name: 'work', points: 30, windowMs: 60_000 }
const spend = (cost: number) => limiter.spend(BUDGET, 'anna', cost)
const spendMany = async (count: number, cost: number) => {
  const results = await Promise.all(Array.from({ length: count }, () => spend(cost)))
  return results.filter(result => result.isAllowed).length
}

test('a hundred concurrent calls spend exactly the points of a budget', async () => {
  expect(await spendMany(100, 5)).toBe(6)
  expect(await spend(5)).toEqual({ isAllowed: false, retryAfterMs: 10_000 })
  now += 10_000
  expect(await spendMany(10, 5)).toBe(1)
  now += 24 * 3600 * 1000
  expect(await spendMany(100, 5)).toBe(6)
})

test('a budget locks no caller out when the clock is set back by a day', async () => {
  expect(await spendMany(100, 5)).toBe(6)
  now -= 24 * 3600 * 1000
  expect(await spendMany(100, 5)).toBe(6)
})
