import { sameInBoth } from '#server/core/language.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import type { AdminClient } from '../../harness/api-client.ts'
import { inDatabase } from '../../harness/in-database.ts'
import type { Site } from '../../harness/start-site.ts'
import { addAttacker, ELSEWHERE, mainThreadMs, sendCall, startAttackSite } from './attack-site.ts'
import { MINUTE_MS_MAX, measureFlood, measureMinute } from './measure-minutes.ts'
import { everyRelayCall, managementCalls, type PoorCall, SOCKET_FRAMES, TOKEN_COUNTS } from './poor-calls.ts'
import { storedStateCalls } from './stored-state.ts'

/** Calls of a kind, the first of which compile the code. */
const WARM_UPS = 3
const CALLS = 5
const WALLET = 50_000_000
/** A busy machine makes each call dearer: what is above a limit is measured again, and the smallest figure counts. */
const REPEATS = 3
/** Few enough that no count is refused because the time of its user is spent. */
const COUNTS_PER_USER = 2
/** Calls of all kinds that a user without money may make, each with a limit of its own. */
const MIXTURE = [
  'GET /api/user/self',
  'GET /api/log/self',
  'GET /api/analytics/self/export',
  'a token is added',
  'GET /v1/models',
  'POST /suno/fetch',
  'POST /v1/messages/count_tokens, a megabyte of text',
  'POST /v1/responses/input_tokens, many numbers',
]
export const COST_MS_MAX = 20

export interface AttackCost {
  readonly name: string
  readonly status: number
  /** Processor time of the gateway's main thread for each call. */
  readonly ms: number
  /** For all such calls that a user may send in a minute. */
  readonly minuteMs: number
}

/** Measures every call of users without money, one after another. */
export async function measureAttacks(): Promise<readonly AttackCost[]> {
  const site = await startAttackSite()
  try {
    const poor = await addAttacker(0, site, 'poor')
    const costs: AttackCost[] = []
    for (const call of [...(await everyRelayCall()), ...(await managementCalls(poor.client))])
      costs.push(await measureCall(site, poor.key, call))
    for (let at = 0; at < TOKEN_COUNTS.length; at += COUNTS_PER_USER) {
      const { key } = await addAttacker(0, site, `counting${at}`)
      for (const call of TOKEN_COUNTS.slice(at, at + COUNTS_PER_USER))
        costs.push(await measureCall(site, key, call))
    }
    costs.push(await measureMixture(site))
    const stateful = await addAttacker(WALLET, site, 'stateful')
    const stateCalls = await storedStateCalls(site, stateful.key)
    const socket = await openSocket(site, stateful.key)
    await drain(site, stateful.client)
    for (const call of stateCalls) costs.push(await measureCall(site, stateful.key, call))
    for (const [name, frame] of Object.entries(SOCKET_FRAMES))
      costs.push(await measureFrames(site, socket, { name, frame }))
    socket.close()
    return costs
  } finally {
    await site.stop()
  }
}

async function measureMixture(site: Site): Promise<AttackCost> {
  const { client, key } = await addAttacker(0, site, 'mixed')
  const calls = [...(await everyRelayCall()), ...(await managementCalls(client)), ...TOKEN_COUNTS]
    .filter(({ name }) => MIXTURE.includes(name))
    .map(call => ({ ...call, headers: { ...call.headers, ...ELSEWHERE } }))
  const minuteMs = await measureFlood(site, key, calls)
  return { name: `a mixture of ${calls.length} kinds`, status: 0, ms: 0, minuteMs }
}

/** Takes all money of a user. */
const drain = ({ gateway }: Site, { userId }: AdminClient): Promise<void> =>
  inDatabase(gateway, db =>
    db.transaction().execute(async tx => {
      const { quota } = await tx
        .selectFrom('users')
        .select('quota')
        .where('id', '=', userId)
        .executeTakeFirstOrThrow()
      const cause = { userId, actorId: 0, reason: sameInBoth('test'), requestId: '' }
      await adjustWallet(tx, { ...cause, amount: -Number(quota), kind: 'gift' })
    }),
  )

async function measureCall(site: Site, key: string, call: PoorCall): Promise<AttackCost> {
  const send = () => sendCall(site, key, call)
  const one = await measure(site, call.name, send)
  let cost = { ...one, minuteMs: await measureMinute(site, call, one) }
  for (let repeat = 0; repeat < REPEATS && cost.minuteMs > MINUTE_MS_MAX; repeat += 1) {
    const ms = Math.min(cost.ms, await measureOnce(site, send))
    cost = { ...cost, ms, minuteMs: Math.min(cost.minuteMs, await measureMinute(site, call, { ...one, ms })) }
  }
  return cost
}

async function measure(site: Site, name: string, call: () => Promise<number>) {
  let status = 0
  for (let count = 0; count < WARM_UPS; count += 1) status = await call()
  const ms = await measureOnce(site, call)
  return { name, status, ms: ms > COST_MS_MAX ? Math.min(ms, await measureOnce(site, call)) : ms }
}

async function measureOnce({ gateway: { pid } }: Site, call: () => Promise<number>): Promise<number> {
  const beforeMs = mainThreadMs(pid)
  for (let count = 0; count < CALLS; count += 1) await call()
  return (mainThreadMs(pid) - beforeMs) / CALLS
}

/** Bun's WebSocket accepts headers, which the DOM's declaration does not list, so the cast is safe. */
const HeaderWebSocket = WebSocket as unknown as new (
  url: string,
  options: { readonly headers: Readonly<Record<string, string>> },
) => WebSocket

/** A WebSocket of the Responses API that was opened with money. */
async function openSocket({ gateway }: Site, key: string): Promise<WebSocket> {
  const socket = new HeaderWebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer sk-${key}` },
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.onopen = () => resolve()
  socket.onerror = () => reject(new Error('the socket did not open'))
  await promise
  return socket
}

/** A frame is a request, whose rate each user has; without money it is refused before it is read. */
async function measureFrames(
  site: Site,
  socket: WebSocket,
  { name, frame }: { readonly name: string; readonly frame: string },
): Promise<AttackCost> {
  const cost = await measure(site, `frame of a response socket, ${name}`, async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    socket.onmessage = ({ data }) => resolve(String(data))
    socket.onclose = () => resolve('{}')
    socket.send(frame)
    return Number(JSON.parse(await promise).status ?? 0)
  })
  return { ...cost, minuteMs: 0 }
}
