import { expect, test } from 'bun:test'
import type { ChannelView } from '../exchange.ts'
import { accountBalance } from './account-balance.ts'

const channel: ChannelView = {
  id: 1,
  key: 'k',
  baseUrl: 'https://v.example',
  other: '',
  organization: '',
  setting: {},
}
const balance = accountBalance({
  path: '/v1/account',
  read: ({ left }) => (left === undefined ? undefined : { amount: Number(left), currency: 'CNY' }),
})
const ask = (status: number, json: unknown) =>
  balance(channel, { nowSeconds: 0, send: () => Promise.resolve({ status, json }) })

test('reads the balance from one answer', async () => {
  expect(await ask(200, { left: '1.5' })).toEqual({ amount: 1.5, currency: 'CNY' })
})

test.each([
  [401, { left: '1.5' }],
  [200, {}],
  [200, 'text'],
  [200, { left: 'much' }],
])('does not guess a balance from a %d with %j', async (status, json) => {
  await expect(ask(status, json)).rejects.toThrow(`status ${status}`)
})
