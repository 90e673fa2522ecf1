import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { provider } from './index.ts'

const callOf = (other: string, model: string): AdapterCall<ChatBody> => ({
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other, organization: '', setting: {} },
  model,
  body: { model: 'asked', messages: [{ role: 'user', content: 'hi' }] },
  isStream: true,
  requestId: 'r',
  nowSeconds: 0,
})
const requestOf = (other: string, model = 'gpt-4o') => provider.chat?.request(callOf(other, model))
const bodyOf = (other: string, model?: string) => JSON.parse(String(requestOf(other, model)?.body))

test("calls the deployment with the channel's API version and the key in its own header", () => {
  expect(requestOf('2024-10-21')).toMatchObject({
    url: 'https://v.example/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21',
    headers: { 'api-key': 'k' },
  })
  expect(requestOf('', 'gpt-3.5-turbo')?.url).toBe(
    'https://v.example/openai/deployments/gpt-35-turbo/chat/completions?api-version=2023-06-01-preview',
  )
  expect(requestOf('2024-10-21', 'o3-mini-high')?.url).toContain('/deployments/o3-mini/')
})

test('uses the undated API where the version has no date', () => {
  expect(requestOf('preview')?.url).toBe('https://v.example/openai/v1/chat/completions?api-version=preview')
})

test('requests usage in a stream only where the version supports it', () => {
  expect(bodyOf('2024-10-21').stream_options).toEqual({ include_usage: true })
  expect(bodyOf('v1').stream_options).toEqual({ include_usage: true })
  expect(bodyOf('2023-06-01-preview')).not.toHaveProperty('stream_options')
})
