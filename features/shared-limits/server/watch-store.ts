import { elapsedMs, everyMs } from '#server/core/clock.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import type { Job, Services } from '#server/feature.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'

const CHECK_MS = 5000
/** A restart of the store, or the failover of a node, is over by then. */
const NOTIFIED_MS = 30_000
/** Is never reached: only whether the store responds is of interest. */
const PROBE: RateLimit = { name: 'probe', limit: 1_000_000, windowMs: 1000 }

const LOST: UserNotification = {
  type: 'shared_limits_lost',
  values: [],
  subject: { zh: '共享限流存储无响应', en: 'The shared store of rate limits does not respond' },
  text: {
    zh: 'REDIS_URL（未设置时为数据库）中的限流计数无响应：每个进程各自计数，因此总上限最多为设定值乘以进程数。恢复后会自动共享。',
    en: 'REDIS_URL, or the database where it is not set, does not count rate limits at the moment: each process counts for itself, so that a limit may be reached once by every process. It is shared again as soon as the store is back.',
  },
}

interface StoreWatchDeps extends Pick<Services, 'rateLimiter' | 'processId' | 'log' | 'metrics'> {
  readonly rootNotifier: Pick<Services['rootNotifier'], 'notify'>
}

/** Asks the shared store of rate limits also while no request does, so that its loss and its return are known. */
export function watchStore(
  { rateLimiter, processId, log, metrics, rootNotifier }: StoreWatchDeps,
  checkMs = CHECK_MS,
): readonly Job[] {
  const { isStoreLost } = rateLimiter
  if (!isStoreLost) return []
  let lostSinceMs: number | undefined
  metrics.gauge(
    'tollgate_rate_limit_store_lost',
    'Whether the shared store of rate limits does not respond (1).',
    () => (isStoreLost() ? 1 : 0),
  )
  const check = async (): Promise<void> => {
    await rateLimiter.take(PROBE, processId).catch(() => undefined)
    if (isStoreLost()) {
      lostSinceMs ??= elapsedMs()
      if (elapsedMs() - lostSinceMs >= NOTIFIED_MS) rootNotifier.notify(LOST)
    } else if (lostSinceMs !== undefined) {
      log.info('the shared rate limit store responds again', {
        lost_ms: Math.round(elapsedMs() - lostSinceMs),
      })
      lostSinceMs = undefined
    }
  }
  return [() => everyMs(checkMs, check)]
}
