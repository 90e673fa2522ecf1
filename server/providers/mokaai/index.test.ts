import { expect, test } from 'bun:test'
import { provider } from './index.ts'

test('sends a single input as a list', () => {
  const sent = provider.embeddings?.request({
    channel: { id: 1, key: 'k', baseUrl: provider.baseUrl, other: '', organization: '', setting: {} },
    model: 'm3e-base',
    body: { model: 'asked', input: 'hello', encoding_format: 'base64' },
    isStream: false,
    requestId: 'r',
    nowSeconds: 0,
  })
  expect(sent?.url).toBe('https://api.moka.ai/embeddings')
  expect(JSON.parse(String(sent?.body))).toEqual({ model: 'm3e-base', input: ['hello'] })
})
