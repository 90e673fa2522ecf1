import { systemOptions } from '#contract/options/system-options.ts'
import { elapsedMs } from '#server/core/clock.ts'
import type { Site } from '../../harness/start-site.ts'
import { addAttacker, mainThreadMs, sendCall } from './attack-site.ts'
import type { PoorCall } from './poor-calls.ts'

const AT_ONCE = 4
const MINUTE_MS = 60_000
/** What has a budget is stopped within two seconds of processor time, on a busy machine too. */
const FLOOD_MS_MAX = 15_000
/** The rates of a user. A budget that is spent refills within the minute. */
const READS_PER_MINUTE = 2 * 400
const LOOKUPS_PER_MINUTE = 1_200
const POINTS_PER_MINUTE = 2 * Number(systemOptions.CallBudgetPerMinute.initial)
const TOO_MANY_REQUESTS = 429
/** Answered before anything is read. Requests without a balance have no rate but that of failures. */
const REJECTIONS: ReadonlySet<number> = new Set([401, 402, 403, 413, TOO_MANY_REQUESTS])
/** Of the main thread, for all that a user without money sends in a minute. */
export const MINUTE_MS_MAX = 2_000

interface OneCall {
  readonly status: number
  readonly ms: number
}

/** What a user without money can make the main thread do in a minute with such calls. */
export async function measureMinute(site: Site, call: PoorCall, { status, ms }: OneCall): Promise<number> {
  if (call.points !== undefined) return ms * callsPerMinute(call.points)
  if (REJECTIONS.has(status)) return 0
  const minuteMs = ms * LOOKUPS_PER_MINUTE
  return minuteMs > MINUTE_MS_MAX ? measureUntilStopped(site, call) : minuteMs
}

const callsPerMinute = (points: number): number =>
  points === 0 ? READS_PER_MINUTE : Math.floor(POINTS_PER_MINUTE / points)

let attackers = 0

/** Lookups and token counts end when the processor time of their user is spent. */
async function measureUntilStopped(site: Site, call: PoorCall): Promise<number> {
  attackers += 1
  const { key } = await addAttacker(0, site, `stopped${attackers}`)
  const calls = Array.from({ length: AT_ONCE }, () => call)
  return measureFlood(site, key, calls)
}

/**
 * Sends calls at once, each again and again until it is refused: together they have one budget. Returns the time of the main
 * thread in the first minute: what it took, and as much again, which the budget gives back. Calls that nothing stops take as
 * much of a minute as of the time in which they were sent.
 */
export async function measureFlood(site: Site, key: string, calls: readonly PoorCall[]): Promise<number> {
  const { pid } = site.gateway
  const beforeMs = mainThreadMs(pid)
  const startMs = elapsedMs()
  const send = async (call: PoorCall): Promise<boolean> => {
    while (elapsedMs() - startMs < FLOOD_MS_MAX)
      if ((await sendCall(site, key, call)) === TOO_MANY_REQUESTS) return true
    return false
  }
  const areStopped = await Promise.all(calls.map(send))
  const minutes = areStopped.includes(true) ? 1 / 2 : (elapsedMs() - startMs) / MINUTE_MS
  return (mainThreadMs(pid) - beforeMs) / minutes
}
