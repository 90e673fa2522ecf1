import { withTimeout } from './async.ts'
import { elapsedMs, nowMs } from './clock.ts'
import { errorMessage, GatewayError } from './errors.ts'
import { type Logger, throttledLog } from './logger.ts'

/** At most `limit` events for each subject in any period of `windowMs` milliseconds (a sliding window). */
export interface RateLimit {
  /** Keeps the counts of different limits apart. */
  readonly name: string
  readonly limit: number
  readonly windowMs: number
}

export interface RateLimitResult {
  /** Whether the event is within the limit; if so, it has been counted. */
  readonly isAllowed: boolean
  /** Events that the window still admits after this one. */
  readonly remaining: number
  /** Time until another event is allowed; 0 when this one is. */
  readonly retryAfterMs: number
  /** The slice of the window in which the event is counted. */
  readonly slice: number
}

/**
 * A token bucket for work of different cost: up to `points` at once, and the same number again within `windowMs` as the
 * bucket refills evenly.
 */
export interface RateBudget {
  /** Keeps the buckets of different budgets apart. */
  readonly name: string
  readonly points: number
  readonly windowMs: number
}

export type SpendResult = Pick<RateLimitResult, 'isAllowed' | 'retryAfterMs'>

/** Counts events by subject. Concurrent calls never exceed the limit together. */
export interface RateLimiter {
  /** Takes points out of a bucket, or leaves it alone when it has too few. A cost above `points` needs a full bucket. */
  spend(budget: RateBudget, subject: string, cost: number): Promise<SpendResult>
  take(limit: RateLimit, subject: string): Promise<RateLimitResult>
  /** Uncounts an event that turned out not to count, given the result of its `take`. */
  putBack(limit: RateLimit, subject: string, taken: RateLimitResult): Promise<void>
  /** Whether the shared store did not respond to the last call. Absent: nothing is shared. */
  isStoreLost?(): boolean
  close(): Promise<void>
}

/** Events by slice of time. */
export type SliceCounts = readonly (readonly [slice: number, count: number])[]

/**
 * A window is a set of sixty counters rather than a list of timestamps, so that a limit of a million costs no more than
 * a limit of ten. The slice in which the window begins counts in full: the limit is never exceeded, at the price of
 * waiting up to a sixtieth of the window longer.
 */
const SLICES = 60

export const sliceMs = ({ windowMs }: RateLimit): number => Math.max(1, windowMs / SLICES)
export const sliceAt = (limit: RateLimit, ms: number): number => Math.floor(ms / sliceMs(limit))
export const oldestSlice = (limit: RateLimit, ms: number): number => sliceAt(limit, ms) - SLICES
/** Slices further ahead date from before the clock was set back; counting them would lock the subject out until then. */
export const newestSlice = (limit: RateLimit, ms: number): number => sliceAt(limit, ms) + SLICES
/** How long counts must be kept. */
export const retentionMs = (limit: RateLimit): number => sliceMs(limit) * (SLICES + 1)

/** The result for one more event, given the events before it. */
export function evaluateLimit(before: SliceCounts, limit: RateLimit, atMs: number): RateLimitResult {
  const [oldest, newest] = [oldestSlice(limit, atMs), newestSlice(limit, atMs)]
  const counted = before.filter(([slice]) => slice >= oldest && slice <= newest).toSorted(([a], [b]) => a - b)
  let used = counted.reduce((sum, [, count]) => sum + count, 0)
  const slice = sliceAt(limit, atMs)
  if (used < limit.limit)
    return { isAllowed: true, remaining: limit.limit - used - 1, retryAfterMs: 0, slice }
  let retryAtSlice = slice
  for (const [expiring, count] of counted) {
    if (used < limit.limit) break
    used -= count
    retryAtSlice = expiring + SLICES + 1
  }
  return { isAllowed: false, remaining: 0, retryAfterMs: retryAtSlice * sliceMs(limit) - atMs, slice }
}

/** The counts without one event of a slice. */
export const withoutEvent = (counts: SliceCounts, inSlice: number): SliceCounts =>
  counts.map(([slice, count]) => [slice, slice === inSlice ? count - 1 : count])

/** How long the bucket needs to refill what `cost` takes out, in whole milliseconds. */
export const refillMs = ({ points, windowMs }: RateBudget, cost: number): number =>
  Math.ceil((Math.min(cost, points) * windowMs) / points)

/**
 * A bucket is stored as the time at which it is full again. A time further ahead than this dates from before the clock
 * was set back, and the bucket counts as full. Clocks of several machines may differ by a window.
 */
export const latestFullAtMs = ({ windowMs }: RateBudget, atMs: number): number => atMs + 2 * windowMs

/** The result of spending, given when the bucket would be full again afterwards. */
export function evaluateSpending(fullAtMs: number, { windowMs }: RateBudget, atMs: number): SpendResult {
  const retryAfterMs = Math.max(0, fullAtMs - atMs - windowMs)
  return { isAllowed: retryAfterMs === 0, retryAfterMs }
}

/** When a bucket is full again after `cost` is taken out of it. */
function fullAgainAtMs(
  budget: RateBudget,
  { storedMs, atMs, cost }: { readonly storedMs: number; readonly atMs: number; readonly cost: number },
): number {
  const isFull = storedMs < atMs || storedMs > latestFullAtMs(budget, atMs)
  return (isFull ? atMs : storedMs) + refillMs(budget, cost)
}

/** The subject that has been idle longest makes room for a new one. */
const SUBJECTS_MAX = 20_000

/** Counts in the memory of this process: for a single process on SQLite, and as the fallback of a shared limiter. */
export function createLocalRateLimiter(subjectsMax = SUBJECTS_MAX): RateLimiter {
  const countsByKey = new Map<string, Map<number, number>>()
  const fullAtByKey = new Map<string, number>()
  const store = <Value>(values: Map<string, Value>, key: string, value: Value): void => {
    // A map keeps insertion order, so deleting first moves the key to the end.
    values.delete(key)
    values.set(key, value)
    const [leastRecent] = values.keys()
    if (values.size > subjectsMax && leastRecent !== undefined) values.delete(leastRecent)
  }
  return {
    async spend(budget, subject, cost) {
      const key = `${budget.name} ${subject}`
      const now = nowMs()
      const fullAtMs = fullAgainAtMs(budget, { storedMs: fullAtByKey.get(key) ?? 0, atMs: now, cost })
      const result = evaluateSpending(fullAtMs, budget, now)
      if (result.isAllowed) store(fullAtByKey, key, fullAtMs)
      return result
    },
    async take(limit, subject) {
      const key = `${limit.name} ${subject}`
      const now = nowMs()
      const counts = new Map(countsByKey.get(key))
      const [oldest, newest] = [oldestSlice(limit, now), newestSlice(limit, now)]
      for (const slice of counts.keys()) if (slice < oldest || slice > newest) counts.delete(slice)
      const result = evaluateLimit([...counts], limit, now)
      if (result.isAllowed) counts.set(result.slice, (counts.get(result.slice) ?? 0) + 1)
      store(countsByKey, key, counts)
      return result
    },
    async putBack(limit, subject, { slice }) {
      const counts = countsByKey.get(`${limit.name} ${subject}`)
      const count = counts?.get(slice) ?? 0
      if (count > 0) counts?.set(slice, count - 1)
    },
    async close() {
      countsByKey.clear()
      fullAtByKey.clear()
    },
  }
}

/** Well above the response time of a healthy store. */
const SHARED_TIMEOUT_MS = 2_000
/** After a failure the shared store is left alone for this long, and then tried by a single call. */
const RETRY_DELAY_MS = 5_000
/** Clusters give a node up after 15 s by default, Sentinels after 30. Failures closer together than this are one. */
const FAILOVER_MS_MAX = 40_000

/**
 * Counts in the `shared` store. While that fails for a moment, `take` throws GatewayError `storage_failed`, so that no limit is
 * exceeded. Once it is lost for longer, or never responded, each process counts in `local`, and no request is rejected because
 * counting failed. Budgets only spare this process, which counts them in `local` at once.
 */
export function createFallbackRateLimiter(shared: RateLimiter, local: RateLimiter, log: Logger): RateLimiter {
  const store = new SharedStore(shared, log)
  return {
    spend: async (...spending) =>
      (await store.call(limiter => limiter.spend(...spending))) ?? local.spend(...spending),
    async take(...event) {
      const taken = await store.call(limiter => limiter.take(...event))
      if (!taken && store.isExpectedBack()) throw storeError()
      return taken ?? local.take(...event)
    },
    async putBack(...event) {
      await store.call(limiter => limiter.putBack(...event))
      await local.putBack(...event)
    },
    isStoreLost: () => store.isFailing,
    close: async () => void (await Promise.allSettled([shared.close(), local.close()])),
  }
}

class SharedStore {
  isFailing = false
  private readonly shared: RateLimiter
  private readonly logFailure: ReturnType<typeof throttledLog>
  private hasResponded = false
  private retryAtMs = 0
  private failingSinceMs = Number.NEGATIVE_INFINITY
  private failedAtMs = Number.NEGATIVE_INFINITY

  constructor(shared: RateLimiter, log: Logger) {
    this.shared = shared
    this.logFailure = throttledLog(log, 'the shared rate limit store does not respond')
  }

  isExpectedBack = (): boolean => this.hasResponded && elapsedMs() - this.failingSinceMs < FAILOVER_MS_MAX

  /** Undefined: it does not respond, or is left alone. */
  async call<Result>(work: (limiter: RateLimiter) => Promise<Result>): Promise<Result | undefined> {
    if (elapsedMs() < this.retryAtMs) return undefined
    // Keeps concurrent calls away from a store that failed before, until this one knows whether it is back.
    if (this.retryAtMs > 0) this.retryAtMs = elapsedMs() + SHARED_TIMEOUT_MS
    try {
      const result = await withTimeout(SHARED_TIMEOUT_MS, work(this.shared))
      this.hasResponded = true
      this.isFailing = false
      this.retryAtMs = 0
      return result
    } catch (error) {
      this.markFailing()
      this.logFailure({ reason: errorMessage(error) })
      return undefined
    }
  }

  private markFailing(): void {
    const now = elapsedMs()
    // Other nodes of a cluster respond in between.
    if (now - this.failedAtMs > FAILOVER_MS_MAX) this.failingSinceMs = now
    this.failedAtMs = now
    this.isFailing = true
    if (!this.isExpectedBack()) this.retryAtMs = now + RETRY_DELAY_MS
  }
}

const storeError = (): GatewayError =>
  new GatewayError(
    'storage_failed',
    {
      zh: '共享限流存储暂时无响应，请稍后重试',
      en: 'the shared store of rate limits does not respond at the moment; try again shortly',
    },
    { retryAfterSeconds: 1 },
  )
