import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import { chat, zhipuToken } from './chat.ts'

const channelOf = (key: string) => ({
  id: 1,
  key,
  baseUrl: 'https://v.example',
  other: '',
  organization: '',
  setting: {},
})
const body: ChatBody = {
  model: 'asked',
  messages: [
    { role: 'system', content: 'You are terse.' },
    { role: 'user', content: 'Weather in Lisbon?' },
  ],
  temperature: 0,
  top_p: 1,
}
const requestOf = (isStream: boolean, key = 'id.secret') =>
  chat.request({
    channel: channelOf(key),
    model: 'chatglm_pro',
    body,
    isStream,
    requestId: 'r',
    nowSeconds: 0,
  })

test('matches the published signature vector', () => {
  const channel = channelOf('1f2e3d4c5b6a79880011223344556677.abcdEFGHijkl0123')
  expect(zhipuToken({ channel, nowSeconds: 1717243200 })).toBe(
    'eyJhbGciOiJIUzI1NiIsInNpZ25fdHlwZSI6IlNJR04ifQ.eyJhcGlfa2V5IjoiMWYyZTNkNGM1YjZhNzk4ODAwMTEyMjMzNDQ1NTY2NzciLCJleHAiOjE3MTczMjk2MDAwMDAsInRpbWVzdGFtcCI6MTcxNzI0MzIwMDAwMH0.ByNL9rhalulvTtnhBaWspHslPBxmn_-tHuGRKizSoOE',
  )
})

test('describes the required format of the key', () => {
  expect(() => requestOf(false, 'secret')).toThrow('the form id.secret')
})

test('uses different methods with and without a stream and acknowledges the system text', () => {
  expect(requestOf(false).url).toBe('https://v.example/api/paas/v3/model-api/chatglm_pro/invoke')
  expect(requestOf(true).url).toBe('https://v.example/api/paas/v3/model-api/chatglm_pro/sse-invoke')
  expect(JSON.parse(String(requestOf(true).body))).toEqual({
    prompt: [
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: 'Okay' },
      { role: 'user', content: 'Weather in Lisbon?' },
    ],
    temperature: 0.01,
    top_p: 0.99,
    request_id: 'r',
    incremental: true,
  })
})
