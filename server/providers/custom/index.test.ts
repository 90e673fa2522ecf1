import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/chat.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import { provider } from './index.ts'

const body: ChatBody = { model: 'asked', messages: [{ role: 'user', content: 'hi' }] }
const callTo = (baseUrl: string, model: string): Call<ChatBody> => ({
  channel: { id: 1, key: 'k', baseUrl, other: '', organization: '', setting: {} },
  model,
  body,
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
})
const urlOf = (baseUrl: string, model: string) => provider.chat?.request(callTo(baseUrl, model)).url

test('calls the address as it is, with the model in its place', () => {
  expect(urlOf('https://v.example/chat?x=1', 'm')).toBe('https://v.example/chat?x=1')
  expect(urlOf('https://v.example/{model}/chat?m={model}', 'a/b:c')).toBe(
    'https://v.example/a%2Fb%3Ac/chat?m=a%2Fb%3Ac',
  )
})

test('leaves the body of a model with a known name as the client wrote it', () => {
  const given = { ...body, max_tokens: 5, temperature: 0 }
  const { body: sent } = provider.chat?.request({ ...callTo('https://v.example', 'o3'), body: given }) ?? {}
  expect(JSON.parse(String(sent))).toEqual({ ...given, model: 'o3' })
})
