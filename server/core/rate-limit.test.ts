import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { setClock } from './clock.ts'
import { createLogger, noopLogger } from './logger.ts'
import {
  createFallbackRateLimiter,
  createLocalRateLimiter,
  type RateBudget,
  type RateLimit,
  type RateLimiter,
} from './rate-limit.ts'

const LIMIT: RateLimit = { name: 'calls', limit: 3, windowMs: 60_000 }
const BUDGET: RateBudget = { name: 'work', points: 30, windowMs: 60_000 }

let now: number
let restore: () => void
beforeEach(() => {
  now = 1_800_000_000_000
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
})
afterEach(() => restore())

describe('the local rate limiter', () => {
  test('counts each subject and each limit separately', async () => {
    const limiter = createLocalRateLimiter()
    const results = []
    for (let i = 0; i < 4; i += 1) results.push(await limiter.take(LIMIT, 'anna'))
    expect(results.map(({ isAllowed, remaining }) => [isAllowed, remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ])
    expect((await limiter.take(LIMIT, 'bert')).isAllowed).toBe(true)
    expect((await limiter.take({ ...LIMIT, name: 'mails' }, 'anna')).isAllowed).toBe(true)
  })

  test('allows another event after retryAfterMs, and not before', async () => {
    const limiter = createLocalRateLimiter()
    await limiter.take(LIMIT, 'anna')
    now += 20_000
    await limiter.take(LIMIT, 'anna')
    await limiter.take(LIMIT, 'anna')
    const { retryAfterMs } = await limiter.take(LIMIT, 'anna')
    expect(retryAfterMs).toBeWithin(40_000, 41_001)
    now += retryAfterMs - 1
    expect((await limiter.take(LIMIT, 'anna')).isAllowed).toBe(false)
    now += 1
    expect((await limiter.take(LIMIT, 'anna')).isAllowed).toBe(true)
    expect((await limiter.take(LIMIT, 'anna')).isAllowed).toBe(false)
  })

  test('allows one more event for each event that is put back', async () => {
    const limiter = createLocalRateLimiter()
    const results = await Promise.all([1, 2, 3].map(() => limiter.take(LIMIT, 'anna')))
    const none = { isAllowed: true, remaining: 0, retryAfterMs: 0, slice: 0 }
    await limiter.putBack(LIMIT, 'anna', results[0] ?? none)
    expect((await limiter.take(LIMIT, 'anna')).isAllowed).toBe(true)
    expect((await limiter.take(LIMIT, 'anna')).isAllowed).toBe(false)
  })

  test('forgets the events of a time to which the clock was set by mistake', async () => {
    const limiter = createLocalRateLimiter()
    now += 3 * LIMIT.windowMs
    for (let i = 0; i < 3; i += 1) await limiter.take(LIMIT, 'anna')
    now -= 3 * LIMIT.windowMs
    expect((await limiter.take(LIMIT, 'anna')).isAllowed).toBe(true)
  })

  test('never allows more events than the limit in any period as long as the window', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 15_000 }), { maxLength: 80 }), async pauses => {
        const limiter = createLocalRateLimiter()
        const allowedAtMs: number[] = []
        for (const pause of pauses) {
          now += pause
          if ((await limiter.take(LIMIT, 'anna')).isAllowed) allowedAtMs.push(now)
        }
        for (const start of allowedAtMs)
          expect(
            allowedAtMs.filter(time => time >= start && time < start + LIMIT.windowMs).length,
          ).toBeLessThanOrEqual(3)
      }),
    )
  })

  test('forgets the subject that has been idle longest when it is full', async () => {
    const limiter = createLocalRateLimiter(2)
    for (const subject of ['anna', 'anna', 'bert', 'anna', 'carl']) await limiter.take(LIMIT, subject)
    expect((await limiter.take(LIMIT, 'anna')).isAllowed).toBe(false)
    expect((await limiter.take(LIMIT, 'bert')).remaining).toBe(2)
  })
})

describe('a budget', () => {
  test('allows a burst of all its points, and another cost exactly when it has refilled', async () => {
    const limiter = createLocalRateLimiter()
    const spend = (cost: number) => limiter.spend(BUDGET, 'anna', cost)
    for (let i = 0; i < 6; i += 1) expect(await spend(5)).toEqual({ isAllowed: true, retryAfterMs: 0 })
    expect(await spend(1)).toEqual({ isAllowed: false, retryAfterMs: 2_000 })
    expect(await spend(5)).toEqual({ isAllowed: false, retryAfterMs: 10_000 })
    now += 9_999
    expect((await spend(5)).isAllowed).toBe(false)
    now += 1
    expect((await spend(5)).isAllowed).toBe(true)
    expect((await spend(1)).isAllowed).toBe(false)
    expect((await limiter.spend(BUDGET, 'bert', 30)).isAllowed).toBe(true)
  })

  test('never saves more than its points, and admits a greater cost when it is full', async () => {
    const limiter = createLocalRateLimiter()
    now += 24 * 3600 * 1000
    expect((await limiter.spend(BUDGET, 'anna', 1000)).isAllowed).toBe(true)
    expect(await limiter.spend(BUDGET, 'anna', 1)).toEqual({ isAllowed: false, retryAfterMs: 2_000 })
  })

  test('forgets the subject that has been idle longest when it is full', async () => {
    const limiter = createLocalRateLimiter(2)
    for (const subject of ['anna', 'bert', 'carl']) await limiter.spend(BUDGET, subject, 30)
    expect((await limiter.spend(BUDGET, 'carl', 1)).isAllowed).toBe(false)
    expect((await limiter.spend(BUDGET, 'anna', 1)).isAllowed).toBe(true)
  })
})

describe('the fallback rate limiter', () => {
  test('counts locally while the shared store fails, and logs so once a minute', async () => {
    let lines = 0
    const log = createLogger({ level: 'error', isPretty: false, write: () => (lines += 1) })
    const broken: RateLimiter = {
      spend: () => Promise.reject(new Error('connection refused')),
      take: () => Promise.reject(new Error('connection refused')),
      putBack: () => Promise.reject(new Error('connection refused')),
      close: () => Promise.reject(new Error('connection refused')),
    }
    const limiter = createFallbackRateLimiter(broken, createLocalRateLimiter(), log)
    const allowed = []
    for (let i = 0; i < 4; i += 1) allowed.push((await limiter.take(LIMIT, 'anna')).isAllowed)
    expect(allowed).toEqual([true, true, true, false])
    expect((await limiter.spend(BUDGET, 'anna', 30)).isAllowed).toBe(true)
    expect((await limiter.spend(BUDGET, 'anna', 30)).isAllowed).toBe(false)
    expect(lines).toBe(1)
    now += 61_000
    await limiter.take(LIMIT, 'anna')
    expect(lines).toBe(2)
    await limiter.close()
  })

  test('waits once for a stalled shared store, and later retries it with a single call', async () => {
    const limit: RateLimit = { name: 'test', limit: 2, windowMs: 60_000 }
    const sharedTimeoutMs = 2_000
    const retryDelayMs = 5_000
    let skippedMs = 0
    const restoreClock = setClock({
      nowMs: () => Date.now(),
      elapsedMs: () => performance.now() + skippedMs,
    })
    const healthy = createLocalRateLimiter()
    let isHanging = true
    let calls = 0
    const call = <Value>(respond: () => Promise<Value>): Promise<Value> => {
      calls += 1
      return isHanging ? new Promise(() => undefined) : respond()
    }
    const shared: RateLimiter = {
      ...healthy,
      take: (...args) => call(() => healthy.take(...args)),
      putBack: (...args) => call(() => healthy.putBack(...args)),
    }
    const limiter = createFallbackRateLimiter(shared, createLocalRateLimiter(), noopLogger)
    const startedMs = performance.now()
    const taken = await limiter.take(limit, 'anna')
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(sharedTimeoutMs - 100)
    await limiter.take(limit, 'anna')
    await limiter.putBack(limit, 'anna', taken)
    expect((await limiter.take(limit, 'anna')).isAllowed).toBe(true)
    expect((await limiter.take(limit, 'anna')).isAllowed).toBe(false)
    expect(performance.now() - startedMs).toBeLessThan(1.5 * sharedTimeoutMs)
    expect(calls).toBe(1)

    skippedMs = retryDelayMs
    const [first, second] = [limiter.take(limit, 'bert'), limiter.take(limit, 'bert')]
    await second
    expect(calls).toBe(2)
    await first

    isHanging = false
    skippedMs += retryDelayMs
    await limiter.take(limit, 'anna')
    await limiter.take(limit, 'anna')
    expect(calls).toBe(4)
    restoreClock()
  })

  /** A store that fails when told to, in front of which time is moved by hand. */
  function openFailing() {
    const store = createLocalRateLimiter()
    const state = { isFailing: false }
    const call = <Value>(work: () => Promise<Value>): Promise<Value> =>
      state.isFailing ? Promise.reject(new Error('the node is gone')) : work()
    const shared: RateLimiter = {
      ...store,
      spend: (...args) => call(() => store.spend(...args)),
      take: (...args) => call(() => store.take(...args)),
      putBack: (...args) => call(() => store.putBack(...args)),
    }
    return { state, limiter: createFallbackRateLimiter(shared, createLocalRateLimiter(), noopLogger) }
  }
  const outcome = (limiter: RateLimiter): Promise<unknown> =>
    limiter.take(LIMIT, 'anna').then(
      ({ isAllowed }) => isAllowed,
      error => error.code,
    )

  test('rejects events while a store that responded fails over, and counts alone only once it is lost', async () => {
    const { state, limiter } = openFailing()
    expect(await outcome(limiter)).toBe(true)
    state.isFailing = true
    const outcomes = []
    for (let second = 0; second <= 40; second += 2, now += 2000)
      outcomes.push(await outcome(limiter), limiter.isStoreLost?.())
    const rejected = Array.from({ length: 20 }, () => ['storage_failed', true]).flat()
    expect(outcomes).toEqual([...rejected, true, true])
    expect((await limiter.spend(BUDGET, 'anna', 30)).isAllowed).toBe(true)
  })

  test.each([
    ['that is back after a moment', 3000, [true, true, false]],
    ['that was lost for long, and is tried again', 45_000, [true, true, false]],
  ])('counts on in a store %s', async (_, lostMs, allowed) => {
    const { state, limiter } = openFailing()
    expect(await outcome(limiter)).toBe(true)
    state.isFailing = true
    await outcome(limiter)
    now += lostMs
    await outcome(limiter)
    state.isFailing = false
    now += 5000
    const outcomes = [await outcome(limiter), await outcome(limiter), await outcome(limiter)]
    expect(outcomes).toEqual([...allowed])
    expect(limiter.isStoreLost?.()).toBe(false)
  })

  test('counts budgets alone at once, which only spare this process', async () => {
    const { state, limiter } = openFailing()
    expect((await limiter.spend(BUDGET, 'anna', 30)).isAllowed).toBe(true)
    state.isFailing = true
    expect((await limiter.spend(BUDGET, 'anna', 30)).isAllowed).toBe(true)
  })
})
