import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { newRequestId } from '#server/core/ids.ts'
import { quota } from '#server/core/money.ts'
import { releaseAllAbandonedHolds } from '#server/ledger/recovery.ts'
import { buildLogEntry } from '#server/ledger/testing.ts'
import { asObject } from '#server/provider-kit/json.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { catchUpDue } from './renewals.ts'
import { TestPlans } from './testing/plans.ts'

let relay: TestRelay
let plans: TestPlans
let key: string
let restoreClock: () => void

beforeEach(async () => {
  relay = await TestRelay.open({ wallet: 10_000 })
  plans = new TestPlans(relay)
  await relay.addChannel()
  key = await relay.addToken()
  restoreClock = setClock({
    nowMs: () => Date.parse('2026-05-20T12:00:00Z'),
    elapsedMs: () => performance.now(),
  })
})
afterEach(async () => {
  restoreClock()
  const differences = await plans.audit()
  await relay.close()
  expect(differences).toEqual([])
})

async function ask(columns: object = {}, from = key) {
  const body = { model: 'lab', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }], ...columns }
  const response = await relay.request('/v1/chat/completions', from, body)
  const text = await response.text()
  const error = response.status === 200 ? {} : asObject(asObject(JSON.parse(text)).error)
  const { headers } = response
  return {
    status: response.status,
    error,
    retryAfter: headers.get('retry-after'),
    limit: headers.get('x-ratelimit-limit-requests'),
  }
}

const readLogs = () => relay.db.selectFrom('logs').selectAll().where('type', '=', 2).execute()
const charges = () => relay.db.selectFrom('postings').selectAll().where('kind', '=', 'charge').execute()
const holds = () => relay.db.selectFrom('postings').selectAll().where('kind', '=', 'hold').execute()
const receiptOf = async (logId: number) => {
  const { body } = await relay.db
    .selectFrom('receipts')
    .select('body')
    .where('log_id', '=', logId)
    .executeTakeFirstOrThrow()
  return asObject(JSON.parse(body))
}

describe('a request that a subscription covers', () => {
  test('takes its list price from the windows of the plan, and nothing from the wallet', async () => {
    const { id } = await plans.subscribe(await plans.add())
    expect(await plans.wallet()).toBe(7_000)
    expect((await ask()).status).toBe(200)
    expect(await plans.wallet()).toBe(7_000)
    const [log] = await readLogs()
    expect(log?.quota).toBeGreaterThan(0)
    expect(await charges()).toMatchObject([
      { from_account: 'allowance', to_account: 'revenue', amount: log?.quota },
    ])
    expect(await holds()).toEqual([])
    expect(await relay.db.selectFrom('charge_hours').selectAll().execute()).toEqual([])
    expect(await receiptOf(log?.id ?? 0)).toMatchObject({
      paid_by: { plan: 'Pro', subscription_id: id },
    })
  })

  test('needs no money in the wallet', async () => {
    await plans.subscribe(await plans.add({ price: 10_000 }))
    expect(await plans.wallet()).toBe(0)
    expect((await ask()).status).toBe(200)
    expect((await ask({ stream: true })).status).toBe(200)
    expect(await plans.wallet()).toBe(0)
  })

  test('takes nothing from the limit of its token', async () => {
    await plans.subscribe(await plans.add())
    const limited = await relay.addToken({ remain: 500 })
    expect((await ask({}, limited)).status).toBe(200)
    const token = await relay.db
      .selectFrom('tokens')
      .select(['remain_quota', 'used_quota'])
      .where('unlimited_quota', '=', 0)
      .executeTakeFirstOrThrow()
    expect(token.remain_quota).toBe(500)
    expect(token.used_quota).toBeGreaterThan(0)
  })

  test('gives back all that it held when it fails', async () => {
    await plans.subscribe(await once({ when_used_up: 'wait' }))
    const { ledger } = relay.context
    const hold = await ledger.reserve(requestOf(100))
    await expect(ledger.reserve(requestOf(100))).rejects.toMatchObject({ code: 'budget_exceeded' })
    const receipt = { status: 500, code: 'upstream_failed' }
    await ledger.release(hold, { entry: buildLogEntry(), receipt })
    expect((await ledger.reserve(requestOf(100))).paidBy).toBeDefined()
    expect(await plans.wallet()).toBe(7_000)
  })

  test('is returned by others when its process dies, and charged when its hold is lost', async () => {
    await plans.subscribe(await plans.add())
    const { ledger, db } = relay.context
    await ledger.reserve(requestOf(600))
    expect(await releaseAllAbandonedHolds({ db, ledger, processId: 'second' })).toBe(1)
    const hold = await ledger.reserve(requestOf(700))
    await db.deleteFrom('holds').where('request_id', '=', hold.requestId).execute()
    await ledger.settle(hold, { amount: quota(50), entry: buildLogEntry(), receipt: {} })
    expect(await charges()).toMatchObject([{ from_account: 'allowance', amount: 50 }])
    expect(await plans.wallet()).toBe(7_000)
  })
})

const requestOf = (amount: number) => ({
  requestId: newRequestId(),
  userId: relay.userId,
  tokenId: null,
  isTokenLimited: false,
  amount: quota(amount),
  use: { group: 'default', model: 'lab', tokens: 10, subjects: [] },
})

const oneRequest = { windows: [{ period: 'day', hours: 0, unit: 'requests', amount: 1 }] } as const
const once = (more: object) => plans.add({ ...oneRequest, windows: [...oneRequest.windows], ...more })

describe('when a window is used up', () => {
  test('the wallet pays', async () => {
    await plans.subscribe(await once({ when_used_up: 'wallet' }))
    await ask()
    const before = await plans.wallet()
    expect((await ask()).status).toBe(200)
    expect(await plans.wallet()).toBeLessThan(before)
    expect((await charges()).map(({ from_account }) => from_account)).toEqual(['allowance', 'held'])
  })

  test('clients wait until it begins anew', async () => {
    await plans.subscribe(await once({ when_used_up: 'wait' }))
    await ask()
    expect(await ask()).toMatchObject({ status: 429, retryAfter: String(12 * 3600) })
  })

  test('clients that stop are told when it begins anew', async () => {
    await plans.subscribe(await once({ when_used_up: 'stop' }))
    await ask()
    const { status, error, retryAfter, limit } = await ask()
    expect([status, error.code, retryAfter]).toEqual([403, 'insufficient_user_quota', null])
    expect(error.message).toContain('2026-05-21 00:00')
    expect(limit).toBe('1')
  })

  test.each(['stop', 'wait', 'wallet'] as const)(
    'of a token, a subscription that would %s is not told as spent',
    async when_used_up => {
      await plans.subscribe(await plans.add({ when_used_up }))
      const { id } = await relay.db.selectFrom('tokens').select('id').executeTakeFirstOrThrow()
      const subject = { kind: 'token', id, userId: relay.userId }
      const rule = { name: '', unit: 'requests', amount: 1, period: 'day' } as const
      await relay.context.ledger.budgetRules().put(relay.db, subject, [rule])
      expect((await ask()).status).toBe(200)
      const { status, error, retryAfter } = await ask()
      expect([status, error.code, retryAfter]).toEqual([429, 'budget_exceeded', String(12 * 3600)])
      expect(error.message).toContain('the daily budget of the token is 1 requests')
      expect((await charges()).map(({ from_account }) => from_account)).toEqual(['allowance'])
    },
  )

  test('another subscription covers, before anybody stops', async () => {
    await plans.subscribe(await once({ when_used_up: 'stop' }))
    await plans.subscribe(await once({ name: 'More', when_used_up: 'stop' }))
    const before = await plans.wallet()
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 200, 403])
    expect(await plans.wallet()).toBe(before)
  })

  test('of 40 requests at once, those that fit are covered and the wallet pays the others', async () => {
    await plans.subscribe(
      await plans.add({ windows: [{ period: 'month', hours: 0, unit: 'requests', amount: 25 }] }),
    )
    const replies = await Promise.all(Array.from({ length: 40 }, () => ask({ max_tokens: 1 })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(40)
    const from = (await charges()).map(({ from_account }) => from_account)
    expect(from.filter(account => account === 'allowance')).toHaveLength(25)
  })
})

describe('the wallet pays', () => {
  test.each([
    ['for a model that the plan does not name', { models: ['claude-*'] }],
    ['in a group that the plan does not name', { groups: ['vip'] }],
  ])('%s', async (_, fields) => {
    await plans.subscribe(await plans.add(fields))
    expect((await ask()).status).toBe(200)
    expect(await charges()).toMatchObject([{ from_account: 'held' }])
  })

  test('while a subscription is paused, and not any more when it goes on', async () => {
    const { id } = await plans.subscribe(await plans.add({ models: ['la*'], groups: ['default'] }))
    await plans.does(id, { kind: 'pause' })
    await ask()
    await plans.does(id, { kind: 'resume' })
    await ask()
    expect((await charges()).map(({ from_account }) => from_account)).toEqual(['held', 'allowance'])
  })
})

test('a hold keeps the subscription that it named, also when that ends before the response', async () => {
  const { id } = await plans.subscribe(await plans.add())
  const { ledger } = relay.context
  const hold = await ledger.reserve(requestOf(100))
  expect(hold.paidBy).toEqual({ subscriptionId: id, plan: 'Pro' })
  await plans.does(id, { kind: 'end', isRefunded: false })
  const extended = await ledger.extend(hold, quota(50))
  await ledger.settle(extended ?? hold, { amount: quota(120), entry: buildLogEntry(), receipt: {} })
  expect(await charges()).toMatchObject([{ from_account: 'allowance', amount: 120 }])
  expect(await plans.wallet()).toBe(7_000)
})

test('a downgrade in the middle of a stream ends it as the smaller windows say, charged in full', async () => {
  const small = await plans.add({
    name: 'Small',
    price: 500,
    windows: [{ period: 'rolling', hours: 5, unit: 'quota', amount: 100 }],
  })
  const { id } = await plans.subscribe(await plans.add({ when_used_up: 'wait' }))
  const { ledger } = relay.context
  const hold = await ledger.reserve(requestOf(90))
  const extended = await ledger.extend(hold, quota(60))
  expect(extended?.amount).toBe(quota(150))
  await plans.change(id, small, 'renewal')
  restoreClock()
  restoreClock = setClock({
    nowMs: () => Date.parse('2026-06-20T12:00:00Z'),
    elapsedMs: () => performance.now(),
  })
  await catchUpDue(plans.deps)
  expect(await plans.wallet()).toBe(10_000 - 3_000 - 500)
  expect(await ledger.extend(extended ?? hold, quota(50))).toBeUndefined()
  await ledger.settle(extended ?? hold, { amount: quota(150), entry: buildLogEntry(), receipt: {} })
  expect(await charges()).toMatchObject([{ from_account: 'allowance', amount: 150 }])
  expect(await plans.wallet()).toBe(6_500)
})
