import { setInterval } from 'node:timers/promises'
import { elapsedMs } from '#server/core/clock.ts'
import type { AdminClient } from '../tests/harness/api-client.ts'
import { callChat } from '../tests/harness/call-chat.ts'
import type { Site } from '../tests/harness/start-site.ts'
import {
  addAttacker,
  ELSEWHERE,
  mainThreadMs,
  sendCall,
  startAttackSite,
} from '../tests/load/attacks/attack-site.ts'
import {
  everyRelayCall,
  MODEL,
  managementCalls,
  type PoorCall,
  TOKEN_COUNTS,
} from '../tests/load/attacks/poor-calls.ts'
import { percentile } from './percentiles.ts'
import { readUsage } from './process-usage.ts'

const ATTACKS = 30
const AT_ONCE = 4
const QUIET_MS = 10_000
const ATTACK_MS = 4_000
const PAUSE_MS = 20
/** Few enough that none is refused because the processor time of its user is spent. */
const CALLS_OF_PROBER = 8
const WALLET = 50_000_000
export const OTHERS_P99_MS_MAX = 500
export const OTHERS_MEMORY_MB_MAX = 600

/** What another user waits, and what the gateway holds, while a user without money sends calls of one kind. */
export interface OthersCost {
  readonly name: string
  readonly p99Ms: number
  readonly residentMb: number
}

interface Attack {
  readonly call: PoorCall
  readonly key: string
}

/** Measures the dearest attacks, after a phase without any. */
export async function measureOthers(): Promise<readonly OthersCost[]> {
  const site = await startAttackSite()
  try {
    const attacks = await chooseAttacks(site)
    const other = await addAttacker(WALLET, site, 'other')
    await measurePhase(site, other.key, { name: 'warm-up', durationMs: QUIET_MS / 2 })
    const costs = [await measurePhase(site, other.key, { name: 'quiet', durationMs: QUIET_MS })]
    for (const attack of attacks)
      costs.push(
        await measurePhase(site, other.key, { name: attack.call.name, durationMs: ATTACK_MS, attack }),
      )
    return costs
  } finally {
    await site.stop()
  }
}

/** The dearest calls, each with a user of its own, so that every attack begins with its whole budget. */
async function chooseAttacks(site: Site): Promise<readonly Attack[]> {
  const relayed = [...(await everyRelayCall()), ...TOKEN_COUNTS]
  /** The same ones for each user, with its session. */
  const listCalls = async (client: AdminClient) => [...relayed, ...(await managementCalls(client))]
  const costs: { at: number; ms: number }[] = []
  let prober = await addAttacker(0, site, 'prober')
  for (const at of (await listCalls(prober.client)).keys()) {
    if (at % CALLS_OF_PROBER === 0) prober = await addAttacker(0, site, `prober${at}`)
    const call = relayed[at] ?? (await listCalls(prober.client))[at]
    const beforeMs = mainThreadMs(site.gateway.pid)
    if (call) await sendCall(site, prober.key, call)
    costs.push({ at, ms: mainThreadMs(site.gateway.pid) - beforeMs })
  }
  const attacks: Attack[] = []
  for (const { at } of costs.toSorted((a, b) => b.ms - a.ms).slice(0, ATTACKS)) {
    const { client, key } = await addAttacker(0, site, `attacker${at}`)
    const call = relayed[at] ?? (await listCalls(client))[at]
    if (call) attacks.push({ call: { ...call, headers: { ...call.headers, ...ELSEWHERE } }, key })
  }
  return attacks
}

interface Phase {
  readonly name: string
  readonly durationMs: number
  readonly attack?: Attack
}

async function measurePhase(
  site: Site,
  key: string,
  { name, durationMs, attack }: Phase,
): Promise<OthersCost> {
  const { url, pid } = site.gateway
  const endMs = elapsedMs() + durationMs
  const flood = async () => {
    while (attack && elapsedMs() < endMs) await sendCall(site, attack.key, attack.call)
  }
  const floods = Array.from({ length: AT_ONCE }, flood)
  const waitsMs: number[] = []
  let residentMb = 0
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hi' }] }
  for await (const _ of setInterval(PAUSE_MS)) {
    const startMs = elapsedMs()
    const { status } = await callChat({ url, key, body })
    if (status !== 200) throw new Error(`expected the chat of another user to get 200, found ${status}`)
    waitsMs.push(elapsedMs() - startMs)
    residentMb = Math.max(residentMb, readUsage(pid).residentMb)
    if (elapsedMs() > endMs) break
  }
  await Promise.all(floods)
  return { name, p99Ms: percentile(waitsMs, 0.99), residentMb }
}
