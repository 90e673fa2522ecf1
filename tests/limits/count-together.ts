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
/** After the event, a process that was allowed nothing for this many rounds, in a store that responded, has used up the limits. */
const ROUNDS_USED_UP = 20
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

/**
 * Counts limits in four processes until they are used up, at most for `msMax`. `event` happens meanwhile. The address is
 * that of a store.
 */
export async function countTogether(
  url: string,
  msMax: number,
  event: () => unknown = () => undefined,
): Promise<CountedTogether> {
  const halfway = Promise.withResolvers<void>()
  const workers = Array.from({ length: PROCESSES }, () => startWorker(url, msMax, halfway.resolve))
  const counted = Promise.all(workers.map(readCounts))
  await Promise.race([halfway.promise, counted])
  await event()
  for (const worker of workers) if (worker.exitCode === null) worker.send('over')
  const counts = await counted
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

const startWorker = (url: string, msMax: number, onHalfway: () => void) =>
  Bun.spawn([process.execPath, import.meta.path, url, String(msMax)], {
    stdout: 'pipe',
    stderr: 'inherit',
    ipc: onHalfway,
  })

const readCounts = async ({ stdout }: ReturnType<typeof startWorker>): Promise<Counts> =>
  JSON.parse(await new Response(stdout).text())

function openStore(url: string): RateLimiter {
  if (!url.startsWith('postgres')) return createRedisRateLimiter(url, noopLogger)
  const { db } = openDatabase({ url, durability: 'process', connections: 2 })
  return createPostgresRateLimiter(db, noopLogger)
}

/** Takes events of all subjects until the limits are used up, and prints how many were allowed. */
async function take(url: string, msMax: number): Promise<void> {
  const limiter = createFallbackRateLimiter(openStore(url), createLocalRateLimiter(), noopLogger)
  const counts = { allowed: COUNTED_KEYS.map(() => 0), rejected: 0 }
  let isOver = false
  process.on('message', () => {
    isOver = true
  })
  const endMs = elapsedMs() + msMax
  let rounds = 0
  let roundsUsedUp = 0
  for await (const _ of setInterval(ROUND_MS)) {
    const isUsedUp = await takeRound(limiter, counts)
    rounds += 1
    if (rounds === ROUNDS_BEFORE) process.send?.('halfway')
    roundsUsedUp = isOver && isUsedUp ? roundsUsedUp + 1 : 0
    if (roundsUsedUp === ROUNDS_USED_UP || elapsedMs() >= endMs) break
  }
  process.stdout.write(JSON.stringify(counts satisfies Counts))
}

/** Takes an event of each subject and counts it. True when the store responded to all and allowed none. */
async function takeRound(
  limiter: RateLimiter,
  counts: { readonly allowed: number[]; rejected: number },
): Promise<boolean> {
  const taken = await Promise.all(
    counts.allowed.map((_, subject) => limiter.take(LIMIT, `subject ${subject}`).catch(() => undefined)),
  )
  for (const [subject, one] of taken.entries()) {
    counts.allowed[subject] = (counts.allowed[subject] ?? 0) + Number(one?.isAllowed ?? false)
    counts.rejected += Number(one === undefined)
  }
  return taken.every(one => one?.isAllowed === false)
}

if (import.meta.main) {
  const [url = '', msMax] = process.argv.slice(2)
  await take(url, Number(msMax))
  process.exit(0)
}
