import type { Site } from '../../harness/start-site.ts'
import { addAttacker, mainThreadMs, sendCall, startAttackSite } from './attack-site.ts'
import { everyRelayCall, managementCalls, type PoorCall, TOKEN_COUNTS } from './poor-calls.ts'

const CALLS_MAX = 80
const AT_ONCE = 4
/** The rates of whoever is not stopped before: lookups and reads, and writes of the management API. */
const READS_PER_MINUTE = 1_200
const WRITES_PER_MINUTE = 3_600
const TOO_MANY_REQUESTS = 429
/** Answered before anything is read, so that no budget counts them. */
const REJECTIONS: ReadonlySet<number> = new Set([401, 402, 403, 413, TOO_MANY_REQUESTS])
/** Of the main thread, for all that a user without money sends in a minute. */
export const MINUTE_MS_MAX = 2_000

export interface MinuteCost {
  readonly name: string
  /** Until the user was stopped. */
  readonly calls: number
  readonly isStopped: boolean
  readonly minuteMs: number
}

/** Measures what a user without money can make the main thread do in a minute with calls of each kind. */
export async function measureMinutes(isMeasured: (name: string) => boolean): Promise<readonly MinuteCost[]> {
  const site = await startAttackSite()
  try {
    const costs: MinuteCost[] = []
    for (const [at, call] of [...(await everyRelayCall()), ...TOKEN_COUNTS].entries()) {
      if (!isMeasured(call.name)) continue
      const { key } = await addAttacker(0, site, `relay${at}`)
      costs.push(...(await measureMinute(site, key, call)))
    }
    const { client } = await addAttacker(0, site, 'lister')
    for (const [at, { name }] of (await managementCalls(client)).entries()) {
      if (!isMeasured(name)) continue
      const attacker = await addAttacker(0, site, `member${at}`)
      const call = (await managementCalls(attacker.client))[at]
      if (call) costs.push(...(await measureMinute(site, attacker.key, call)))
    }
    return costs
  } finally {
    await site.stop()
  }
}

let addresses = 0

/** Nothing when every call is rejected before it is read. */
async function measureMinute(site: Site, key: string, call: PoorCall): Promise<readonly MinuteCost[]> {
  addresses += 1
  const address = `203.0.${Math.floor(addresses / 250)}.${addresses % 250}`
  const sent: PoorCall = { ...call, headers: { ...call.headers, 'x-forwarded-for': address } }
  if (REJECTIONS.has(await sendCall(site, key, sent))) return []
  const { pid } = site.gateway
  const beforeMs = mainThreadMs(pid)
  let calls = 0
  let isStopped = false
  const flood = async () => {
    while (!isStopped && calls < CALLS_MAX) {
      calls += 1
      isStopped ||= (await sendCall(site, key, sent)) === TOO_MANY_REQUESTS
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, flood))
  const ms = mainThreadMs(pid) - beforeMs
  const perMinute =
    call.method === 'GET' || !call.path.startsWith('/api/') ? READS_PER_MINUTE : WRITES_PER_MINUTE
  // A budget that is spent comes back within a minute.
  return [{ name: call.name, calls, isStopped, minuteMs: isStopped ? 2 * ms : (ms / calls) * perMinute }]
}
