import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { setClock } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { sameInBoth } from '#server/core/language.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { createCodes, redeemPlanCode } from './codes.ts'
import { buyOrdered, orderPlan } from './orders.ts'
import { removePlan } from './plans.ts'
import { deleteCodes, listSubscriptionsOf } from './queries.ts'
import { catchUpDue } from './renewals.ts'
import { readRevenue } from './revenue.ts'
import { TestPlans } from './testing/plans.ts'
import { verifyPlans } from './verify.ts'

const DAY_MS = 86_400_000
let relay: TestRelay
let plans: TestPlans
let nowMs = 0
let restoreClock: () => void

beforeEach(async () => {
  relay = await TestRelay.open({ wallet: 10_000 })
  plans = new TestPlans(relay)
  nowMs = Date.parse('2026-04-01T09:00:00Z')
  restoreClock = setClock({ nowMs: () => nowMs, elapsedMs: () => performance.now() })
})
afterEach(async () => {
  restoreClock()
  const differences = await plans.audit()
  await relay.close()
  expect(differences).toEqual([])
})

const goTo = async (date: string) => {
  nowMs = Date.parse(`${date}T00:00:01Z`)
  await catchUpDue(plans.deps)
}
const first = async () => {
  const [row] = await listSubscriptionsOf(relay.db, relay.userId)
  if (!row) throw new Error('there is no subscription')
  return row
}
const money = async () => {
  const { paid, earned, owed } = await first()
  return [paid, earned, owed]
}
const budgets = () =>
  relay.db
    .withTables<{ budgets: { id: number; name: string; amount: number; subject: string } }>()
    .selectFrom('budgets')
    .select(['id', 'name', 'amount'])
    .where('subject', '=', 'subscription')
    .orderBy('id')
    .execute()
const give = (amount: number) =>
  adjustWallet(relay.db, {
    kind: 'gift',
    userId: relay.userId,
    amount,
    actorId: 0,
    reason: sameInBoth('test'),
    requestId: '',
  })

describe('a subscription', () => {
  test('is paid from the wallet, earns by the day, and renews once on several processes', async () => {
    await plans.subscribe(await plans.add())
    expect(await money()).toEqual([3_000, 100, 2_900])
    await goTo('2026-04-30')
    expect(await money()).toEqual([3_000, 3_000, 0])
    nowMs = Date.parse('2026-05-01T00:00:01Z')
    await Promise.all([catchUpDue(plans.deps), catchUpDue(plans.deps)])
    expect(await money()).toEqual([6_000, 3_096, 2_904])
    expect(await plans.wallet()).toBe(4_000)
  })

  test('is sold once at a time, and not to somebody without the money', async () => {
    const plan = await plans.add()
    const bought = await Promise.allSettled([plans.subscribe(plan), plans.subscribe(plan)])
    expect(bought.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const dear = await plans.add({ name: 'Dear', price: 10_001 })
    await expect(plans.subscribe(dear)).rejects.toMatchObject({ code: 'ledger.wallet_too_small' })
    expect(await plans.wallet()).toBe(7_000)
  })

  test('has a trial once', async () => {
    const plan = await plans.add({ trial_days: 7 })
    const { id } = await plans.subscribe(plan)
    expect(await money()).toEqual([0, 0, 0])
    await plans.does(id, { kind: 'end', isRefunded: true })
    await plans.subscribe(plan)
    expect((await first()).state).toBe('active')
  })

  test('tells that its trial or its last term is over', async () => {
    const { id } = await plans.subscribe(await plans.add({ trial_days: 7 }))
    await goTo('2026-04-08')
    await plans.does(id, { kind: 'cancel' })
    await goTo('2026-05-08')
    expect(plans.changes).toEqual([
      [id, 'trial', 'active'],
      [id, 'cancelled', 'ended'],
    ])
  })

  test('whose renewal fails covers nothing, pays once there is money, and else ends', async () => {
    const { id } = await plans.subscribe(await plans.add({ price: 6_000 }))
    await goTo('2026-05-01')
    expect(await first()).toMatchObject({ state: 'past_due', is_covering: 0 })
    nowMs += 601_000
    await catchUpDue(plans.deps)
    expect(plans.changes).toEqual([[id, 'active', 'past_due']])
    await expect(plans.pay(id)).rejects.toMatchObject({ code: 'ledger.wallet_too_small' })
    await give(2_000)
    nowMs += 601_000
    await catchUpDue(plans.deps)
    expect(await first()).toMatchObject({ state: 'active', is_covering: 1, paid: 12_000 })
    await goTo('2026-06-01')
    await goTo('2026-06-05')
    expect(await first()).toMatchObject({ state: 'ended', is_covering: 0, owed: 0 })
    expect(plans.changes.at(-1)).toEqual([id, 'past_due', 'ended'])
    expect(await budgets()).toEqual([])
  })

  test('that does not renew ends with what was paid, and cannot be kept', async () => {
    const { id } = await plans.subscribe(await plans.add({ renews: false }))
    expect(await first()).toMatchObject({ state: 'cancelled', is_covering: 1 })
    await expect(plans.does(id, { kind: 'keep' })).rejects.toMatchObject({ code: 'subscription.not_now' })
    await goTo('2026-05-01')
    expect(await first()).toMatchObject({ state: 'ended', paid: 3_000, earned: 3_000 })
  })

  test('is upgraded at once for the days that are left, and keeps what is used of its windows', async () => {
    const { id } = await plans.subscribe(await plans.add())
    const [before] = await budgets()
    const window = { period: 'rolling', hours: 5, unit: 'quota', amount: 2_000 } as const
    await plans.change(id, await plans.add({ name: 'Max', price: 6_000, windows: [window] }))
    expect(await plans.wallet()).toBe(10_000 - 3_000 - 2_900)
    expect(await budgets()).toEqual([{ ...before, amount: 2_000 }] as never)
  })

  test('is downgraded by its buyer with the renewal, so that nothing used up is refunded', async () => {
    const dear = await plans.add({ name: 'Max', price: 6_000 })
    const { id } = await plans.subscribe(dear)
    await plans.change(id, await plans.add())
    expect(await first()).toMatchObject({ plan_id: dear, next_price: 3_000 })
    await goTo('2026-05-01')
    expect((await first()).plan_id).not.toBe(dear)
    expect(await plans.wallet()).toBe(1_000)
  })

  test('that changes to a plan without renewals ends with the period', async () => {
    const { id } = await plans.subscribe(await plans.add())
    await plans.change(id, await plans.add({ name: 'Last', price: 6_000, renews: false }))
    expect(await first()).toMatchObject({ state: 'cancelled', is_covering: 1 })
    await goTo('2026-05-01')
    expect(await first()).toMatchObject({ state: 'ended', paid: 5_900, earned: 5_900 })
  })

  test('begins the windows of its term anew with each payment, with what is carried over', async () => {
    const windows = [
      { period: 'term', hours: 0, unit: 'quota', amount: 1_000 },
      { period: 'month', hours: 0, unit: 'requests', amount: 50 },
    ] as const
    await plans.subscribe(await plans.add({ windows: [...windows], carry_over_percent: 40 }))
    const [term, month] = await budgets()
    const window = { budget_id: term?.id ?? 0, starts_at: 0, used: 700, held: 0 }
    await relay.db
      .withTables<{ budget_windows: typeof window; budget_uses: object }>()
      .insertInto('budget_windows')
      .values(window)
      .execute()
    await goTo('2026-05-01')
    const after = await budgets()
    expect(after.map(({ name, amount }) => [name, amount])).toEqual([
      ['plan, monthly requests', 50],
      ['plan, term 2', 1_300],
    ])
    expect(after[0]?.id).toBe(month?.id)
  })

  test('of a deleted plan goes on only where the plan is kept', async () => {
    const plan = await plans.add()
    const { id } = await plans.subscribe(plan)
    await expect(removePlan(relay.db, plan)).rejects.toMatchObject({ code: 'plan.has_subscribers' })
    await plans.does(id, { kind: 'end', isRefunded: true })
    expect(await plans.wallet()).toBe(9_900)
    await removePlan(relay.db, plan)
  })
})

describe('a code of a plan', () => {
  const secrets = createSecrets('the secret key of the tests')
  const redeem = (code: string) =>
    inTransaction(relay.db, tx =>
      redeemPlanCode(tx, { code, userId: relay.userId, zone: 'UTC' }, { ...plans.deps, secrets }),
    )
  const makeCodes = async (planId: number, count = 1) =>
    createCodes({ planId, count }, { db: relay.db, secrets })

  test('buys a period once, without a trial and the balance, also of a plan that is no longer offered', async () => {
    const [code = ''] = await makeCodes(await plans.add({ is_offered: false, trial_days: 7 }))
    const redeemed = await Promise.allSettled([redeem(code), redeem(code)])
    expect(redeemed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await first()).toMatchObject({ state: 'active', paid: 3_000 })
    expect(await plans.wallet()).toBe(10_000)
  })

  test('stays unused when its user has the plan, and pays one that is past due', async () => {
    const planId = await plans.add({ price: 6_000 })
    const [code = ''] = await makeCodes(planId)
    await plans.subscribe(planId)
    await expect(redeem(code)).rejects.toMatchObject({ code: 'subscription.has_plan' })
    await goTo('2026-05-01')
    expect((await first()).state).toBe('past_due')
    await redeem(code)
    expect(await first()).toMatchObject({ state: 'active', paid: 12_000 })
    await expect(redeem(code)).rejects.toMatchObject({ code: 'plan.code' })
  })

  test('keeps its plan from being deleted until it is used or deleted', async () => {
    const planId = await plans.add()
    await makeCodes(planId, 2)
    await expect(removePlan(relay.db, planId)).rejects.toMatchObject({ code: 'plan.has_codes' })
    await deleteCodes(relay.db, planId)
    await removePlan(relay.db, planId)
  })
})

describe('an ordered plan', () => {
  const order = (planId: number) =>
    inTransaction(relay.db, tx => orderPlan(tx, { userId: relay.userId, planId }))
  const buy = () => buyOrdered({ ...plans.deps, zone: 'UTC' })

  test('is bought once, as soon as a top-up pays for it', async () => {
    const planId = await plans.add({ price: 11_000 })
    expect(await order(planId)).toBe(1_000)
    await buy()
    expect(await listSubscriptionsOf(relay.db, relay.userId)).toEqual([])
    await give(1_500)
    await Promise.all([buy(), buy()])
    expect(await first()).toMatchObject({ plan_id: planId, paid: 11_000 })
    expect(await plans.wallet()).toBe(500)
  })

  test('gives way to a later order, and is forgotten after a day', async () => {
    const dear = await plans.add({ price: 11_000 })
    const cheap = await plans.add({ name: 'Small', price: 10_500 })
    await order(dear)
    await order(cheap)
    nowMs += DAY_MS + 1_000
    await give(5_000)
    await buy()
    expect(await listSubscriptionsOf(relay.db, relay.userId)).toEqual([])
    await order(cheap)
    await buy()
    expect(await first()).toMatchObject({ plan_id: cheap })
  })
})

test('the seller sees what each day earned, what is owed, and which renewals are ahead', async () => {
  await plans.subscribe(await plans.add())
  await goTo('2026-04-03')
  expect(await readRevenue(relay.db, 3, 'UTC')).toEqual({
    subscribers: 1,
    past_due: 0,
    owed: 2_700,
    days: [
      { day: '2026-04-01', paid: 3_000, earned: 100 },
      { day: '2026-04-02', paid: 0, earned: 100 },
      { day: '2026-04-03', paid: 0, earned: 100 },
    ],
    renewals: [],
  })
  const { renewals } = await readRevenue(relay.db, 30, 'UTC')
  expect(renewals).toEqual([{ day: '2026-05-01', count: 1, amount: 3_000 }])
})

const EVENTS = [
  'pause',
  'resume',
  'cancel',
  'keep',
  'pay',
  'buy',
  'up',
  'down',
  'later',
  'end',
  'refund',
  'gift',
] as const

test('in a year of random events, books and subscriptions agree on every day', async () => {
  const cheap = await plans.add({ price: 1_001, trial_days: 2 })
  const dear = await plans.add({
    name: 'Max',
    price: 3_333,
    carry_over_percent: 50,
    windows: [{ period: 'term', hours: 0, unit: 'quota', amount: 500 }],
  })
  const weekly = await plans.add({ name: 'Week', price: 777, period_unit: 'week', renews: false })
  const onRow: Readonly<Record<(typeof EVENTS)[number], (id: number) => Promise<unknown>>> = {
    gift: () => give(2_500),
    buy: () => plans.subscribe(cheap),
    up: id => plans.change(id, dear),
    down: id => plans.change(id, cheap),
    later: id => plans.change(id, weekly, 'renewal'),
    pay: id => plans.pay(id),
    end: id => plans.does(id, { kind: 'end', isRefunded: false }),
    refund: id => plans.does(id, { kind: 'end', isRefunded: true }),
    pause: id => plans.does(id, { kind: 'pause' }),
    resume: id => plans.does(id, { kind: 'resume' }),
    cancel: id => plans.does(id, { kind: 'cancel' }),
    keep: id => plans.does(id, { kind: 'keep' }),
  }
  const act = async (event: (typeof EVENTS)[number]): Promise<unknown> => {
    const [row] = await listSubscriptionsOf(relay.db, relay.userId)
    return onRow[event](row?.id ?? 0)
  }
  const year = fc.sample(fc.array(fc.constantFrom(...EVENTS), { minLength: 1, maxLength: 3 }), {
    numRuns: 365,
    seed: 50,
  })
  let done = 0
  for (const events of year) {
    nowMs += DAY_MS
    await catchUpDue(plans.deps)
    // What a state does not allow changes nothing.
    for (const event of events)
      done += await act(event).then(
        () => 1,
        () => 0,
      )
    expect((await verifyPlans(relay.db)).lines).toEqual([])
  }
  expect(done).toBeGreaterThan(100)
}, 120_000)
