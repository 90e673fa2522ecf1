import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { provider } from './index.ts'

const body: ChatBody = { model: 'asked', messages: [{ role: 'user', content: 'hi' }] }
const callTo = (baseUrl: string, model: string): AdapterCall<ChatBody> => ({
  channel: { id: 1, key: 'k', baseUrl, other: '', organization: '', setting: {} },
  model,
  body,
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
})
const urlOf = (baseUrl: string, model: string) => provider.chat?.request(callTo(baseUrl, model)).url

test('calls the URL unchanged with the model name inserted', () => {
  expect(urlOf('https://v.example/chat?x=1', 'm')).toBe('https://v.example/chat?x=1')
  expect(urlOf('https://v.example/{model}/chat?m={model}', 'a/b:c')).toBe(
    'https://v.example/a%2Fb%3Ac/chat?m=a%2Fb%3Ac',
  )
})

test('keeps the body of a model with a known name unchanged', () => {
  const given = { ...body, max_tokens: 5, temperature: 0 }
  const { body: sent } = provider.chat?.request({ ...callTo('https://v.example', 'o3'), body: given }) ?? {}
  expect(JSON.parse(String(sent))).toEqual({ ...given, model: 'o3' })
})

test.each([
  ['https://v.example/api/v3/chat/completions', 'https://v.example/api/v3'],
  ['https://v.example/api/paas/v4/embeddings', 'https://v.example/api/paas/v4'],
  ['https://v.example/images/generations', 'https://v.example'],
])('finds every endpoint beside %s', (baseUrl, root) => {
  const call = { ...callTo(baseUrl, 'm'), body: { model: 'm', input: 'hi', prompt: 'hi', voice: 'v' } }
  expect(urlOf(baseUrl, 'm')).toBe(`${root}/chat/completions`)
  expect(provider.embeddings?.request(call).url).toBe(`${root}/embeddings`)
  expect(provider.images?.request(call).url).toBe(`${root}/images/generations`)
  expect(provider.speech?.request(call).url).toBe(`${root}/audio/speech`)
  expect(provider.moderation?.request(call).url).toBe(`${root}/moderations`)
})

test('derives the other URLs from the chat URL and rejects a URL where it cannot', async () => {
  const urlOfList = (baseUrl: string) =>
    provider.listModels?.request({ ...callTo(baseUrl, ''), body: undefined }).url
  expect(urlOfList('https://v.example/v1/chat/completions')).toBe('https://v.example/v1/models')
  expect(urlOfList('https://v.example/chat/completions')).toBe('https://v.example/v1/models')
  expect(() => urlOfList('https://v.example/{model}/chat/completions')).toThrow('cannot be derived')

  const urls: string[] = []
  const send = ({ url }: { readonly url: string }) => {
    urls.push(url.replace(/\?.*/, ''))
    return Promise.resolve({ status: 200, json: { hard_limit_usd: 3, total_usage: 100 } })
  }
  const { channel } = callTo('https://v.example/v1/chat/completions', '')
  expect(await provider.balance?.(channel, { nowSeconds: 0, send })).toEqual({ amount: 2, currency: 'USD' })
  expect(urls).toEqual([
    'https://v.example/v1/dashboard/billing/subscription',
    'https://v.example/v1/dashboard/billing/usage',
  ])
})
