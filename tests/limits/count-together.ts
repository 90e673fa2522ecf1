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
/** After the event, limits are used up when a store that responds has allowed nothing for this many rounds. */
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

/** Counts limits in four processes until they are used up, for `msMax` at most. The address is that of a store. */
export async function countTogether(
  url: string,
  msMax: number,
  event: () => unknown = () => undefined,
): Promise<CountedTogether> {
  const halfway = Promise.withResolvers<void>()
  const command = [process.execPath, import.meta.path, url, String(msMax)]
  const workers = Array.from({ length: PROCESSES }, () =>
    Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit', ipc: halfway.resolve }),
  )
  const printed = Promise.all(workers.map(({ stdout }) => new Response(stdout).json()))
  await Promise.race([halfway.promise, printed])
  await event()
  for (const worker of workers) if (worker.exitCode === null) worker.send('over')
  const counts: readonly Counts[] = await printed
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

function openStore(url: string): RateLimiter {
  if (!url.startsWith('postgres')) return createRedisRateLimiter(url, noopLogger)
  const { db } = openDatabase({ url, durability: 'process', connections: 2 })
  return createPostgresRateLimiter(db, noopLogger)
}

/** Takes events of all subjects until the limits are used up, and prints how many were allowed. */
async function take(url: string, msMax: number): Promise<void> {
  const limiter = createFallbackRateLimiter(openStore(url), createLocalRateLimiter(), noopLogger)
  const endMs = elapsedMs() + msMax
  const rounds: (boolean | undefined)[][] = []
  let roundsLeast = Number.POSITIVE_INFINITY
  process.on('message', () => {
    roundsLeast = rounds.length + ROUNDS_USED_UP
  })
  for await (const _ of setInterval(ROUND_MS)) {
    const events = COUNTED_KEYS.map((_, subject) => limiter.take(LIMIT, `subject ${subject}`))
    const taken = await Promise.allSettled(events)
    rounds.push(taken.map(one => (one.status === 'fulfilled' ? one.value.isAllowed : undefined)))
    if (rounds.length === ROUNDS_BEFORE) process.send?.('halfway')
    const isUsedUp = rounds
      .slice(-ROUNDS_USED_UP)
      .every(round => round.every(isAllowed => isAllowed === false))
    if ((isUsedUp && rounds.length >= roundsLeast) || elapsedMs() >= endMs) break
  }
  const allowed = COUNTED_KEYS.map((_, subject) => rounds.filter(taken => taken[subject]).length)
  const rejected = rounds.flat().filter(isAllowed => isAllowed === undefined).length
  process.stdout.write(JSON.stringify({ allowed, rejected } satisfies Counts))
}

if (import.meta.main) {
  const [url = '', msMax] = process.argv.slice(2)
  await take(url, Number(msMax))
  process.exit(0)
}
