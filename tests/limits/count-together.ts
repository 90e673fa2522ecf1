import { setInterval } from 'node:timers/promises'
import { elapsedMs } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import {
  createFallbackRateLimiter,
  createLocalRateLimiter,
  type RateLimit,
  type RateLimiter,
} from '#server/core/rate-limit.ts'
import { openDatabase } from '#server/db/engine/database.ts'
import { createPostgresRateLimiter } from '#server/db/system/postgres-rate-limiter.ts'
import { createRedisRateLimiter } from '#server/integrations/redis-rate-limiter.ts'

const PROCESSES = 4
const SUBJECTS = 40
const ROUND_MS = 50
/** Before the event: some thirty events of each subject and process. */
const ROUNDS_BEFORE = 30
const LIMIT: RateLimit = { name: 'calls', limit: 200, windowMs: 600_000 }

/** The keys that are counted. */
export const COUNTED_KEYS = Array.from(
  { length: SUBJECTS },
  (_, subject) => `tollgate:rate:${LIMIT.name} subject ${subject}`,
)

export interface CountedTogether {
  readonly limit: number
  /** Events of a subject that four processes were allowed together, at least and at most. */
  readonly least: number
  readonly most: number
  /** Events that were rejected since the store did not respond. */
  readonly rejected: number
}

interface Counts {
  readonly allowed: readonly number[]
  readonly rejected: number
}

/** Counts limits in four processes for some time, in the middle of which `event` happens. The address is that of a store. */
export async function countTogether(
  url: string,
  runMs: number,
  event: () => unknown = () => undefined,
): Promise<CountedTogether> {
  const halfway = Promise.withResolvers<void>()
  const workers = Array.from({ length: PROCESSES }, () => runWorker(url, runMs, halfway.resolve))
  await Promise.race([halfway.promise, ...workers])
  await event()
  const counts = await Promise.all(workers)
  const sums = COUNTED_KEYS.map((_, subject) =>
    counts.reduce((sum, { allowed }) => sum + (allowed[subject] ?? 0), 0),
  )
  return {
    limit: LIMIT.limit,
    least: Math.min(...sums),
    most: Math.max(...sums),
    rejected: counts.reduce((sum, { rejected }) => sum + rejected, 0),
  }
}

async function runWorker(url: string, runMs: number, onHalfway: () => void): Promise<Counts> {
  const child = Bun.spawn([process.execPath, import.meta.path, url, String(runMs)], {
    stdout: 'pipe',
    stderr: 'inherit',
    ipc: onHalfway,
  })
  return JSON.parse(await new Response(child.stdout).text())
}

function openStore(url: string): RateLimiter {
  if (!url.startsWith('postgres')) return createRedisRateLimiter(url, noopLogger)
  const { db } = openDatabase({ url, durability: 'process', connections: 2 })
  return createPostgresRateLimiter(db, noopLogger)
}

/** Takes events of all subjects, and prints how many were allowed. */
async function take(url: string, runMs: number): Promise<void> {
  const limiter = createFallbackRateLimiter(openStore(url), createLocalRateLimiter(), noopLogger)
  const allowed = COUNTED_KEYS.map(() => 0)
  let rejected = 0
  let rounds = 0
  const endMs = elapsedMs() + runMs
  for await (const _ of setInterval(ROUND_MS)) {
    await Promise.all(
      allowed.map(async (_, subject) => {
        const taken = await limiter.take(LIMIT, `subject ${subject}`).catch(() => undefined)
        if (taken?.isAllowed) allowed[subject] = (allowed[subject] ?? 0) + 1
        if (!taken) rejected += 1
      }),
    )
    rounds += 1
    if (rounds === ROUNDS_BEFORE) process.send?.('halfway')
    if (elapsedMs() >= endMs) break
  }
  process.stdout.write(JSON.stringify({ allowed, rejected } satisfies Counts))
}

if (import.meta.main) {
  const [url = '', runMs] = process.argv.slice(2)
  await take(url, Number(runMs))
  process.exit(0)
}
