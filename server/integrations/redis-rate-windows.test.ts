import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../core/clock.ts'
import { type RateLimit, type RateLimiter, createLocalRateLimiter, createFallbackRateLimiter } from '../core/rate-limit.ts'
import { noopLogger } from '../core/logger.ts'
import { type LocalRedis, openLocalRedis } from '../testing/local-redis.ts'
import { openRedisRateWindows } from './redis-rate-windows.ts'

const LIMIT: RateLimit = { name: 'calls', limit: 20, windowMs: 60_000 }

let redis: LocalRedis
let processes: RateLimiter[]
let now: number
let restore: () => void
beforeEach(async () => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  redis = openLocalRedis()
  processes = [1, 2, 3].map(() => openRedisRateWindows(redis.url, noopLogger))
  for (const windows of processes) await connected(windows)
})
afterEach(async () => {
  restore()
  for (const windows of processes) await windows.close()
  redis.close()
})

const READY: RateLimit = { name: 'ready', limit: 1_000_000, windowMs: 1000 }

/** Waits until a count comes back. */
async function connected(windows: RateLimiter): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const isThere = await windows.take(READY, 'test').then(
      () => true,
      () => false,
    )
    if (isThere) return
    await Bun.sleep(20)
  }
  throw new Error('Redis was not reached')
}

const takeMany = async (count: number, windows = processes[0]) => {
  const places = await Promise.all(Array.from({ length: count }, () => windows?.take(LIMIT, 'anna')))
  return places.filter(place => place?.isAllowed).length
}

test('places are counted for all processes together', async () => {
  expect(await takeMany(15)).toBe(15)
  expect(await takeMany(10, processes[1])).toBe(5)
  expect(await takeMany(1, processes[2])).toBe(0)
})

test('a hundred who ask several processes at once never get more places than there are', async () => {
  const taken = await Promise.all(processes.map(windows => takeMany(34, windows)))
  const sum = taken.reduce((total, count) => total + count, 0)
  expect(sum).toBeWithin(1, 21)
  expect(sum + (await takeMany(30))).toBe(20)
})

test('places come free as their events leave the window, and nothing is kept of what has left', async () => {
  expect(await takeMany(15)).toBe(15)
  now += 30_000
  expect(await takeMany(15)).toBe(5)
  const place = await processes[1]?.take(LIMIT, 'anna')
  expect(place?.isAllowed).toBe(false)
  now += place?.retryAfterMs ?? 0
  expect(await takeMany(30)).toBe(15)
  now += 200_000
  await takeMany(1)
  expect(redis.hashes.get('tollgate:rate:calls anna')?.size).toBe(1)
})

test('a clock that is set back by a day locks nobody out', async () => {
  expect(await takeMany(30)).toBe(20)
  now -= 24 * 3600 * 1000
  expect(await takeMany(30)).toBe(20)
})

test('a place that is given back can be taken again, once', async () => {
  const place = await processes[0]?.take(LIMIT, 'anna')
  await takeMany(19)
  if (place) await processes[1]?.putBack(LIMIT, 'anna', place)
  expect(await takeMany(5)).toBe(1)
})

test('while Redis is away each process counts for itself, and they count together again when it is back', async () => {
  const [first = createLocalRateLimiter()] = processes
  const steady = createFallbackRateLimiter(first, createLocalRateLimiter(), noopLogger)
  redis.close()
  expect(await takeMany(25, steady)).toBe(20)
  redis.reopen()
  await connected(first)
  expect(await takeMany(25, first)).toBe(20)
})

test('a Redis that comes up after the gateway is used from then on', async () => {
  redis.close()
  const late = openRedisRateWindows(redis.url, noopLogger)
  await Bun.sleep(300)
  redis.reopen()
  await connected(late)
  expect(await takeMany(25, late)).toBe(20)
  await late.close()
})

test('looking tells what taking would give, and takes nothing', async () => {
  expect(await processes[1]?.peek(LIMIT, 'anna')).toMatchObject({ isFree: true, left: 19 })
  expect(await takeMany(20)).toBe(20)
  expect(await processes[1]?.peek(LIMIT, 'anna')).toMatchObject({ isFree: false, left: 0 })
})
