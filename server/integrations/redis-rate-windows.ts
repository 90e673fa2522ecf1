import { nowMs } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import {
  retentionMs,
  newestSlice,
  oldestSlice,
  evaluateLimit,
  type RateLimit,
  type RateLimiter,
  type SliceCounts,
  sliceAt,
  withoutEvent,
} from '../core/rate-limit.ts'

const CONNECTION_TIMEOUT_MS = 2000
/** Connecting is tried again and again, for as long as the process lives. */
const RETRIES_MAX = 1_000_000_000

/**
 * Counts in Redis or Valkey, for all processes on all machines together. A place is counted before the sum is looked at
 * and given back when there was none, so that two at once can both be turned away, but never both be let in. Plain
 * commands, no script: every server of the protocol knows them. Throws while there is no connection.
 */
export function openRedisRateWindows(url: string, log: Logger): RateLimiter {
  const client = new Bun.RedisClient(url, {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    maxRetries: RETRIES_MAX,
    enableOfflineQueue: false,
  })
  client
    .connect()
    .catch(error => log.error('Redis could not be reached at the start', { reason: errorMessage(error) }))
  return {
    async take(limit, subject) {
      const key = keyOf(limit, subject)
      const now = nowMs()
      const slice = sliceAt(limit, now)
      const [, fields] = await Promise.all([
        client.hincrby(key, String(slice), 1),
        client.hgetall(key),
        client.pexpire(key, Math.ceil(retentionMs(limit))),
      ])
      const slices = slicesIn(fields)
      const place = evaluateLimit(withoutEvent(slices, slice), limit, now)
      const isCounted = (at: number) => at >= oldestSlice(limit, now) && at <= newestSlice(limit, now)
      const passed = slices.filter(([at]) => !isCounted(at)).map(([at]) => String(at))
      await Promise.all([
        place.isAllowed || client.hincrby(key, String(slice), -1),
        passed.length === 0 || client.send('HDEL', [key, ...passed]),
      ])
      return place
    },
    peek: async (limit, subject) =>
      evaluateLimit(slicesIn(await client.hgetall(keyOf(limit, subject))), limit, nowMs()),
    async putBack(limit, subject, { slice }) {
      const key = keyOf(limit, subject)
      const left = await client.hincrby(key, String(slice), -1)
      if (left < 0) await client.hincrby(key, String(slice), 1)
    },
    close: async () => client.close(),
  }
}

const keyOf = ({ name }: RateLimit, subject: string): string => `tollgate:rate:${name} ${subject}`

const slicesIn = (fields: Readonly<Record<string, string>> | null): SliceCounts =>
  Object.entries(fields ?? {}).map(([slice, count]) => [Number(slice), Number(count)])
