import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import { provider } from './index.ts'

const urlOf = (baseUrl: string, other: string) => {
  const body: ChatBody = { model: '@cf/a/b', messages: [{ role: 'user', content: 'hi' }] }
  const channel = { id: 1, key: 'k', baseUrl, other, organization: '', setting: {} }
  return provider.chat?.request({
    channel,
    model: '@cf/a/b',
    body,
    isStream: false,
    requestId: 'r',
    nowSeconds: 0,
  }).url
}

test('puts the account into the URL and rejects a channel without one', () => {
  expect(urlOf(provider.baseUrl, 'acc')).toBe(
    'https://api.cloudflare.com/client/v4/accounts/acc/ai/v1/chat/completions',
  )
  expect(() => urlOf(provider.baseUrl, '')).toThrow('account ID')
})

test('keeps the URL of an AI gateway unchanged', () => {
  const gateway = 'https://gateway.ai.cloudflare.com/v1/acc/gw/workers-ai'
  expect(urlOf(gateway, '')).toBe(`${gateway}/v1/chat/completions`)
})
