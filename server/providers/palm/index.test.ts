import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { chat, embeddings } from './adapters.ts'

const callOf = <Body>(body: Body, model = 'PaLM-2'): AdapterCall<Body> => ({
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
  model,
  body,
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
})
const request: ChatBody = {
  model: 'asked',
  messages: [
    { role: 'system', content: 'You are terse.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'What is 2+2?' },
  ],
  temperature: 1.7,
  top_p: 0.9,
  max_tokens: 40,
  n: 1,
}

test('numbers the authors and separates the system text', () => {
  const { url, body } = chat.request(callOf(request))
  expect(url).toBe('https://v.example/v1beta2/models/chat-bison-001:generateMessage')
  expect(JSON.parse(String(body))).toEqual({
    prompt: {
      context: 'You are terse.',
      messages: [
        { author: '0', content: 'Hi' },
        { author: '1', content: 'Hello.' },
        { author: '0', content: 'What is 2+2?' },
      ],
    },
    temperature: 1,
    candidateCount: 1,
    topP: 0.9,
  })
})

test('rejects images and more than one text to embed', () => {
  const image = { type: 'image_url' as const, image_url: 'https://v.example/a.png' }
  const withImage: ChatBody = { model: 'asked', messages: [{ role: 'user', content: [image] }] }
  expect(() => chat.request(callOf(withImage))).toThrow('is not text')
  const texts = { model: 'asked', input: ['a', 'b'] }
  expect(() => embeddings.request(callOf(texts, 'embedding-gecko-001'))).toThrow('found 2 texts')
})
