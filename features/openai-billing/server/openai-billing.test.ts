import { afterEach, expect, test } from 'bun:test'
import { TestRelay } from '#server/testing/test-relay.ts'

let opened: TestRelay | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

async function open(
  options = { DisplayTokenStatEnabled: true, DisplayInCurrencyEnabled: true },
): Promise<TestRelay> {
  opened = await TestRelay.open({ options, wallet: 1_000_000 })
  await opened.db.updateTable('users').set({ used_quota: 500_000 }).execute()
  return opened
}

const getJson = async (relay: TestRelay, path: string, key: string) =>
  (await relay.request(path, key, undefined)).json()

test('reports the remaining and used quota of a token under both paths', async () => {
  const relay = await open()
  const key = await relay.addToken({ remain: 250_000, columns: { used_quota: 125_000, expired_time: 4e9 } })
  for (const path of ['/dashboard/billing', '/v1/dashboard/billing']) {
    expect(await getJson(relay, `${path}/subscription`, key)).toEqual({
      object: 'billing_subscription',
      has_payment_method: true,
      soft_limit_usd: 0.75,
      hard_limit_usd: 0.75,
      system_hard_limit_usd: 0.75,
      access_until: 4e9,
    })
    expect(await getJson(relay, `${path}/usage?start_date=2026-01-01`, key)).toEqual({
      object: 'list',
      total_usage: 25,
    })
  }
})

test('reports a hundred million dollars for an unlimited token and 0 for no expiry', async () => {
  const relay = await open()
  const subscription = await getJson(relay, '/v1/dashboard/billing/subscription', await relay.addToken())
  expect(subscription).toMatchObject({ hard_limit_usd: 100_000_000, access_until: 0 })
})

test('reports the owner’s balance in units when the settings say so', async () => {
  const relay = await open({ DisplayTokenStatEnabled: false, DisplayInCurrencyEnabled: false })
  const key = await relay.addToken({ remain: 10 })
  const subscription = await getJson(relay, '/v1/dashboard/billing/subscription', key)
  expect(subscription).toMatchObject({ hard_limit_usd: 1_500_000, access_until: 0 })
  expect((await getJson(relay, '/v1/dashboard/billing/usage', key)).total_usage).toBe(50_000_000)
})

test('rejects a billing query without a key', async () => {
  const relay = await open()
  expect((await relay.request('/v1/dashboard/billing/usage', '', undefined)).status).toBe(401)
})
