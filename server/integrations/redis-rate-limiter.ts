import { nowMs } from '../core/clock.ts'
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
import { connectToRedis } from './redis-connection.ts'

/**
 * Counts in Redis or Valkey, shared by all processes on all machines. An event is counted before the sum is read and
 * uncounted when it exceeds the limit: two concurrent calls may both be rejected, but never both exceed the limit. Plain
 * commands instead of a script, since every server of the protocol supports them. Its methods reject while there is no
 * connection.
 */
export function createRedisRateLimiter(url: string, log: Logger): RateLimiter {
  const connection = connectToRedis(url, log)
  return {
    /**
     * The points are taken before the bucket is read, and put back when it has too few. The key expires when the bucket
     * is full again, so that no clock that is set back locks anybody out for longer than a window.
     */
    async spend(budget, subject, cost) {
      const client = await connection.commands()
      const key = keyOf(budget, subject)
      const now = nowMs()
      const refill = refillMs(budget, cost)
      const created = client.hsetnx(key, FULL_AT, String(now))
      if (!client.isInOrder) await created
      const [, fullAt] = await Promise.all([
        created,
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
      const client = await connection.commands()
      const key = keyOf(limit, subject)
      const now = nowMs()
      const slice = sliceAt(limit, now)
      const counted = client.hincrby(key, String(slice), 1)
      if (!client.isInOrder) await counted
      const [, fields] = await Promise.all([
        counted,
        client.hgetall(key),
        client.pexpire(key, Math.ceil(retentionMs(limit))),
      ])
      const counts = readCounts(fields)
      const result = evaluateLimit(withoutEvent(counts, slice), limit, now)
      const isCounted = (at: number) => at >= oldestSlice(limit, now) && at <= newestSlice(limit, now)
      const expired = counts.filter(([at]) => !isCounted(at)).map(([at]) => String(at))
      await Promise.all([
        result.isAllowed || client.hincrby(key, String(slice), -1),
        expired.length === 0 || client.hdel(key, ...expired),
      ])
      return result
    },
    async putBack(limit, subject, { slice }) {
      const client = await connection.commands()
      const key = keyOf(limit, subject)
      const count = await client.hincrby(key, String(slice), -1)
      // The slice may have expired since.
      if (count < 0) await client.hincrby(key, String(slice), 1)
    },
    close: async () => connection.close(),
  }
}

/** The field with the time at which a bucket is full again. */
const FULL_AT = 'full_at'

const keyOf = ({ name }: Pick<RateLimit, 'name'>, subject: string): string =>
  `tollgate:rate:${name} ${subject}`

const readCounts = (fields: Readonly<Record<string, string>> | null): SliceCounts =>
  Object.entries(fields ?? {}).map(([slice, count]) => [Number(slice), Number(count)])
