import { expect, test } from 'bun:test'
import type { ChannelView, UpstreamRequest } from '../contract/operation-adapter.ts'
import { balanceEndpoint, openaiCompatibleBalance } from './balance.ts'

const channel: ChannelView = {
  id: 1,
  key: 'k',
  baseUrl: 'https://v.example',
  other: '',
  organization: '',
  setting: {},
}
const MARCH_15TH = Date.parse('2026-03-15T12:00:00Z') / 1000

function ask(subscription: unknown, usage: unknown, status = 200) {
  const sent: string[] = []
  const send = ({ url }: UpstreamRequest) => {
    sent.push(url)
    return Promise.resolve({ status, json: sent.length === 1 ? subscription : usage })
  }
  return { sent, balance: openaiCompatibleBalance(channel, { nowSeconds: MARCH_15TH, send }) }
}

test('requests the usage of the current month where a payment method is set', async () => {
  const { sent, balance } = ask({ hard_limit_usd: 10, has_payment_method: true }, { total_usage: 250 })
  expect(await balance).toEqual({ amount: 7.5, currency: 'USD' })
  expect(sent[1]).toEndWith('/v1/dashboard/billing/usage?start_date=2026-03-01&end_date=2026-03-15')
})

test('requests the usage of the last hundred days where no payment method is set', async () => {
  const { sent, balance } = ask({ hard_limit_usd: 10, has_payment_method: false }, { total_usage: 0 })
  await balance
  expect(sent[1]).toContain('start_date=2025-12-05&')
})

test('names the missing fields when the vendor reports no balance', async () => {
  await expect(ask({}, {}, 404).balance).rejects.toThrow('status 404')
  await expect(ask({ hard_limit_usd: 10 }, {}).balance).rejects.toThrow('total_usage')
})

const accountChannel: ChannelView = {
  id: 1,
  key: 'k',
  baseUrl: 'https://v.example',
  other: '',
  organization: '',
  setting: {},
}
const balance = balanceEndpoint({
  path: '/v1/account',
  read: ({ left }) => (left === undefined ? undefined : { amount: Number(left), currency: 'CNY' }),
})
const askAccount = (status: number, json: unknown) =>
  balance(accountChannel, { nowSeconds: 0, send: () => Promise.resolve({ status, json }) })

test('reads the balance from a single response', async () => {
  expect(await askAccount(200, { left: '1.5' })).toEqual({ amount: 1.5, currency: 'CNY' })
})

test.each([
  [401, { left: '1.5' }],
  [200, {}],
  [200, 'text'],
  [200, { left: 'much' }],
])('rejects a %d with %j instead of guessing a balance', async (status, json) => {
  await expect(askAccount(status, json)).rejects.toThrow(`status ${status}`)
})
