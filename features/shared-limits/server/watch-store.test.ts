import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import {
  createFallbackRateLimiter,
  createLocalRateLimiter,
  type RateLimiter,
} from '#server/core/rate-limit.ts'
import { createMetricsRegistry } from '#server/core/telemetry/metrics.ts'
import { createRedisRateLimiter } from '#server/integrations/redis-rate-limiter.ts'
import { type LocalRedis, openLocalRedis } from '#server/testing/local-redis.ts'
import { readExposition } from '#server/testing/read-exposition.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { watchStore } from './watch-store.ts'

const TIMEOUT_MS = 30_000
const CHECK_MS = 20

let redis: LocalRedis
let limiter: RateLimiter
let aheadMs = 0
let restore: () => void
beforeEach(() => {
  aheadMs = 0
  restore = setClock({ nowMs: () => Date.now() + aheadMs, elapsedMs: () => performance.now() + aheadMs })
  redis = openLocalRedis()
  limiter = createFallbackRateLimiter(
    createRedisRateLimiter(redis.url, noopLogger),
    createLocalRateLimiter(),
    noopLogger,
  )
})
afterEach(async () => {
  restore()
  await limiter.close()
  redis.close()
})

test(
  'a store that is lost and comes back is a state, a figure, and a notice once it is lost for long',
  async () => {
    const notices: string[] = []
    const metrics = createMetricsRegistry()
    const rootNotifier = { notify: ({ type }: { type: string }) => void notices.push(type) }
    const services = { rateLimiter: limiter, processId: 'first', log: noopLogger, metrics, rootNotifier }
    const [job] = watchStore(services, CHECK_MS)
    const stop = job?.()
    const until = (description: string, isSo: () => boolean) =>
      waitUntil({ description, timeoutMs: TIMEOUT_MS }, isSo)
    const figure = async () => readExposition(await metrics.render())
    await until('the probe', () => redis.hashes.has('tollgate:rate:probe first'))
    expect(limiter.isStoreLost?.()).toBe(false)

    redis.close()
    await until('the loss', () => limiter.isStoreLost?.() === true)
    expect(notices).toEqual([])
    expect(JSON.stringify(await figure())).toContain('tollgate_rate_limit_store_lost')
    aheadMs += 60_000
    await until('the notice', () => notices.length > 0)
    expect(notices[0]).toBe('shared_limits_lost')

    redis.reopen()
    await until('the return', () => limiter.isStoreLost?.() === false)
    await stop?.()
  },
  2 * TIMEOUT_MS,
)

test('a process that shares nothing watches nothing', () => {
  const metrics = createMetricsRegistry()
  const rootNotifier = { notify: () => undefined }
  const services = {
    rateLimiter: createLocalRateLimiter(),
    processId: 'first',
    log: noopLogger,
    metrics,
    rootNotifier,
  }
  expect(watchStore(services)).toEqual([])
})
