import { afterEach, beforeEach, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { putOptions } from '#contract/options/options.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { createLogger } from '#server/core/logger.ts'
import { send } from '#server/http-client/send.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { listSelfTopUps } from '../contract.ts'
import { reconcileOrders } from './reconcile.ts'
import { withTopUpTables } from './tables.ts'

const KEY = 'the merchant key'
const EVERY_SECONDS = 60
const MINUTE = 60
const HOUR = 3600

let app: TestApp
let provider: LocalServer
let anna: TestClient
let logged: string
beforeEach(async () => {
  provider = openLocalServer()
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
  logged = ''
  const options = {
    ServerAddress: 'https://gate.example.org',
    PayAddress: provider.url,
    EpayId: '1001',
    EpayKey: KEY,
  }
  await app.root.call(putOptions, { body: Object.entries(options).map(([key, value]) => ({ key, value })) })
})
afterEach(async () => {
  const { drift, findings } = await auditLedger(app.db)
  expect({ drift, findings }).toEqual({ drift: 0, findings: [] })
  await app.close()
  await provider.close()
})

const log = createLogger({
  level: 'info',
  isPretty: false,
  write: line => {
    logged += line
  },
})
const follow = () =>
  reconcileOrders(
    { db: app.db, settings: app.settings, secrets: app.secrets, events: app.events, send, log },
    EVERY_SECONDS,
    new AbortController().signal,
  )

/** Creates an order dated this many seconds ago and returns its number. */
async function orderOf(ageSeconds: number): Promise<string> {
  const body = JSON.stringify({ amount: 10, payment_method: 'zfb' })
  const { data } = await (await anna.fetch('/api/user/pay', { method: 'POST', body })).json()
  await withTopUpTables(app.db)
    .updateTable('top_ups')
    .set({ created_at: nowSeconds() - ageSeconds })
    .where('trade_no', '=', data.out_trade_no)
    .execute()
  return data.out_trade_no
}

const respondWith = (change: object) => {
  provider.handlers['/api.php'] = ({ url }) =>
    Response.json({
      code: 1,
      msg: 'ok',
      pid: 1001,
      out_trade_no: url.searchParams.get('out_trade_no'),
      type: 'alipay',
      money: '73.00',
      status: '1',
      ...change,
    })
}
const quota = async () => (await anna.call(getSelf)).data.quota
const events = async () => (await anna.call(listSelfTopUps)).data.items[0]?.timeline.map(({ event }) => event)

test('credits an order that was paid without a callback, once', async () => {
  const tradeNo = await orderOf(2 * MINUTE)
  respondWith({})
  expect(await follow()).toBe(1)
  expect(Object.fromEntries(provider.requests[0]?.url.searchParams ?? [])).toEqual({
    act: 'order',
    pid: '1001',
    key: KEY,
    out_trade_no: tradeNo,
  })
  expect(await quota()).toBe(5_000_000)
  expect(await events()).toEqual(['created', 'sent', 'asked', 'credited'])
  expect(await follow()).toBe(0)
  expect(await quota()).toBe(5_000_000)
})

test('credits an order once when two processes query it', async () => {
  await orderOf(2 * MINUTE)
  respondWith({})
  const credited = await Promise.all([follow(), follow(), follow()])
  expect(credited.reduce((sum, count) => sum + count)).toBe(1)
  expect(await quota()).toBe(5_000_000)
})

test('credits no order that is unpaid, unknown, or paid with other details', async () => {
  await orderOf(2 * MINUTE)
  for (const change of [
    { status: 0 },
    { code: -1 },
    { money: '0.01' },
    { type: 'wxpay' },
    { pid: 1002 },
    { out_trade_no: 'another' },
    { status: undefined },
  ]) {
    respondWith(change)
    expect(await follow()).toBe(0)
  }
  provider.handlers['/api.php'] = () => new Response('<html>down</html>')
  expect(await follow()).toBe(0)
  expect(await quota()).toBe(0)
  expect(await events()).toEqual(['created', 'sent', ...Array(3).fill(['asked', 'refused']).flat()])
})

test('queries an order after two minutes, then at doubling intervals for a day', async () => {
  respondWith({ status: 0 })
  for (const [age, isQueried] of [
    [MINUTE, false],
    [2 * MINUTE, true],
    [3 * MINUTE, false],
    [4 * MINUTE, true],
    [8 * MINUTE + 59, true],
    [10 * MINUTE, false],
    [20 * HOUR, false],
    [25 * HOUR, false],
  ] as const) {
    await withTopUpTables(app.db).deleteFrom('top_ups').execute()
    await orderOf(age)
    const before = provider.requests.length
    await follow()
    expect([age, provider.requests.length - before]).toEqual([age, isQueried ? 1 : 0])
  }
})

test('queries nothing while the payment provider is not configured', async () => {
  await orderOf(2 * MINUTE)
  await app.root.call(putOptions, { body: { key: 'EpayKey', value: '' } })
  expect(await follow()).toBe(0)
  expect(provider.requests).toEqual([])
})

test('logs no merchant key', async () => {
  await orderOf(2 * MINUTE)
  await provider.close()
  expect(await follow()).toBe(0)
  expect(logged).toContain('did not respond')
  expect(logged).not.toContain(KEY)
  expect(logged).not.toContain(encodeURIComponent(KEY))
})
