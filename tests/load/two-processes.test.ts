import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { getSelf } from '#contract/entities/user.ts'
import { createPlan } from '#features/plans/contract/plans.ts'
import {
  changeSubscription,
  listOwnSubscriptions,
  steerSubscription,
  subscribe,
} from '#features/plans/contract/subscriptions.ts'
import { addUser } from '../harness/add-user.ts'
import { type AdminClient, resume } from '../harness/api-client.ts'
import { type ChatResult, errorOf } from '../harness/call-chat.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addToken } from '../harness/lab-channel.ts'
import { type Pair, startPair } from '../harness/start-pair.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const PRICE = 500
const WALLET = 1_000_000
const CALLS_EACH = 10
const CALLERS = process.env.TEST_LONG ? 1000 : 300
const BODY = { model: 'counted' }
const TIMEOUT_MS = 600_000

let pair: Pair
beforeAll(async () => {
  pair = await startPair(['counted'], { ModelPrice: { counted: PRICE / 500_000 } })
}, TIMEOUT_MS)
afterAll(async () => {
  const verified = await verifyLedger(pair.environment)
  await pair.stop()
  expect(verified).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
}, TIMEOUT_MS)

async function addBuyer(username: string) {
  const buyer = await addUser(pair.gateways[0], { username, wallet: WALLET })
  return { buyer, key: (await addToken(buyer)).key }
}

const REQUESTS = { period: 'rolling', hours: 5, unit: 'requests', amount: 40 }

async function addPlan(fields: object): Promise<number> {
  const body = {
    price: 3000,
    windows: [REQUESTS, { period: 'day', unit: 'quota', amount: WALLET }],
    ...fields,
  }
  return (await pair.root.call(createPlan, { body })).id
}

const walletOf = async (user: AdminClient): Promise<number> => (await user.call(getSelf)).quota

const countServed = (results: readonly ChatResult[]): number =>
  results.filter(({ status }) => status === 200).length

const reasonsOf = (results: readonly ChatResult[]): ReadonlySet<string> =>
  new Set(results.filter(({ status }) => status !== 200).map(result => errorOf(result).code))

/** Sends the same call several times at once through both processes. Returns how many succeeded. */
async function callOnBoth(user: AdminClient, endpoint: AnyEndpoint, input: object): Promise<number> {
  const clients = pair.gateways.map(({ url }) => resume(url, user))
  const calls = Array.from({ length: CALLS_EACH }, () => clients).flat()
  const results = await Promise.all(calls.map(client => client.send(endpoint, input)))
  return results.filter(({ envelope }) => envelope.success).length
}

test(
  'a subscription covers exactly what its windows allow, and the wallet pays nothing or the rest',
  async () => {
    const [waiting, paying] = await Promise.all([
      addPlan({ name: 'Waits', when_used_up: 'wait' }),
      addPlan({ name: 'Pays', when_used_up: 'wallet' }),
    ])
    const patient = await addBuyer('patient')
    expect(await callOnBoth(patient.buyer, subscribe, { body: { plan_id: waiting } })).toBe(1)
    const results = await pair.callAtOnce(CALLERS, patient.key, BODY)
    expect(reasonsOf(results)).toEqual(new Set(['budget_exceeded']))
    expect(countServed(results)).toBe(REQUESTS.amount)
    expect(await walletOf(patient.buyer)).toBe(WALLET - 3000)
    const hasty = await addBuyer('hasty')
    await hasty.buyer.call(subscribe, { body: { plan_id: paying } })
    expect(countServed(await pair.callAtOnce(100, hasty.key, BODY))).toBe(100)
    expect(await walletOf(hasty.buyer)).toBe(WALLET - 3000 - PRICE * (100 - REQUESTS.amount))
  },
  TIMEOUT_MS,
)

/** As if the subscription of a user had been bought a day earlier. */
const moveBack = (id: number): Promise<unknown> =>
  inDatabase(pair.gateways[0], async db => {
    const { rows } = await sql<{ life: string }>`select life from subscriptions where id = ${id}`.execute(db)
    const life = JSON.parse(rows[0]?.life ?? '')
    const earlier = { ...life, day: life.day - 1, anchor: { ...life.anchor, day: life.anchor.day - 1 } }
    await sql`update subscriptions set life = ${JSON.stringify(earlier)}, due_at = 0 where id = ${id}`.execute(
      db,
    )
  })

test(
  'a period is paid once, whoever renews it',
  async () => {
    const plan = await addPlan({ name: 'Daily', period_unit: 'day' })
    const { buyer } = await addBuyer('daily')
    const { id } = await buyer.call(subscribe, { body: { plan_id: plan } })
    await moveBack(id)
    // The job of a process may be faster than all callers.
    const steps = await callOnBoth(buyer, steerSubscription, { params: { id }, body: { step: 'pay' } })
    expect(steps).toBeLessThanOrEqual(1)
    expect(await buyer.call(listOwnSubscriptions)).toMatchObject([{ state: 'active', paid: 6000 }])
    expect(await walletOf(buyer)).toBe(WALLET - 6000)
  },
  TIMEOUT_MS,
)

test(
  'a change of the plan is paid once',
  async () => {
    const [small, large] = [await addPlan({ name: 'S' }), await addPlan({ name: 'L', price: 600_000 })]
    const paid = await Promise.all(
      ['once', 'often'].map(async username => {
        const { buyer } = await addBuyer(username)
        const { id } = await buyer.call(subscribe, { body: { plan_id: small } })
        const change = { params: { id }, body: { plan_id: large, from: 'now' } }
        if (username === 'once') await buyer.call(changeSubscription, change)
        else await callOnBoth(buyer, changeSubscription, change)
        expect(await buyer.call(listOwnSubscriptions)).toMatchObject([{ plan_id: large }])
        return WALLET - (await walletOf(buyer))
      }),
    )
    expect(paid[0]).toBeGreaterThan(3000)
    expect(paid[1]).toBe(paid[0])
  },
  TIMEOUT_MS,
)
