import { nowMs } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import {
  evaluateLimit,
  evaluateSpending,
  newestSlice,
  oldestSlice,
  type RateLimit,
  type RateLimiter,
  refillMs,
  retentionMs,
  type SliceCounts,
  sliceAt,
  withoutEvent,
} from '../core/rate-limit.ts'

const CONNECTION_TIMEOUT_MS = 2000
/** In effect unlimited: the client reconnects for as long as the process runs. */
const RETRIES_MAX = 1_000_000_000

/**
 * Counts in Redis or Valkey, shared by all processes on all machines. An event is counted before the sum is read and
 * uncounted when it exceeds the limit: two concurrent calls may both be rejected, but never both exceed the limit. Plain
 * commands instead of a script, since every server of the protocol supports them. Its methods reject while there is no
 * connection.
 */
export function createRedisRateLimiter(url: string, log: Logger): RateLimiter {
  const client = new Bun.RedisClient(url, {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    maxRetries: RETRIES_MAX,
    enableOfflineQueue: false,
  })
  client.connect().catch(error =>
    log.error('Redis (REDIS_URL) is unreachable at startup; a wrong password closes its connections, too', {
      host: new URL(url).host,
      reason: errorMessage(error),
    }),
  )
  return {
    /**
     * The points are taken before the bucket is read, and put back when it has too few. The key expires when the bucket
     * is full again, so that no clock that is set back locks anybody out for longer than a window.
     */
    async spend(budget, subject, cost) {
      const key = keyOf(budget, subject)
      const now = nowMs()
      const refill = refillMs(budget, cost)
      const [, fullAt] = await Promise.all([
        client.send('HSETNX', [key, FULL_AT, String(now)]),
        client.hincrby(key, FULL_AT, refill),
        client.pexpire(key, budget.windowMs),
      ])
      const fullAtMs = Math.max(fullAt, now + refill)
      const result = evaluateSpending(fullAtMs, budget, now)
      if (result.isAllowed) await client.pexpire(key, Math.max(1, fullAtMs - now))
      else await client.hincrby(key, FULL_AT, -refill)
      return result
    },
    async take(limit, subject) {
      const key = keyOf(limit, subject)
      const now = nowMs()
      const slice = sliceAt(limit, now)
      const [, fields] = await Promise.all([
        client.hincrby(key, String(slice), 1),
        client.hgetall(key),
        client.pexpire(key, Math.ceil(retentionMs(limit))),
      ])
      const counts = readCounts(fields)
      const result = evaluateLimit(withoutEvent(counts, slice), limit, now)
      const isCounted = (at: number) => at >= oldestSlice(limit, now) && at <= newestSlice(limit, now)
      const expired = counts.filter(([at]) => !isCounted(at)).map(([at]) => String(at))
      await Promise.all([
        result.isAllowed || client.hincrby(key, String(slice), -1),
        expired.length === 0 || client.send('HDEL', [key, ...expired]),
      ])
      return result
    },
    async putBack(limit, subject, { slice }) {
      const key = keyOf(limit, subject)
      const count = await client.hincrby(key, String(slice), -1)
      // The slice may have expired since.
      if (count < 0) await client.hincrby(key, String(slice), 1)
    },
    close: async () => client.close(),
  }
}

/** The field with the time at which a bucket is full again. */
const FULL_AT = 'full_at'

const keyOf = ({ name }: Pick<RateLimit, 'name'>, subject: string): string =>
  `tollgate:rate:${name} ${subject}`

const readCounts = (fields: Readonly<Record<string, string>> | null): SliceCounts =>
  Object.entries(fields ?? {}).map(([slice, count]) => [Number(slice), Number(count)])
