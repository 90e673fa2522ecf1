import type { Config } from '#server/config/config.ts'
import { withTimeout } from '#server/core/async.ts'
import { elapsedMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { noopLogger } from '#server/core/logger.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import { type CheckResult, checkProblem, ok } from './check-result.ts'

const TIMEOUT_MS = 5000
/** Is never reached: only whether the store responds is of interest. */
const PROBE: RateLimit = { name: 'probe', limit: 1_000_000, windowMs: 1000 }

/** Whether the store that counts rate limits for all processes responds, where REDIS_URL names one. */
export async function checkSharedLimits({
  redisUrl,
}: Pick<Config, 'redisUrl'>): Promise<readonly CheckResult[]> {
  if (redisUrl === undefined) return []
  const { createRedisRateLimiter } = await import('#server/integrations/redis-rate-limiter.ts')
  const limiter = createRedisRateLimiter(redisUrl, noopLogger)
  const startedMs = elapsedMs()
  try {
    await withTimeout(TIMEOUT_MS, limiter.take(PROBE, 'doctor'))
    const ms = Math.round(elapsedMs() - startedMs)
    return [
      ok('limits', {
        zh: `REDIS_URL 在 ${ms} ms 内响应，限流由所有进程共享`,
        en: `REDIS_URL responds within ${ms} ms; all processes share their rate limits`,
      }),
    ]
  } catch (error) {
    const reason = errorMessage(error)
    return [
      checkProblem(
        'fail',
        'limits',
        {
          zh: `REDIS_URL 无响应，每个进程各自限流：${reason}`,
          en: `REDIS_URL does not respond, so that each process has rate limits of its own: ${reason}`,
        },
        {
          zh: '检查地址、用户、密码、TLS（rediss://）和网络；集群与哨兵的写法见 docs/operations/failover.md',
          en: 'check address, user, password, TLS (rediss://) and network; docs/operations/failover.md has the forms for clusters and Sentinels',
        },
      ),
    ]
  } finally {
    await limiter.close()
  }
}
