import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../core/clock.ts'
import { noopLogger } from '../core/logger.ts'
import {
  createFallbackRateLimiter,
  createLocalRateLimiter,
  type RateLimit,
  type RateLimiter,
} from '../core/rate-limit.ts'
import { type LocalRedis, openLocalRedis, openMovingRedis } from '../testing/local-redis.ts'
import { createRedisRateLimiter } from './redis-rate-limiter.ts'

const LIMIT: RateLimit = { name: 'calls', limit: 20, windowMs: 60_000 }

let redis: LocalRedis
let limiters: RateLimiter[]
let now: number
let restore: () => void
beforeEach(async () => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  redis = openLocalRedis()
  limiters = [1, 2, 3].map(() => createRedisRateLimiter(redis.url, noopLogger))
  for (const limiter of limiters) await untilConnected(limiter)
})
afterEach(async () => {
  restore()
  for (const limiter of limiters) await limiter.close()
  redis.close()
})

const READY: RateLimit = { name: 'ready', limit: 1_000_000, windowMs: 1000 }

/** Waits until Redis responds. */
async function untilConnected(limiter: RateLimiter): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const isConnected = await limiter.take(READY, 'test').then(
      () => true,
      () => false,
    )
    if (isConnected) return
    await Bun.sleep(20)
  }
  throw new Error('Redis did not respond')
}

const takeMany = async (count: number, limiter = limiters[0]) => {
  const results = await Promise.all(Array.from({ length: count }, () => limiter?.take(LIMIT, 'anna')))
  return results.filter(result => result?.isAllowed).length
}

test('counts events of all processes together', async () => {
  expect(await takeMany(15)).toBe(15)
  expect(await takeMany(10, limiters[1])).toBe(5)
  expect(await takeMany(1, limiters[2])).toBe(0)
})

test('counts the first events of a process in Redis, although it is still connecting', async () => {
  const limiter = createRedisRateLimiter(redis.url, noopLogger)
  limiters.push(limiter)
  expect(await takeMany(25, limiter)).toBe(20)
})

test('follows a cluster to the node that has a key, and never exceeds the limit', async () => {
  const node = openMovingRedis(redis)
  const { host } = new URL(node.url)
  const urls = [node.url, node.url, `redis://${host},${host}`]
  const members = urls.map(url => createRedisRateLimiter(url, noopLogger))
  try {
    for (const member of members) await untilConnected(member)
    const counts = await Promise.all(members.map(member => takeMany(30, member)))
    let sum = counts.reduce((total, count) => total + count, 0)
    expect(sum).toBeLessThanOrEqual(20)
    for (let event = 0; event < 25; event += 1) sum += await takeMany(1, members[event % members.length])
    expect(sum).toBe(20)
    expect([...redis.hashes.keys()]).toContain('tollgate:rate:calls anna')
  } finally {
    for (const member of members) await member.close()
    node.close()
  }
})

test('a hundred concurrent calls to several processes never exceed the limit', async () => {
  const taken = await Promise.all(limiters.map(limiter => takeMany(34, limiter)))
  const sum = taken.reduce((total, count) => total + count, 0)
  expect(sum).toBeWithin(1, 21)
  expect(sum + (await takeMany(30))).toBe(20)
})

test('allows events again as earlier ones leave the window, and deletes expired counts', async () => {
  expect(await takeMany(15)).toBe(15)
  now += 30_000
  expect(await takeMany(15)).toBe(5)
  const result = await limiters[1]?.take(LIMIT, 'anna')
  expect(result?.isAllowed).toBe(false)
  now += result?.retryAfterMs ?? 0
  expect(await takeMany(30)).toBe(15)
  now += 200_000
  await takeMany(1)
  expect(redis.hashes.get('tollgate:rate:calls anna')?.size).toBe(1)
})

test('does not lock a subject out when the clock is set back by a day', async () => {
  expect(await takeMany(30)).toBe(20)
  now -= 24 * 3600 * 1000
  expect(await takeMany(30)).toBe(20)
})

test('allows one more event for an event that is put back', async () => {
  const taken = await limiters[0]?.take(LIMIT, 'anna')
  await takeMany(19)
  if (taken) await limiters[1]?.putBack(LIMIT, 'anna', taken)
  expect(await takeMany(5)).toBe(1)
})

test('each process counts locally while Redis is down, and in Redis again when it is back', async () => {
  const [first = createLocalRateLimiter()] = limiters
  const fallback = createFallbackRateLimiter(first, createLocalRateLimiter(), noopLogger)
  redis.close()
  expect(await takeMany(25, fallback)).toBe(20)
  redis.reopen()
  await untilConnected(first)
  expect(await takeMany(25, first)).toBe(20)
})

test('connects to a Redis that starts after the gateway', async () => {
  redis.close()
  const late = createRedisRateLimiter(redis.url, noopLogger)
  await Bun.sleep(300)
  redis.reopen()
  await untilConnected(late)
  expect(await takeMany(25, late)).toBe(20)
  await late.close()
})

const BUDGET = { name: 'work', points: 30, windowMs: 60_000 }
const spendMany = async (count: number, limiter = limiters[0]) => {
  const results = await Promise.all(Array.from({ length: count }, () => limiter?.spend(BUDGET, 'anna', 5)))
  return results.filter(result => result?.isAllowed).length
}

test('several processes never spend more than the points of a budget together', async () => {
  const spent = await Promise.all(limiters.map(limiter => spendMany(34, limiter)))
  const sum = spent.reduce((total, count) => total + count, 0)
  expect(sum).toBeWithin(1, 7)
  expect(sum + (await spendMany(30))).toBe(6)
  expect(await limiters[1]?.spend(BUDGET, 'anna', 5)).toEqual({ isAllowed: false, retryAfterMs: 10_000 })
  now += 10_000
  expect(await spendMany(1, limiters[2])).toBe(1)
  expect(await spendMany(1)).toBe(0)
  now += 24 * 3600 * 1000
  expect(await spendMany(6)).toBe(6)
})
