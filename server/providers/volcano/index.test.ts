import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { readArkUsage } from './ark.ts'
import { provider } from './index.ts'

const callOf = (baseUrl: string, model: string, body: Partial<ChatBody> = {}): AdapterCall<ChatBody> => ({
  channel: { id: 1, key: 'k', baseUrl, other: '', organization: '', setting: {} },
  model,
  body: { model: 'asked', messages: [], ...body },
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
})

test.each([
  ['https://v.example', 'ep-1', 'https://v.example/api/v3/chat/completions'],
  ['https://v.example', 'bot-1', 'https://v.example/api/v3/bots/chat/completions'],
  ['https://v.example/api/coding/v3', 'ep-1', 'https://v.example/api/coding/v3/chat/completions'],
])('resolves the base URL %s for the model %s to %s', (baseUrl, model, url) => {
  expect(provider.chat?.request(callOf(baseUrl, model)).url).toBe(url)
})

test('sends a single output limit under its newer name', () => {
  const limits = { max_tokens: 5, max_completion_tokens: 9 }
  const body = JSON.parse(String(provider.chat?.request(callOf('https://v.example', 'm', limits)).body))
  expect(body).toEqual({ model: 'm', messages: [], max_completion_tokens: 9 })
})

test('adds up usage per model for an application without a total', () => {
  const model_usage = [
    { prompt_tokens: 3, completion_tokens: 2 },
    { prompt_tokens: 10, completion_tokens: 5 },
  ]
  expect(readArkUsage({ bot_usage: { model_usage } })).toMatchObject({ input: 13, output: 7 })
})

test('requests one vector per text from multimodal models', () => {
  const call = { ...callOf('https://v.example', 'doubao-embedding-vision-250615'), isStream: false }
  const request = provider.embeddings?.request({ ...call, body: { model: 'asked', input: 'a' } })
  expect(request?.url).toBe('https://v.example/api/v3/embeddings/multimodal')
  expect(JSON.parse(String(request?.body))).toEqual({
    model: 'doubao-embedding-vision-250615',
    input: [{ type: 'text', text: 'a' }],
  })
  const two = { ...call, body: { model: 'asked', input: ['a', 'b'] } }
  expect(() => provider.embeddings?.request(two)).toThrow('one text per call')
})
