import { nowMs } from '../core/clock.ts'
import { messageOf } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import {
  keptMsOf,
  newestSliceAt,
  oldestSliceAt,
  placeAfter,
  type RateLimit,
  type RateWindows,
  type Slices,
  sliceAt,
  withoutOne,
} from '../core/rate-windows.ts'

const CONNECTION_TIMEOUT_MS = 2000
/** Connecting is tried again and again, for as long as the process lives. */
const RETRIES_MAX = 1_000_000_000

/**
 * Counts in Redis or Valkey, for all processes on all machines together. A place is counted before the sum is looked at
 * and given back when there was none, so that two at once can both be turned away, but never both be let in. Plain
 * commands, no script: every server of the protocol knows them. Throws while there is no connection.
 */
export function openRedisRateWindows(url: string, log: Log): RateWindows {
  const client = new Bun.RedisClient(url, {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    maxRetries: RETRIES_MAX,
    enableOfflineQueue: false,
  })
  client
    .connect()
    .catch(error => log.error('Redis could not be reached at the start', { reason: messageOf(error) }))
  return {
    async take(limit, subject) {
      const key = keyOf(limit, subject)
      const now = nowMs()
      const slice = sliceAt(limit, now)
      const [, fields] = await Promise.all([
        client.hincrby(key, String(slice), 1),
        client.hgetall(key),
        client.pexpire(key, Math.ceil(keptMsOf(limit))),
      ])
      const slices = slicesIn(fields)
      const place = placeAfter(withoutOne(slices, slice), limit, now)
      const isCounted = (at: number) => at >= oldestSliceAt(limit, now) && at <= newestSliceAt(limit, now)
      const passed = slices.filter(([at]) => !isCounted(at)).map(([at]) => String(at))
      await Promise.all([
        place.isFree || client.hincrby(key, String(slice), -1),
        passed.length === 0 || client.send('HDEL', [key, ...passed]),
      ])
      return place
    },
    look: async (limit, subject) =>
      placeAfter(slicesIn(await client.hgetall(keyOf(limit, subject))), limit, nowMs()),
    async giveBack(limit, subject, { slice }) {
      const key = keyOf(limit, subject)
      const left = await client.hincrby(key, String(slice), -1)
      if (left < 0) await client.hincrby(key, String(slice), 1)
    },
    close: async () => client.close(),
  }
}

const keyOf = ({ name }: RateLimit, subject: string): string => `tollgate:rate:${name} ${subject}`

const slicesIn = (fields: Readonly<Record<string, string>> | null): Slices =>
  Object.entries(fields ?? {}).map(([slice, count]) => [Number(slice), Number(count)])
